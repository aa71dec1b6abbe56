// The numbers are worked out by hand in each case.
#include "profiler/scoreboard.h"

#include <catch2/catch.hpp>

#include "core/ir/text.h"
#include "tests/passes/optimize/main_text.h"

namespace stele::test {
namespace {

const std::string t = "tensor<16xf32>";  // 64 bytes

Scoreboard score_of(const std::string& arguments, const std::string& results, const std::string& body, const Binding& binding = {}) {
  return score(*parse(main_text(arguments, results, body)), binding);
}

}  // namespace

TEST_CASE("scoreboard: three ops", "[scoreboard]") {
  const Scoreboard board = score_of("%x: " + t + ", %y: " + t, "%r: " + t, "%a = stablehlo.add %x, %y : " + t + "\n%b = stablehlo.negate %a : " + t + "\n%r = stablehlo.abs %b : " + t);
  CHECK(board.kernels == Dim(3));
  CHECK(board.hbm_bytes == Dim(64 * (3 + 2 + 2)));
  CHECK(board.flops == Dim(3 * 16));
  CHECK(board.peak_bytes == Dim(64 * (2 + 2)));  // x and y, and two of a, b, r
  CHECK(board.weight_bytes == Dim(0));
}

TEST_CASE("scoreboard: a view is free and keeps its operand alive", "[scoreboard]") {
  const Scoreboard board = score_of("%x: " + t, "%r: tensor<4x4xf32>",
                                    "%a = stablehlo.negate %x : " + t + "\n%v = stablehlo.reshape %a : (" + t + ") -> tensor<4x4xf32>\n%b = stablehlo.abs %x : " + t +
                                        "\n%w = stablehlo.reshape %b : (" + t + ") -> tensor<4x4xf32>\n%r = stablehlo.add %v, %w : tensor<4x4xf32>");
  CHECK(board.kernels == Dim(3));
  CHECK(board.hbm_bytes == Dim(64 * (2 + 2 + 3)));
  CHECK(board.peak_bytes == Dim(64 * (1 + 3)));  // x, and a, b, r at the end
}

TEST_CASE("scoreboard: the same operand twice is read once; a shared input by each reader", "[scoreboard]") {
  CHECK(score_of("%x: " + t, "%r: " + t, "%r = stablehlo.multiply %x, %x : " + t).hbm_bytes == Dim(64 * 2));
  const Scoreboard shared = score_of("%x: " + t, "%a: " + t + ", %b: " + t, "%a = stablehlo.negate %x : " + t + "\n%b = stablehlo.abs %x : " + t);
  CHECK(shared.hbm_bytes == Dim(64 * 4));
  CHECK(shared.peak_bytes == Dim(64 * 3));
}

TEST_CASE("scoreboard: a broadcast reads its operand and writes its result", "[scoreboard]") {
  const Scoreboard board = score_of("%x: tensor<4xf32>", "%r: tensor<8x4xf32>", "%r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>");
  CHECK(board.kernels == Dim(1));
  CHECK(board.hbm_bytes == Dim(16 + 128));
  CHECK(board.flops == Dim(0));
}

TEST_CASE("scoreboard: a slice and a gather count what they touch", "[scoreboard]") {
  CHECK(score_of("%x: tensor<1000xf32>", "%r: tensor<10xf32>", "%r = stablehlo.slice %x [0:10] : (tensor<1000xf32>) -> tensor<10xf32>").hbm_bytes == Dim(40 + 40));
  const Scoreboard gather = score_of("%x: tensor<1000x8xf32>, %i: tensor<3x1xi64>", "%r: tensor<3x8xf32>",
                                     "%r = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
                                     "slice_sizes = array<i64: 1, 8>} : (tensor<1000x8xf32>, tensor<3x1xi64>) -> tensor<3x8xf32>");
  CHECK(gather.hbm_bytes == Dim(96 + 24 + 96));
}

TEST_CASE("scoreboard: a reduction reads all, a contraction counts two FLOPs a product", "[scoreboard]") {
  const Scoreboard sum = score_of("%x: tensor<4x16xf32>", "%r: tensor<4xf32>",
                                  "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                                  "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>");
  CHECK(sum.kernels == Dim(1));
  CHECK(sum.hbm_bytes == Dim(256 + 4 + 16));
  CHECK(sum.weight_bytes == Dim(4));
  const Scoreboard dot = score_of("%x: tensor<2x3xf32>, %y: tensor<3x4xf32>", "%r: tensor<2x4xf32>",
                                  "%r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>");
  CHECK(dot.flops == Dim(2 * 2 * 3 * 4));
  CHECK(dot.hbm_bytes == Dim(24 + 48 + 32));
}

TEST_CASE("scoreboard: a fusion is one kernel, and what stays inside moves no byte", "[scoreboard]") {
  const Scoreboard board = score_of("%x: " + t + ", %y: " + t, "%r: " + t,
                                    "%r = kernel.fusion(%x, %y) ({\n^bb0(%p: " + t + ", %q: " + t + "):\n%c = stablehlo.constant dense<2.0> : " + t +
                                        "\n%a = stablehlo.add %p, %q : " + t + "\n%b = stablehlo.multiply %a, %c : " + t + "\nkernel.yield(%b) : (" + t + ") -> ()\n}) {kind = \"loop\"} : (" + t + ", " + t + ") -> " + t);
  CHECK(board.kernels == Dim(1));
  CHECK(board.hbm_bytes == Dim(64 * 3));
  CHECK(board.flops == Dim(32));
  CHECK(board.peak_bytes == Dim(64 * 3));
}

TEST_CASE("scoreboard: constants are weights, and read from memory by each kernel", "[scoreboard]") {
  const Scoreboard board = score_of("%x: tensor<4xf32>", "%b: tensor<4xf32>",
                                    "%c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n%a = stablehlo.add %x, %c : tensor<4xf32>\n%b = stablehlo.multiply %a, %c : tensor<4xf32>");
  CHECK(board.hbm_bytes == Dim(16 * 6));
  CHECK(board.weight_bytes == Dim(16));
  CHECK(board.peak_bytes == Dim(16 * 3));
}

TEST_CASE("scoreboard: lives that do not overlap are not added up", "[scoreboard]") {
  // At %b: x, a, b. At %c (large): x, b, c. At %r: x, c, r.
  const Scoreboard board = score_of("%x: tensor<4xf32>", "%r: tensor<4xf32>",
                                    "%a = stablehlo.negate %x : tensor<4xf32>\n%b = stablehlo.abs %a : tensor<4xf32>\n"
                                    "%c = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<100x4xf32>\n"
                                    "%r0 = stablehlo.slice %c [0:1, 0:4] : (tensor<100x4xf32>) -> tensor<1x4xf32>\n%r = stablehlo.reshape %r0 : (tensor<1x4xf32>) -> tensor<4xf32>");
  CHECK(board.peak_bytes == Dim(16 + 16 + 1600));
}

TEST_CASE("scoreboard: with a plan the arena is what is allocated", "[scoreboard]") {
  const auto module = parse(main_text("%x: " + t, "%r: " + t, "%a = stablehlo.negate %x : " + t + "\n%b = stablehlo.abs %a : " + t + "\n%r = stablehlo.negate %b : " + t));
  Builder builder(*module);
  builder.set_function_attribute(module->main(), "arena", Shape{Dim(128)});
  class Placing : public Builder {
   public:
    using Builder::Builder;
    void place(Operation* op, int64_t offset) { do_set_attribute(op, "placement", Shape{Dim(offset)}); }
  };
  Placing placing(*module);
  placing.place(module->main().body().first(), 0);
  placing.place(module->main().body().first()->next(), 64);
  CHECK(score(*module, {}).peak_bytes == Dim(64 + 128 + 64));  // x, the arena, r
}

TEST_CASE("scoreboard: a symbolic batch gives expressions", "[scoreboard]") {
  const std::string b = "tensor<?x4xf32, #stele.dims<batch>>";
  const Dim batch = Dim::symbol("batch");
  const Scoreboard board = score_of("%x: " + b, "%r: " + b, "%a = stablehlo.negate %x : " + b + "\n%r = stablehlo.add %a, %x : " + b, {{"batch", 7}});
  CHECK(board.kernels == Dim(2));
  CHECK(board.hbm_bytes == batch * 16 * 5);
  CHECK(board.flops == batch * 8);
  CHECK(board.peak_bytes == batch * 16 * 3);
}

TEST_CASE("scoreboard: the binding decides which moment is the worst", "[scoreboard]") {
  const std::string n = "tensor<?xf32, #stele.dims<n>>", c = "tensor<100xf32>";
  const std::string body = "%a = stablehlo.negate %x : " + n + "\n%r = stablehlo.abs %a : " + n + "\n%b = stablehlo.negate %y : " + c + "\n%s = stablehlo.abs %b : " + c;
  const Dim size = Dim::symbol("n");
  const auto peak = [&](int64_t value) { return score_of("%x: " + n + ", %y: " + c, "%r: " + n + ", %s: " + c, body, {{"n", value}}).peak_bytes; };
  CHECK(peak(10) == size * 4 + 400 + size * 4 + 800);  // at %s: r, b, s
  CHECK(peak(1000) == size * 4 + 400 + size * 8);      // at %r: a, r
}

}  // namespace stele::test
