#include <catch2/catch.hpp>

#include "core/ir/text.h"
#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

using Numbers = std::vector<double>;

// main of one op, given in text.
std::vector<Tensor> run_text(const std::string& arguments, const std::string& op, const std::string& results, const std::vector<Tensor>& inputs) {
  const auto module = parse("module {\n  func.func public @main(" + arguments + ") -> " + results + " {\n    %0 = " + op + " -> " + results +
                            "\n    return %0 : " + results + "\n  }\n}");
  verify(*module);
  return run(*module, inputs);
}

Tensor scatter_rows(const std::string& combine, const std::vector<int64_t>& rows) {
  return run_text("%x: tensor<3x2xf32>, %i: tensor<2x1xi32>, %u: tensor<2x2xf32>",
                  "\"stablehlo.scatter\"(%x, %i, %u) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" + combine +
                      "}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                      "index_vector_dim = 1>} : (tensor<3x2xf32>, tensor<2x1xi32>, tensor<2x2xf32>)",
                  "tensor<3x2xf32>", {f32({3, 2}, {1, 2, 3, 4, 5, 6}), i32({2, 1}, rows), f32({2, 2}, {10, 20, 30, 40})})[0];
}

const char* const add = "%c = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %c : tensor<f32>\n";
const char* const replace = "stablehlo.return %b : tensor<f32>\n";

}  // namespace

TEST_CASE("scatter adds, replaces, and leaves out what is outside", "[scatter]") {
  CHECK(values(scatter_rows(add, {2, 0})) == Numbers{31, 42, 3, 4, 15, 26});
  CHECK(values(scatter_rows(add, {1, 1})) == Numbers{1, 2, 43, 64, 5, 6});
  CHECK(values(scatter_rows(replace, {1, 1})) == Numbers{1, 2, 30, 40, 5, 6});
  CHECK(values(scatter_rows(add, {3, -1})) == Numbers{1, 2, 3, 4, 5, 6});
}

TEST_CASE("select_and_scatter sends to the largest of each window", "[scatter]") {
  const Tensor y = run_text("%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>",
                            "\"stablehlo.select_and_scatter\"(%x, %s, %i) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, "
                            "tensor<f32>) -> tensor<i1>\nstablehlo.return %c : tensor<i1>\n}, {\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" +
                                std::string(add) + "}) {window_dimensions = array<i64: 3>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>)",
                            "tensor<4xf32>", {f32({4}, {1, 5, 5, 2}), f32({2}, {10, 20}), f32({}, {100})})[0];
  CHECK(values(y) == Numbers{100, 130, 100, 100});  // of equals the first
}

TEST_CASE("sort is stable, along any axis, whatever the comparator says", "[scatter]") {
  const auto sorted = [](const std::string& direction, int axis) {
    return values(run_text("%x: tensor<2x3xf32>",
                           "\"stablehlo.sort\"(%x) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%c = stablehlo.compare " + direction +
                               ", %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\nstablehlo.return %c : tensor<i1>\n}) {dimension = " + std::to_string(axis) +
                               " : i64} : (tensor<2x3xf32>)",
                           "tensor<2x3xf32>", {f32({2, 3}, {3, 1, 2, 0, 5, 1})})[0]);
  };
  CHECK(sorted("LT", 1) == Numbers{1, 2, 3, 0, 1, 5});
  CHECK(sorted("GT", 0) == Numbers{3, 5, 2, 0, 1, 1});
  CHECK(sorted("NE", 1).size() == 6);  // no order at all: any permutation, and no harm
}
