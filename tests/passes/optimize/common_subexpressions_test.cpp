#include <catch2/catch.hpp>

#include "passes/optimize/passes.h"
#include "tests/passes/optimize/main_text.h"
#include "tests/support/pass_checks.h"

namespace stele::test {
namespace {

std::string two(const std::string& a, const std::string& b) {
  return main_text("%x: tensor<4x4xf32>, %y: tensor<4x4xf32>", "%r: tensor<4x4xf32>",
                   "%a = " + a + "\n  %b = " + b + "\n  %r = stablehlo.divide %a, %b : tensor<4x4xf32>");
}

std::string one(const std::string& a) {
  return main_text("%x: tensor<4x4xf32>, %y: tensor<4x4xf32>", "%r: tensor<4x4xf32>",
                   "%a = " + a + "\n  %r = stablehlo.divide %a, %a : tensor<4x4xf32>");
}

std::string reduced(const std::string& op, const std::string& dims) {
  return "stablehlo.reduce(%x init: %z) applies stablehlo." + op + " across dimensions = [" + dims + "] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>";
}

std::string two_reductions(const std::string& a, const std::string& b) {
  return main_text("%x: tensor<4x4xf32>", "%r: tensor<4xf32>",
                   "%z = stablehlo.constant dense<0.0> : tensor<f32>\n  %a = " + a + "\n  %b = " + b + "\n  %r = stablehlo.divide %a, %b : tensor<4xf32>");
}

}  // namespace

TEST_CASE("common-subexpressions/merge-equal-ops", "[common_subexpressions]") {
  const std::string sum = "stablehlo.add %x, %y : tensor<4x4xf32>";
  check_rewrite(common_subexpressions, two(sum, sum), one(sum));
  check_rewrite(common_subexpressions, two(sum, "stablehlo.add %y, %x : tensor<4x4xf32>"), one(sum));
  check_unchanged(common_subexpressions, two("stablehlo.subtract %x, %y : tensor<4x4xf32>", "stablehlo.subtract %y, %x : tensor<4x4xf32>"));
  check_unchanged(common_subexpressions, two(sum, "stablehlo.multiply %x, %y : tensor<4x4xf32>"));
}

TEST_CASE("common-subexpressions compares attributes", "[common_subexpressions]") {
  check_unchanged(common_subexpressions, two("stablehlo.transpose %x, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>",
                                             "stablehlo.transpose %x, dims = [0, 1] : (tensor<4x4xf32>) -> tensor<4x4xf32>"));
}

TEST_CASE("common-subexpressions compares regions", "[common_subexpressions]") {
  check_rewrite(common_subexpressions, two_reductions(reduced("add", "1"), reduced("add", "1")),
                main_text("%x: tensor<4x4xf32>", "%r: tensor<4xf32>",
                          "%z = stablehlo.constant dense<0.0> : tensor<f32>\n  %a = " + reduced("add", "1") + "\n  %r = stablehlo.divide %a, %a : tensor<4xf32>"));
  check_unchanged(common_subexpressions, two_reductions(reduced("add", "1"), reduced("maximum", "1")));
  check_unchanged(common_subexpressions, two_reductions(reduced("add", "1"), reduced("add", "0")));
}

TEST_CASE("common-subexpressions/merge-equal-constants goes by bits", "[common_subexpressions]") {
  const auto constant = [](const std::string& value) { return "stablehlo.constant dense<" + value + "> : tensor<4x4xf32>"; };
  check_rewrite(common_subexpressions, two(constant("2.0"), constant("2.0")), one(constant("2.0")));
  check_unchanged(common_subexpressions, two(constant("0.0"), constant("-0.0")));
  check_unchanged(common_subexpressions, main_text("", "%a: tensor<2xf32>, %b: tensor<2xi32>",
                                                   "%a = stablehlo.constant dense<0.0> : tensor<2xf32>\n  %b = stablehlo.constant dense<0> : tensor<2xi32>"));
}

}  // namespace stele::test
