#include <catch2/catch.hpp>

#include "passes/optimize/passes.h"
#include "tests/passes/optimize/main_text.h"
#include "tests/support/pass_checks.h"

namespace stele::test {
namespace {

const std::string x4 = "%x: tensor<4xf32>", t4 = "tensor<4xf32>", m = "tensor<2x3x4xf32>";
const std::string nothing = main_text(x4, "%x: " + t4, "");

std::string unary(const std::string& op, const std::string& attributes = "") {
  return main_text(x4, "%r: " + t4, "%r = onnx." + op + "(%x)" + attributes + " : (" + t4 + ") -> " + t4);
}

std::string with_constant(const std::string& op, const std::string& value, const std::string& type = "tensor<4xf32>") {
  return main_text(x4, "%r: " + t4, "%c = onnx.Constant() {value = dense<" + value + "> : " + type + "} : () -> " + type + "\n%r = onnx." + op + "(%x, %c) : (" + t4 + ", " + type + ") -> " + t4);
}

std::string twice(const std::string& op) {
  return main_text(x4, "%r: " + t4, "%a = onnx." + op + "(%x) : (" + t4 + ") -> " + t4 + "\n%r = onnx." + op + "(%a) : (" + t4 + ") -> " + t4);
}

std::string transpose(const std::string& perm, const std::string& to) {
  return main_text("%x: " + m, "%r: " + to, "%r = onnx.Transpose(%x)" + perm + " : (" + m + ") -> " + to);
}

}  // namespace

TEST_CASE("canonicalize drops ONNX ops that do nothing", "[canonicalize]") {
  check_rewrite(canonicalize, unary("Identity"), nothing);
  check_rewrite(canonicalize, unary("Cast", " {to = 1}"), nothing);
  check_rewrite(canonicalize, with_constant("Reshape", "4", "tensor<1xi64>"), nothing);
  check_rewrite(canonicalize, with_constant("Expand", "4", "tensor<1xi64>"), nothing);
  check_rewrite(canonicalize, unary("Concat", " {axis = 0}"), nothing);
  check_unchanged(canonicalize, main_text(x4, "%r: tensor<4xi32>", "%r = onnx.Cast(%x) {to = 6} : (" + t4 + ") -> tensor<4xi32>"));
  check_unchanged(canonicalize, main_text(x4, "%r: tensor<8xf32>", "%r = onnx.Concat(%x, %x) {axis = 0} : (" + t4 + ", " + t4 + ") -> tensor<8xf32>"));
}

TEST_CASE("canonicalize drops what is neutral in ONNX ops", "[canonicalize]") {
  check_rewrite(canonicalize, with_constant("Mul", "1.0"), nothing);
  check_rewrite(canonicalize, with_constant("Div", "1.0"), nothing);
  check_rewrite(canonicalize, with_constant("Add", "-0.0"), nothing);
  check_rewrite(canonicalize, with_constant("Sub", "0.0"), nothing);
  check_unchanged(canonicalize, with_constant("Add", "0.0"));
  check_unchanged(canonicalize, with_constant("Mul", "0.0"));
  check_unchanged(canonicalize, with_constant("Sub", "-0.0"));
  // Broadcasts: not an identity.
  check_unchanged(canonicalize, main_text(x4, "%r: tensor<2x4xf32>", "%c = onnx.Constant() {value = dense<1.0> : tensor<2x1xf32>} : () -> tensor<2x1xf32>\n"
                                                                     "%r = onnx.Mul(%x, %c) : (tensor<4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>"));
}

TEST_CASE("canonicalize cancels ONNX ops that undo themselves", "[canonicalize]") {
  check_rewrite(canonicalize, twice("Neg"), nothing);
  check_rewrite(canonicalize, twice("Relu"), unary("Relu"));
  check_unchanged(canonicalize, twice("Tanh"));
}

TEST_CASE("canonicalize composes ONNX transposes", "[canonicalize]") {
  check_rewrite(canonicalize, transpose(" {perm = array<i64: 0, 1, 2>}", m), main_text("%x: " + m, "%x: " + m, ""));
  check_unchanged(canonicalize, transpose("", "tensor<4x3x2xf32>"));
  check_rewrite(canonicalize,
                main_text("%x: " + m, "%r: tensor<3x2x4xf32>", "%a = onnx.Transpose(%x) : (" + m + ") -> tensor<4x3x2xf32>\n"
                                                               "%r = onnx.Transpose(%a) {perm = array<i64: 1, 2, 0>} : (tensor<4x3x2xf32>) -> tensor<3x2x4xf32>"),
                transpose(" {perm = array<i64: 1, 0, 2>}", "tensor<3x2x4xf32>"));
}

TEST_CASE("canonicalize/erase-unused", "[canonicalize]") {
  check_rewrite(canonicalize, main_text(x4, "%x: " + t4, "%a = stablehlo.negate %x : " + t4), nothing);
  PassCheck unknown;
  unknown.run = false;
  check_unchanged(canonicalize, main_text(x4, "%x: " + t4, "%a = onnx.SendToPrinter(%x) : (" + t4 + ") -> " + t4), unknown);
}

}  // namespace stele::test
