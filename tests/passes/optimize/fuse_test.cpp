#include <catch2/catch.hpp>

#include "core/ir/text.h"
#include "passes/optimize/passes.h"
#include "tests/passes/optimize/main_text.h"
#include "tests/support/pass_checks.h"

namespace stele::test {
namespace {

const std::string m = "tensor<4x8xf32>";

// A kernel.fusion of one result as text.
std::string fusion(const std::string& result, const std::string& operands, const std::string& arguments, const std::string& body,
                   const std::string& yielded, const std::string& kind, const std::string& types, const std::string& type) {
  return result + " = kernel.fusion(" + operands + ") ({\n^bb0(" + arguments + "):\n" + body + "\nkernel.yield(" + yielded + ") : (" + type +
         ") -> ()\n}) {kind = \"" + kind + "\"} : (" + types + ") -> " + type + "\n";
}

// Kernels of main: fusions, and ops that are neither views nor constants.
int kernels_after_fuse(const std::string& text) {
  const auto module = parse(text);
  Rewriter rewriter(*module);
  const PassOptions options;
  PassContext context{*module, rewriter, options};
  fuse.run(context);
  int kernels = 0;
  for (const Operation& op : module->main().body()) {
    kernels += !has_trait(op, Trait::view) && !has_trait(op, Trait::constant) && !has_trait(op, Trait::terminator);
  }
  return kernels;
}

const std::string softmax =
    "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
    "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "%scale = stablehlo.constant dense<0.125> : tensor<f32>\n"
    "%s = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<4x8xf32>\n"
    "%scaled = stablehlo.multiply %x, %s : tensor<4x8xf32>\n"
    "%mask = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>\n"
    "%masked = stablehlo.add %scaled, %mask : tensor<4x8xf32>\n"
    "%max = stablehlo.reduce(%masked init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "%maxes = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>\n"
    "%d = stablehlo.subtract %masked, %maxes : tensor<4x8xf32>\n"
    "%e = stablehlo.exponential %d : tensor<4x8xf32>\n"
    "%sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "%sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>\n"
    "%r = stablehlo.divide %e, %sums : tensor<4x8xf32>\n";

}  // namespace

TEST_CASE("fuse/fuse-elementwise joins a chain", "[fuse]") {
  check_rewrite(fuse,
                main_text("%x: " + m, "%r: " + m, "%a = stablehlo.exponential %x : " + m + "\n%b = stablehlo.add %a, %x : " + m + "\n%r = stablehlo.negate %b : " + m),
                main_text("%x: " + m, "%r: " + m,
                          fusion("%r", "%x", "%p: " + m, "%a = stablehlo.exponential %p : " + m + "\n%b = stablehlo.add %a, %p : " + m + "\n%c = stablehlo.negate %b : " + m,
                                 "%c", "loop", m, m)));
}

TEST_CASE("fuse leaves one op alone, and ops that have nothing to do with each other", "[fuse]") {
  check_unchanged(fuse, main_text("%x: " + m, "%r: " + m, "%r = stablehlo.exponential %x : " + m));
  check_unchanged(fuse, main_text("%x: " + m + ", %y: " + m, "%a: " + m + ", %b: " + m, "%a = stablehlo.exponential %x : " + m + "\n%b = stablehlo.negate %y : " + m));
}

TEST_CASE("fuse keeps a value with two kernels as readers in memory", "[fuse]") {
  // %a is a result of its own: two kernels would each compute it, or one would have two results.
  CHECK(kernels_after_fuse(main_text("%x: " + m, "%b: " + m + ", %c: " + m,
                                     "%a = stablehlo.exponential %x : " + m + "\n%b = stablehlo.add %a, %x : " + m + "\n%c = stablehlo.negate %a : " + m)) == 3);
}

TEST_CASE("fuse/copy-cheap repeats a broadcast in each kernel that reads it", "[fuse]") {
  const std::string text = main_text("%x: " + m + ", %k: tensor<8xf32>", "%b: " + m + ", %c: " + m,
                                     "%a = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<8xf32>) -> " + m + "\n%b = stablehlo.add %a, %x : " + m +
                                         "\n%c = stablehlo.multiply %a, %x : " + m);
  check_same(fuse, {text});
  CHECK(kernels_after_fuse(text) == 2);
}

TEST_CASE("fuse leaves outside what an op that was copied reads", "[fuse]") {
  // Found by stele fuzz: the broadcast is copied into the reduction's kernel and stays for the result, so the select stays too.
  const std::string text = main_text("%p: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>", "%b: tensor<4x2xf32>, %r: tensor<2xf32>",
                                     "%s = stablehlo.select %p, %x, %y : tensor<2xi1>, tensor<2xf32>\n"
                                     "%b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>\n"
                                     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                                     "%r = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>");
  check_same(fuse, {text});
  CHECK(kernels_after_fuse(text) == 3);
}

TEST_CASE("fuse does not copy what is dear", "[fuse]") {
  const std::string text = main_text("%x: " + m + ", %k: tensor<8xf32>", "%b: " + m + ", %c: " + m,
                                     "%e = stablehlo.exponential %k : tensor<8xf32>\n%a = stablehlo.broadcast_in_dim %e, dims = [1] : (tensor<8xf32>) -> " + m +
                                         "\n%b = stablehlo.add %a, %x : " + m + "\n%c = stablehlo.multiply %a, %x : " + m);
  check_same(fuse, {text});
  CHECK(kernels_after_fuse(text) == 3);
}

TEST_CASE("fuse/fuse-into-reduction and fuse-reduction-consumer: a masked softmax is one kernel", "[fuse]") {
  const std::string text = main_text("%x: tensor<4x8xf32>, %k: tensor<8xf32>", "%r: tensor<4x8xf32>", softmax);
  check_same(fuse, {text});
  CHECK(kernels_after_fuse(text) == 1);
}

TEST_CASE("fuse does not pull into a row what other kernels read as well", "[fuse]") {
  const std::string text = main_text("%x: tensor<4x8xf32>, %k: tensor<8xf32>", "%r: tensor<4x8xf32>, %masked: tensor<4x8xf32>", softmax);
  check_same(fuse, {text});
  CHECK(kernels_after_fuse(text) == 2);
}

TEST_CASE("fuse leaves a reduction whose region reads what stands outside", "[fuse]") {
  check_unchanged(fuse, main_text("%x: tensor<4x8xf32>, %k: tensor<f32>, %z: tensor<f32>", "%r: tensor<4xf32>",
                                  "%s = \"stablehlo.reduce\"(%x, %z) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%p = stablehlo.multiply %b, %k : tensor<f32>\n"
                                  "%q = stablehlo.add %a, %p : tensor<f32>\nstablehlo.return %q : tensor<f32>\n}) {dimensions = array<i64: 1>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>\n"
                                  "%r = stablehlo.negate %s : tensor<4xf32>"));
}

TEST_CASE("fuse/fuse-epilogue: bias, activation and residual go with the contraction", "[fuse]") {
  const std::string arguments = "%x: tensor<4x6xf32>, %w: tensor<6x8xf32>, %k: tensor<8xf32>, %y: tensor<4x8xf32>";
  const std::string text = main_text(arguments, "%r: tensor<4x8xf32>",
                                     "%d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>\n"
                                     "%b = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>\n"
                                     "%s = stablehlo.add %d, %b : tensor<4x8xf32>\n%t = stablehlo.tanh %s : tensor<4x8xf32>\n"
                                     "%g = stablehlo.multiply %s, %t : tensor<4x8xf32>\n%z = stablehlo.exponential %y : tensor<4x8xf32>\n%r = stablehlo.add %g, %z : tensor<4x8xf32>");
  check_same(fuse, {text});
  CHECK(kernels_after_fuse(text) == 1);
}

TEST_CASE("fuse does not compute a contraction's operand in its kernel", "[fuse]") {
  const std::string arguments = "%x: tensor<4x6xf32>, %w: tensor<6x8xf32>";
  const std::string text = main_text(arguments, "%d: tensor<4x8xf32>",
                                     "%a = stablehlo.exponential %x : tensor<4x6xf32>\n"
                                     "%d = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>");
  check_unchanged(fuse, text);
}

TEST_CASE("fuse makes no cycle", "[fuse]") {
  // %r reads the first product, and what depends on it through the second contraction.
  const std::string arguments = "%x: tensor<8x8xf32>, %w: tensor<8x8xf32>";
  const std::string dot = ", contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n";
  const std::string text = main_text(arguments, "%r: tensor<8x8xf32>",
                                     "%a = stablehlo.dot_general %x, %w" + dot + "%b = stablehlo.tanh %a : tensor<8x8xf32>\n%c = stablehlo.dot_general %b, %w" + dot +
                                         "%r = stablehlo.add %b, %c : tensor<8x8xf32>");
  check_same(fuse, {text});
  CHECK(kernels_after_fuse(text) == 2);
}

TEST_CASE("fuse joins rotary embedding's slices and concatenation", "[fuse]") {
  const std::string text = main_text("%x: tensor<4x8xf32>, %c: tensor<4x8xf32>, %s: tensor<4x8xf32>", "%r: tensor<4x8xf32>",
                                     "%a = stablehlo.slice %x [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>\n%b = stablehlo.slice %x [0:4, 4:8] : (tensor<4x8xf32>) -> tensor<4x4xf32>\n"
                                     "%n = stablehlo.negate %b : tensor<4x4xf32>\n%t = stablehlo.concatenate %n, %a, dim = 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>\n"
                                     "%u = stablehlo.multiply %x, %c : tensor<4x8xf32>\n%v = stablehlo.multiply %t, %s : tensor<4x8xf32>\n%r = stablehlo.add %u, %v : tensor<4x8xf32>");
  check_same(fuse, {text});
  CHECK(kernels_after_fuse(text) == 1);
}

}  // namespace stele::test
