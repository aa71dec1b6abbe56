#include "app/gui/session_document.h"

#include <catch2/catch.hpp>

using namespace stele::app;

TEST_CASE("identity is cut off the text and kept beside it", "[app][session]") {
  const auto lines = ir_lines(
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = stablehlo.tanh %x : tensor<4xf32> loc(#stele<id = 7, from = [3]>)\n"
      "  %1 = kernel.fusion(%0) ({\n"
      "  ^bb0(%a: tensor<4xf32>):\n"
      "    %2 = stablehlo.add %a, %a : tensor<4xf32> loc(#stele<id = 8>)\n"
      "  }) {kind = \"loop\"} loc(#stele<id = 9>)\n"
      "}\n");
  REQUIRE(lines.size() == 7);
  CHECK(lines[0].op == 0);
  CHECK(lines[1].op == 7);
  CHECK(lines[1].text == "  %0 = stablehlo.tanh %x : tensor<4xf32>");
  CHECK(lines[2].op == 9);  // the op that the last line of its region names
  CHECK(lines[4].op == 8);
  CHECK(lines[5].op == 9);
  CHECK(lines[6].op == 0);
}
