#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/passes/lowering.h"

using stele::test::check_lowering;

TEST_CASE("lower-to-loops: elementwise ops give the tensor level's bits", "[lower-to-loops]") {
  for (int n : {0, 1, 7, 8, 9, 17, 40}) {
    const std::string text = fmt::format(R"(func.func @main(%x: tensor<{0}xf32>, %y: tensor<{0}xf32>) -> tensor<{0}xf32> {{
      %0 = stablehlo.add %x, %y : tensor<{0}xf32>
      %1 = stablehlo.multiply %0, %y : tensor<{0}xf32>
      %2 = stablehlo.maximum %1, %x : tensor<{0}xf32>
      return %2 : tensor<{0}xf32>
    }})", n);
    check_lowering(text, {.exact_loops = true, .traffic = true, .tolerance = 0});
  }
}
