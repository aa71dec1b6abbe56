#include <catch2/catch.hpp>

#include "passes/optimize/passes.h"
#include "tests/passes/optimize/main_text.h"
#include "tests/support/pass_checks.h"

namespace stele::test {
namespace {

const std::string x4 = "%x: tensor<4xf32>", i4 = "%x: tensor<4xi32>", p4 = "%x: tensor<4xi1>";

std::string f32_4(const std::string& body) { return main_text(x4, "%r: tensor<4xf32>", body); }
std::string i32_4(const std::string& body) { return main_text(i4, "%r: tensor<4xi32>", body); }

// op(x, c) on four floats.
std::string with_constant(const std::string& op, const std::string& value) {
  return f32_4("%c = stablehlo.constant dense<" + value + "> : tensor<4xf32>\n  %r = stablehlo." + op + " %x, %c : tensor<4xf32>");
}

std::string with_int(const std::string& op, const std::string& value) {
  return i32_4("%c = stablehlo.constant dense<" + value + "> : tensor<4xi32>\n  %r = stablehlo." + op + " %x, %c : tensor<4xi32>");
}

const std::string nothing = main_text(x4, "%x: tensor<4xf32>", "");

std::string twice(const std::string& op) {
  return f32_4("%a = stablehlo." + op + " %x : tensor<4xf32>\n  %r = stablehlo." + op + " %a : tensor<4xf32>");
}

}  // namespace

TEST_CASE("canonicalize drops what is neutral bit for bit", "[canonicalize]") {
  check_rewrite(canonicalize, with_constant("multiply", "1.0"), nothing);
  check_rewrite(canonicalize, with_constant("add", "-0.0"), nothing);
  check_rewrite(canonicalize, with_constant("subtract", "0.0"), nothing);
  check_rewrite(canonicalize, with_constant("divide", "1.0"), nothing);
  check_rewrite(canonicalize, with_constant("power", "1.0"), nothing);
  check_rewrite(canonicalize, with_int("add", "0"), main_text(i4, "%x: tensor<4xi32>", ""));
}

TEST_CASE("canonicalize keeps what is neutral among real numbers only", "[canonicalize]") {
  check_unchanged(canonicalize, with_constant("add", "0.0"));  // -0.0 + 0.0 is 0.0
  check_unchanged(canonicalize, with_constant("subtract", "-0.0"));
  check_unchanged(canonicalize, with_constant("multiply", "0.0"));  // infinities and NaN
  check_unchanged(canonicalize, with_constant("multiply", "[1.0, 1.0, 1.0, 2.0]"));
  check_unchanged(canonicalize, with_constant("divide", "3.0"));
  check_unchanged(canonicalize, with_constant("power", "0.5"));
  check_unchanged(canonicalize, with_int("add", "1"));
  check_unchanged(canonicalize, f32_4("%r = stablehlo.subtract %x, %x : tensor<4xf32>"));
  check_unchanged(canonicalize, f32_4("%a = stablehlo.exponential %x : tensor<4xf32>\n  %r = stablehlo.log %a : tensor<4xf32>"));
  check_unchanged(canonicalize, f32_4("%a = stablehlo.multiply %x, %x : tensor<4xf32>\n  %r = stablehlo.sqrt %a : tensor<4xf32>"));
}

TEST_CASE("canonicalize sees a neutral value through a broadcast", "[canonicalize]") {
  check_rewrite(canonicalize,
                f32_4("%c = stablehlo.constant dense<1.0> : tensor<f32>\n"
                      "  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4xf32>\n"
                      "  %r = stablehlo.multiply %x, %b : tensor<4xf32>"),
                nothing);
}

TEST_CASE("canonicalize/divide-by-power-of-two", "[canonicalize]") {
  check_rewrite(canonicalize, with_constant("divide", "8.0"),
                f32_4("%d = stablehlo.constant dense<0.125> : tensor<4xf32>\n"
                      "  %r = stablehlo.multiply %x, %d : tensor<4xf32>"));
  check_unchanged(canonicalize, with_constant("divide", "1.0e30"));
  check_unchanged(canonicalize, with_constant("divide", "0.0"));
}

TEST_CASE("canonicalize cancels what undoes itself", "[canonicalize]") {
  check_rewrite(canonicalize, twice("negate"), nothing);
  check_rewrite(canonicalize, main_text(p4, "%r: tensor<4xi1>", "%a = stablehlo.not %x : tensor<4xi1>\n  %r = stablehlo.not %a : tensor<4xi1>"),
                main_text(p4, "%x: tensor<4xi1>", ""));
  check_rewrite(canonicalize, twice("abs"), f32_4("%r = stablehlo.abs %x : tensor<4xf32>"));
  check_rewrite(canonicalize, f32_4("%a = stablehlo.negate %x : tensor<4xf32>\n  %r = stablehlo.abs %a : tensor<4xf32>"),
                f32_4("%r = stablehlo.abs %x : tensor<4xf32>"));
  check_unchanged(canonicalize, twice("sqrt"));
  check_unchanged(canonicalize, f32_4("%a = stablehlo.abs %x : tensor<4xf32>\n  %r = stablehlo.negate %a : tensor<4xf32>"));
}

TEST_CASE("canonicalize takes one of two equal operands", "[canonicalize]") {
  for (const std::string op : {"maximum", "minimum"}) {
    check_rewrite(canonicalize, f32_4("%r = stablehlo." + op + " %x, %x : tensor<4xf32>"), main_text(x4, "%x: tensor<4xf32>", ""));
  }
  for (const std::string op : {"and", "or"}) {
    check_rewrite(canonicalize, main_text(p4, "%r: tensor<4xi1>", "%r = stablehlo." + op + " %x, %x : tensor<4xi1>"),
                  main_text(p4, "%x: tensor<4xi1>", ""));
  }
  check_unchanged(canonicalize, f32_4("%r = stablehlo.add %x, %x : tensor<4xf32>"));
  check_unchanged(canonicalize, main_text(p4, "%r: tensor<4xi1>", "%r = stablehlo.xor %x, %x : tensor<4xi1>"));
}

TEST_CASE("canonicalize: a bound twice is a bound once", "[canonicalize]") {
  for (const std::string op : {"maximum", "minimum"}) {
    const std::string bound = "%c = stablehlo.constant dense<0.0> : tensor<4xf32>\n  ";
    check_rewrite(canonicalize, f32_4(bound + "%a = stablehlo." + op + " %x, %c : tensor<4xf32>\n  %r = stablehlo." + op + " %a, %c : tensor<4xf32>"),
                  f32_4(bound + "%r = stablehlo." + op + " %x, %c : tensor<4xf32>"));
    check_unchanged(canonicalize, f32_4(bound + "%d = stablehlo.constant dense<6.0> : tensor<4xf32>\n  %a = stablehlo." + op +
                                        " %x, %c : tensor<4xf32>\n  %r = stablehlo." + op + " %a, %d : tensor<4xf32>"));
  }
  // -0.0 and 0.0 are two bounds.
  check_unchanged(canonicalize, f32_4("%c = stablehlo.constant dense<0.0> : tensor<4xf32>\n  %d = stablehlo.constant dense<-0.0> : tensor<4xf32>\n"
                                      "  %a = stablehlo.maximum %x, %c : tensor<4xf32>\n  %r = stablehlo.maximum %a, %d : tensor<4xf32>"));
}

TEST_CASE("canonicalize/select", "[canonicalize]") {
  const std::string two = "%x: tensor<4xf32>, %y: tensor<4xf32>, %p: tensor<4xi1>";
  const auto select = [](const std::string& p, const std::string& a, const std::string& b) {
    return "%r = stablehlo.select " + p + ", " + a + ", " + b + " : tensor<4xi1>, tensor<4xf32>";
  };
  for (const auto& [value, kept] : {std::pair{"true", "%x"}, std::pair{"false", "%y"}}) {
    const std::string c = std::string("%c = stablehlo.constant dense<") + value + "> : tensor<4xi1>\n  ";
    check_rewrite(canonicalize, main_text(two, "%r: tensor<4xf32>", c + select("%c", "%x", "%y")),
                  main_text(two, std::string(kept) + ": tensor<4xf32>", ""));
  }
  check_rewrite(canonicalize, main_text(two, "%r: tensor<4xf32>", select("%p", "%x", "%x")), main_text(two, "%x: tensor<4xf32>", ""));
  check_unchanged(canonicalize, main_text(two, "%r: tensor<4xf32>", select("%p", "%x", "%y")));
  check_unchanged(canonicalize, main_text(two, "%r: tensor<4xf32>",
                                          "%c = stablehlo.constant dense<[true, true, false, true]> : tensor<4xi1>\n  " + select("%c", "%x", "%y")));
}

TEST_CASE("canonicalize/power-two", "[canonicalize]") {
  check_rewrite(canonicalize, with_constant("power", "2.0"),
                f32_4("%r = stablehlo.multiply %x, %x : tensor<4xf32>"));
  check_unchanged(canonicalize, with_constant("power", "3.0"));
  check_unchanged(canonicalize, main_text("%x: tensor<4xf64>", "%r: tensor<4xf64>",
                                          "%c = stablehlo.constant dense<2.0> : tensor<4xf64>\n  %r = stablehlo.power %x, %c : tensor<4xf64>"));
}

TEST_CASE("canonicalize/convert", "[canonicalize]") {
  const auto convert = [](const std::string& from, const std::string& middle, const std::string& to) {
    return main_text("%x: tensor<4x" + from + ">", "%r: tensor<4x" + to + ">",
                     "%a = stablehlo.convert %x : (tensor<4x" + from + ">) -> tensor<4x" + middle + ">\n" +
                         "  %r = stablehlo.convert %a : (tensor<4x" + middle + ">) -> tensor<4x" + to + ">");
  };
  check_rewrite(canonicalize, main_text(x4, "%r: tensor<4xf32>", "%r = stablehlo.convert %x : tensor<4xf32>"), main_text(x4, "%x: tensor<4xf32>", ""));
  check_rewrite(canonicalize, convert("f16", "f32", "f64"),
                main_text("%x: tensor<4xf16>", "%r: tensor<4xf64>",
                          "%r = stablehlo.convert %x : (tensor<4xf16>) -> tensor<4xf64>"));
  check_rewrite(canonicalize, convert("i8", "i32", "i8"),
                main_text("%x: tensor<4xi8>", "%x: tensor<4xi8>", ""));
  check_unchanged(canonicalize, convert("f32", "i32", "f32"));   // drops the fraction
  check_unchanged(canonicalize, convert("f32", "f16", "f32"));   // rounds
  check_unchanged(canonicalize, convert("i32", "f32", "i64"));   // i32 has values that f32 has not
  check_unchanged(canonicalize, convert("i16", "f32", "i8"));    // saturates where i16 to i8 wraps
  check_unchanged(canonicalize, convert("ui8", "i8", "f32"));    // 200 is -56 in the middle
}

TEST_CASE("canonicalize/constant-to-the-right", "[canonicalize]") {
  const std::string c = "%c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n  ";
  check_same(canonicalize, {f32_4(c + "%r = stablehlo.add %c, %x : tensor<4xf32>"), f32_4(c + "%r = stablehlo.add %x, %c : tensor<4xf32>")});
  check_unchanged(canonicalize, f32_4(c + "%r = stablehlo.subtract %c, %x : tensor<4xf32>"));
}

TEST_CASE("canonicalize/reshape", "[canonicalize]") {
  const std::string x = "%x: tensor<2x6xf32>";
  check_rewrite(canonicalize, main_text(x, "%r: tensor<2x6xf32>", "%r = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<2x6xf32>"),
                main_text(x, "%x: tensor<2x6xf32>", ""));
  check_rewrite(canonicalize,
                main_text(x, "%r: tensor<3x4xf32>", "%a = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<12xf32>\n"
                                                    "  %r = stablehlo.reshape %a : (tensor<12xf32>) -> tensor<3x4xf32>"),
                main_text(x, "%r: tensor<3x4xf32>", "%r = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>"));
  check_unchanged(canonicalize, main_text(x, "%r: tensor<6x2xf32>", "%r = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<6x2xf32>"));
}

TEST_CASE("canonicalize/transpose", "[canonicalize]") {
  const std::string x = "%x: tensor<2x3x4xf32>";
  check_rewrite(canonicalize, main_text(x, "%r: tensor<2x3x4xf32>", "%r = stablehlo.transpose %x, dims = [0, 1, 2] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>"),
                main_text(x, "%x: tensor<2x3x4xf32>", ""));
  check_rewrite(canonicalize,
                main_text(x, "%r: tensor<3x2x4xf32>", "%a = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>\n"
                                                      "  %r = stablehlo.transpose %a, dims = [2, 1, 0] : (tensor<4x2x3xf32>) -> tensor<3x2x4xf32>"),
                main_text(x, "%r: tensor<3x2x4xf32>", "%r = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>"));
  check_rewrite(canonicalize, main_text("%x: tensor<2x1x4xf32>", "%r: tensor<1x2x4xf32>", "%r = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<2x1x4xf32>) -> tensor<1x2x4xf32>"),
                main_text("%x: tensor<2x1x4xf32>", "%r: tensor<1x2x4xf32>", "%r = stablehlo.reshape %x : (tensor<2x1x4xf32>) -> tensor<1x2x4xf32>"));
  check_unchanged(canonicalize, main_text(x, "%r: tensor<3x2x4xf32>", "%r = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>"));
}

TEST_CASE("canonicalize/broadcast", "[canonicalize]") {
  const std::string x = "%x: tensor<3xf32>";
  check_rewrite(canonicalize, main_text(x, "%r: tensor<3xf32>", "%r = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<3xf32>"),
                main_text(x, "%x: tensor<3xf32>", ""));
  check_rewrite(canonicalize,
                main_text(x, "%r: tensor<2x3x4xf32>", "%a = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>\n"
                                                      "  %r = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x4xf32>"),
                main_text(x, "%r: tensor<2x3x4xf32>", "%r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3x4xf32>"));
  check_rewrite(canonicalize, main_text(x, "%r: tensor<1x3xf32>", "%r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>"),
                main_text(x, "%r: tensor<1x3xf32>", "%r = stablehlo.reshape %x : (tensor<3xf32>) -> tensor<1x3xf32>"));
  check_rewrite(canonicalize,
                main_text(x, "%r: tensor<3x4xf32>", "%a = stablehlo.reshape %x : (tensor<3xf32>) -> tensor<3x1xf32>\n"
                                                    "  %r = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4xf32>"),
                main_text(x, "%r: tensor<3x4xf32>", "%r = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>"));
  check_unchanged(canonicalize, main_text(x, "%r: tensor<2x3xf32>", "%r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>"));
  check_unchanged(canonicalize, main_text("%x: tensor<6xf32>", "%r: tensor<2x3x4xf32>",
                                          "%a = stablehlo.reshape %x : (tensor<6xf32>) -> tensor<2x3xf32>\n"
                                          "  %r = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x4xf32>"));
}

TEST_CASE("canonicalize/slice", "[canonicalize]") {
  const std::string x = "%x: tensor<10xf32>";
  check_rewrite(canonicalize, main_text(x, "%r: tensor<10xf32>", "%r = stablehlo.slice %x [0:10] : (tensor<10xf32>) -> tensor<10xf32>"),
                main_text(x, "%x: tensor<10xf32>", ""));
  check_rewrite(canonicalize,
                main_text(x, "%r: tensor<2xf32>", "%a = stablehlo.slice %x [1:10:2] : (tensor<10xf32>) -> tensor<5xf32>\n"
                                                  "  %r = stablehlo.slice %a [1:5:3] : (tensor<5xf32>) -> tensor<2xf32>"),
                main_text(x, "%r: tensor<2xf32>", "%r = stablehlo.slice %x [3:10:6] : (tensor<10xf32>) -> tensor<2xf32>"));
  const auto parts = [](const std::string& bounds, const std::string& type) {
    return main_text("%x: tensor<3xf32>, %y: tensor<2xf32>", "%r: " + type,
                     "%a = stablehlo.concatenate %x, %y, dim = 0 : (tensor<3xf32>, tensor<2xf32>) -> tensor<5xf32>\n"
                     "  %r = stablehlo.slice %a [" + bounds + "] : (tensor<5xf32>) -> " + type);
  };
  check_rewrite(canonicalize, parts("3:5", "tensor<2xf32>"),
                main_text("%x: tensor<3xf32>, %y: tensor<2xf32>", "%y: tensor<2xf32>", ""));
  check_unchanged(canonicalize, parts("2:4", "tensor<2xf32>"));
  check_unchanged(canonicalize, parts("0:2", "tensor<2xf32>"));
}

TEST_CASE("canonicalize/concatenate and pad", "[canonicalize]") {
  const std::string x = "%x: tensor<3xf32>, %e: tensor<0xf32>, %z: tensor<f32>";
  check_rewrite(canonicalize, main_text(x, "%r: tensor<3xf32>", "%r = stablehlo.concatenate %x, dim = 0 : (tensor<3xf32>) -> tensor<3xf32>"),
                main_text(x, "%x: tensor<3xf32>", ""));
  check_rewrite(canonicalize, main_text(x, "%r: tensor<6xf32>", "%r = stablehlo.concatenate %x, %e, %x, dim = 0 : (tensor<3xf32>, tensor<0xf32>, tensor<3xf32>) -> tensor<6xf32>"),
                main_text(x, "%r: tensor<6xf32>", "%r = stablehlo.concatenate %x, %x, dim = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>"));
  check_rewrite(canonicalize, main_text(x, "%r: tensor<3xf32>", "%r = stablehlo.pad %x, %z, low = [0], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>"),
                main_text(x, "%x: tensor<3xf32>", ""));
  check_unchanged(canonicalize, main_text(x, "%r: tensor<3xf32>", "%r = stablehlo.pad %x, %z, low = [1], high = [-1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>"));
}

TEST_CASE("canonicalize/reshape-after-elementwise", "[canonicalize]") {
  const std::string arguments = "%x: tensor<6x4xf32>, %b: tensor<4xf32>";
  check_rewrite(canonicalize,
                main_text(arguments, "%r: tensor<2x3x4xf32>",
                          "%a = stablehlo.reshape %x : (tensor<6x4xf32>) -> tensor<2x3x4xf32>\n"
                          "  %c = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<4xf32>) -> tensor<2x3x4xf32>\n"
                          "  %r = stablehlo.add %a, %c : tensor<2x3x4xf32>"),
                main_text(arguments, "%r: tensor<2x3x4xf32>",
                          "%d = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<6x4xf32>\n"
                          "  %e = stablehlo.add %x, %d : tensor<6x4xf32>\n"
                          "  %r = stablehlo.reshape %e : (tensor<6x4xf32>) -> tensor<2x3x4xf32>"));
  // Repeats half of what the reshape joins.
  check_unchanged(canonicalize, main_text("%x: tensor<6x4xf32>, %b: tensor<3x4xf32>", "%r: tensor<2x3x4xf32>",
                                          "%a = stablehlo.reshape %x : (tensor<6x4xf32>) -> tensor<2x3x4xf32>\n"
                                          "  %c = stablehlo.broadcast_in_dim %b, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>\n"
                                          "  %r = stablehlo.add %a, %c : tensor<2x3x4xf32>"));
  // Another operand would need a reshape in its place.
  check_unchanged(canonicalize, main_text("%x: tensor<6x4xf32>, %y: tensor<2x3x4xf32>", "%r: tensor<2x3x4xf32>",
                                          "%a = stablehlo.reshape %x : (tensor<6x4xf32>) -> tensor<2x3x4xf32>\n"
                                          "  %r = stablehlo.add %a, %y : tensor<2x3x4xf32>"));
}

TEST_CASE("canonicalize/reshape-after-elementwise of a symbolic batch", "[canonicalize]") {
  const std::string arguments = "%x: tensor<?x4xf32, #stele.dims<3*batch>>, %b: tensor<4xf32>", wide = "tensor<?x3x4xf32, #stele.dims<batch>>";
  check_rewrite(canonicalize,
                main_text(arguments, "%r: " + wide,
                          "%a = stablehlo.reshape %x : (tensor<?x4xf32, #stele.dims<3*batch>>) -> " + wide + "\n" +
                          "  %c = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<4xf32>) -> " + wide + "\n" +
                          "  %r = stablehlo.add %a, %c : " + wide),
                main_text(arguments, "%r: " + wide,
                          "%d = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #stele.dims<3*batch>>\n"
                          "  %e = stablehlo.add %x, %d : tensor<?x4xf32, #stele.dims<3*batch>>\n"
                          "  %r = stablehlo.reshape %e : (tensor<?x4xf32, #stele.dims<3*batch>>) -> " + wide));
}

TEST_CASE("canonicalize/reshape-after-reduce", "[canonicalize]") {
  const auto reduced = [](const std::string& x, const std::string& dims, const std::string& from, const std::string& to) {
    return "stablehlo.reduce(" + x + " init: %z) applies stablehlo.add across dimensions = [" + dims + "] : (" + from + ", tensor<f32>) -> " + to;
  };
  const std::string arguments = "%x: tensor<6x4xf32>, %z: tensor<f32>", split = "%a = stablehlo.reshape %x : (tensor<6x4xf32>) -> tensor<2x3x4xf32>\n  ";
  check_rewrite(canonicalize, main_text(arguments, "%r: tensor<2x3xf32>", split + "%r = " + reduced("%a", "2", "tensor<2x3x4xf32>", "tensor<2x3xf32>")),
                main_text(arguments, "%r: tensor<2x3xf32>", "%s = " + reduced("%x", "1", "tensor<6x4xf32>", "tensor<6xf32>") +
                                                                "\n  %r = stablehlo.reshape %s : (tensor<6xf32>) -> tensor<2x3xf32>"));
  // Half of what the reshape split is reduced.
  check_unchanged(canonicalize, main_text(arguments, "%r: tensor<2x4xf32>", split + "%r = " + reduced("%a", "1", "tensor<2x3x4xf32>", "tensor<2x4xf32>")));
}

TEST_CASE("canonicalize/transpose-into-dot", "[canonicalize]") {
  const std::string arguments = "%x: tensor<2x5x3x4xf32>, %y: tensor<2x3x4x6xf32>";
  check_rewrite(canonicalize,
                main_text(arguments, "%r: tensor<2x3x5x6xf32>",
                          "%a = stablehlo.transpose %x, dims = [0, 2, 1, 3] : (tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>\n"
                          "  %r = stablehlo.dot_general %a, %y, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x5x4xf32>, tensor<2x3x4x6xf32>) -> tensor<2x3x5x6xf32>"),
                main_text(arguments, "%r: tensor<2x3x5x6xf32>",
                          "%r = stablehlo.dot_general %x, %y, batching_dims = [0, 2] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x5x3x4xf32>, tensor<2x3x4x6xf32>) -> tensor<2x3x5x6xf32>"));
  // Two free dims would trade places in the result.
  check_unchanged(canonicalize, main_text("%x: tensor<5x3x4xf32>, %y: tensor<4x6xf32>", "%r: tensor<3x5x6xf32>",
                                          "%a = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<5x3x4xf32>) -> tensor<3x5x4xf32>\n"
                                          "  %r = stablehlo.dot_general %a, %y, contracting_dims = [2] x [0] : (tensor<3x5x4xf32>, tensor<4x6xf32>) -> tensor<3x5x6xf32>"));
}

}  // namespace stele::test
