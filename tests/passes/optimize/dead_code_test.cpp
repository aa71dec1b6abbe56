#include <catch2/catch.hpp>

#include "passes/optimize/passes.h"
#include "tests/passes/optimize/main_text.h"
#include "tests/support/pass_checks.h"

namespace stele::test {

TEST_CASE("dead-code/erase-unused takes what only dead ops use, too", "[dead_code]") {
  check_rewrite(dead_code,
                main_text("%x: tensor<4xf32>", "%r: tensor<4xf32>",
                          "%a = stablehlo.exponential %x : tensor<4xf32>\n  %b = stablehlo.add %a, %x : tensor<4xf32>\n"
                          "  %r = stablehlo.negate %x : tensor<4xf32>"),
                main_text("%x: tensor<4xf32>", "%r: tensor<4xf32>", "%r = stablehlo.negate %x : tensor<4xf32>"));
}

TEST_CASE("dead-code keeps what is used, and ops it does not know", "[dead_code]") {
  check_unchanged(dead_code, main_text("%x: tensor<4xf32>", "%r: tensor<4xf32>", "%r = stablehlo.negate %x : tensor<4xf32>"));
  PassCheck unknown;
  unknown.run = false;
  check_unchanged(dead_code, main_text("%x: tensor<4xf32>", "%x: tensor<4xf32>", "%a = onnx.SendToPrinter(%x) : (tensor<4xf32>) -> tensor<4xf32>"), unknown);
}

TEST_CASE("dead-code/erase-function", "[dead_code]") {
  const std::string main = main_text("%x: tensor<f32>", "%x: tensor<f32>", "");
  const std::string unused = "func.func private @unused(%x: tensor<f32>) -> (tensor<f32>) {\n  return %x : tensor<f32>\n}\n";
  const std::string open = "func.func public @other(%x: tensor<f32>) -> (tensor<f32>) {\n  return %x : tensor<f32>\n}\n";
  check_rewrite(dead_code, "module {\n" + main + unused + "}", "module {\n" + main + "}");
  check_unchanged(dead_code, "module {\n" + main + open + "}");
}

}  // namespace stele::test
