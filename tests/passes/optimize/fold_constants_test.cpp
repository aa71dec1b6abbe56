#include <catch2/catch.hpp>

#include "passes/optimize/passes.h"
#include "tests/passes/optimize/main_text.h"
#include "tests/support/pass_checks.h"

namespace stele::test {
namespace {

const std::string pair = "%a = stablehlo.constant dense<[1.0, -2.5]> : tensor<2xf32>\n  ";

}  // namespace

TEST_CASE("fold-constants/fold-op", "[fold_constants]") {
  check_rewrite(fold_constants, main_text("", "%r: tensor<2xf32>", pair + "%r = stablehlo.negate %a : tensor<2xf32>"),
                main_text("", "%r: tensor<2xf32>", pair + "%r = stablehlo.constant dense<[-1.0, 2.5]> : tensor<2xf32>"));
  // One rewrite an op; a fold makes the next one possible.
  check_rewrite(fold_constants, main_text("", "%r: tensor<2xf32>", pair + "%b = stablehlo.add %a, %a : tensor<2xf32>\n  %r = stablehlo.abs %b : tensor<2xf32>"),
                main_text("", "%r: tensor<2xf32>", pair + "%b = stablehlo.constant dense<[2.0, -5.0]> : tensor<2xf32>\n  %r = stablehlo.constant dense<[2.0, 5.0]> : tensor<2xf32>"));
}

TEST_CASE("fold-constants folds reductions, regions and all", "[fold_constants]") {
  check_rewrite(fold_constants,
                main_text("", "%r: tensor<f32>", pair + "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                                                        "  %r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>"),
                main_text("", "%r: tensor<f32>", pair + "%z = stablehlo.constant dense<0.0> : tensor<f32>\n  %r = stablehlo.constant dense<-1.5> : tensor<f32>"));
}

TEST_CASE("fold-constants keeps infinities, NaN and the sign of zero", "[fold_constants]") {
  check_rewrite(fold_constants,
                main_text("", "%r: tensor<3xf32>", "%a = stablehlo.constant dense<[0.0, 1.0, -0.0]> : tensor<3xf32>\n  %b = stablehlo.constant dense<[0.0, 0.0, 1.0]> : tensor<3xf32>\n"
                                                   "  %r = stablehlo.divide %a, %b : tensor<3xf32>"),
                main_text("", "%r: tensor<3xf32>", "%a = stablehlo.constant dense<[0.0, 1.0, -0.0]> : tensor<3xf32>\n  %b = stablehlo.constant dense<[0.0, 0.0, 1.0]> : tensor<3xf32>\n"
                                                   "  %r = stablehlo.constant dense<[0xFFC00000, 0x7F800000, -0.0]> : tensor<3xf32>"));
}

TEST_CASE("fold-constants wraps narrow integers", "[fold_constants]") {
  check_rewrite(fold_constants,
                main_text("", "%r: tensor<ui8>", "%a = stablehlo.constant dense<7> : tensor<ui8>\n  %r = stablehlo.negate %a : tensor<ui8>"),
                main_text("", "%r: tensor<ui8>", "%a = stablehlo.constant dense<7> : tensor<ui8>\n  %r = stablehlo.constant dense<249> : tensor<ui8>"));
}

TEST_CASE("fold-constants leaves what would blow up, what is symbolic, and what reads an input", "[fold_constants]") {
  const std::string one = "%a = stablehlo.constant dense<1.0> : tensor<f32>\n  ";
  check_unchanged(fold_constants, main_text("", "%r: tensor<64x64xf32>", one + "%r = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<64x64xf32>"));
  check_unchanged(fold_constants, main_text("%x: tensor<?xf32, #stele.dims<n>>", "%r: tensor<?xf32, #stele.dims<n>>",
                                            one + "%r = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<?xf32, #stele.dims<n>>"));
  check_unchanged(fold_constants, main_text("%x: tensor<f32>", "%r: tensor<f32>", one + "%r = stablehlo.add %x, %a : tensor<f32>"));
}

TEST_CASE("fold-constants folds empty tensors", "[fold_constants]") {
  check_rewrite(fold_constants,
                main_text("", "%r: tensor<2x0xf32>", "%a = stablehlo.constant dense<> : tensor<0x2xf32>\n  %r = stablehlo.transpose %a, dims = [1, 0] : (tensor<0x2xf32>) -> tensor<2x0xf32>"),
                main_text("", "%r: tensor<2x0xf32>", "%a = stablehlo.constant dense<> : tensor<0x2xf32>\n  %r = stablehlo.constant dense<> : tensor<2x0xf32>"));
}

}  // namespace stele::test
