#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/ir/text.h"
#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

using Numbers = std::vector<double>;
const Tensor matrix = f32({2, 3}, {1, 5, 3, 4, 2, 6});

Tensor reduced(const Tensor& x, std::string_view kind, Ints dims, bool keep = false) {
  return evaluate_one({x}, [&](Builder& b, auto& in) { return build::reduce(b, in[0], kind, dims, keep); });
}

}  // namespace

TEST_CASE("reduce by each kind", "[reduction]") {
  CHECK(values(reduced(matrix, "add", {1})) == Numbers{9, 12});
  CHECK(values(reduced(matrix, "add", {0})) == Numbers{5, 7, 9});
  CHECK(values(reduced(matrix, "maximum", {0, 1})) == Numbers{6});
  CHECK(values(reduced(matrix, "minimum", {1})) == Numbers{1, 2});
  CHECK(values(reduced(matrix, "multiply", {1})) == Numbers{15, 48});
  CHECK(reduced(matrix, "add", {1}, true).sizes() == std::vector<int64_t>{2, 1});
  const Tensor flags = Tensor::of_ints(DType::boolean, {2, 2}, {1, 0, 1, 1});
  CHECK(values(reduced(flags, "and", {1})) == Numbers{0, 1});
  CHECK(values(reduced(flags, "or", {0})) == Numbers{1, 1});
}

TEST_CASE("a reduction of nothing is its neutral element", "[reduction]") {
  const Tensor empty(DType::f32, {2, 0});
  CHECK(values(reduced(empty, "add", {1})) == Numbers{0, 0});
  CHECK(values(reduced(empty, "maximum", {1})) == Numbers{-INFINITY, -INFINITY});
  CHECK(reduced(Tensor(DType::i8, {0}), "maximum", {0}).get_int(0) == -128);
  CHECK(reduced(Tensor(DType::i8, {0}), "minimum", {0}).get_int(0) == 127);
  CHECK(reduced(Tensor(DType::u16, {0}), "minimum", {0}).get_int(0) == 65535);
  CHECK(reduced(Tensor(DType::i64, {0}), "maximum", {0}).get_int(0) == std::numeric_limits<int64_t>::min());
  CHECK(values(reduced(empty, "add", {0})).empty());
}

TEST_CASE("reductions accumulate in double and round once; NaN stays", "[reduction]") {
  CHECK(reduced(f32({3}, {1e8, 1, -1e8}), "add", {0}).get(0) == 1);
  CHECK(std::isnan(reduced(f32({3}, {1, NAN, 3}), "maximum", {0}).get(0)));
}

TEST_CASE("reduce of several operands: the index of the maximum", "[reduction]") {
  const auto module = parse(R"(module {
  func.func public @main(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
     reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
      %1 = stablehlo.compare GE, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.select %1, %a, %c : tensor<i1>, tensor<f32>
      %3 = stablehlo.select %1, %b, %d : tensor<i1>, tensor<i32>
      stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
  }
})");
  verify(*module);
  const auto results = run(*module, {matrix, i32({2, 3}, {0, 1, 2, 0, 1, 2})});
  CHECK(values(results[0]) == Numbers{5, 6});
  CHECK(values(results[1]) == Numbers{1, 2});
}

TEST_CASE("reduce_window", "[reduction]") {
  const auto pool = [](const Tensor& x, std::string_view kind, build::Window window) {
    return values(evaluate_one({x}, [&](Builder& b, auto& in) { return build::reduce_window(b, in[0], kind, window); }));
  };
  const Tensor x = f32({4}, {1, 2, 3, 4});
  CHECK(pool(x, "add", {.dimensions = {2}}) == Numbers{3, 5, 7});
  CHECK(pool(x, "maximum", {.dimensions = {2}, .strides = {2}}) == Numbers{2, 4});
  CHECK(pool(x, "add", {.dimensions = {3}, .padding = {1, 1}}) == Numbers{3, 6, 9, 7});
  CHECK(pool(x, "add", {.dimensions = {2}, .window_dilations = {2}}) == Numbers{4, 6});
  CHECK(pool(x, "add", {.dimensions = {2}, .base_dilations = {2}}) == Numbers{1, 2, 2, 3, 3, 4});
  CHECK(pool(x, "add", {.dimensions = {5}}).empty());
  CHECK(pool(matrix, "maximum", {.dimensions = {2, 2}}) == Numbers{5, 6});
}

TEST_CASE("reduction constraints", "[reduction]") {
  CHECK(error_of([] { reduced(matrix, "add", {2}); }).find("reduce_c3") != std::string::npos);
  CHECK(error_of([] { reduced(matrix, "add", {0, 0}); }).find("reduce_c3") != std::string::npos);
  const auto raw = [](std::vector<Type> types, std::string_view name, Attributes attributes, unsigned arguments, Type result) {
    return error_of([&] {
      verify(*module_of(types, [&](Builder& b, const std::vector<Value*>& x) {
        Operation* op = b.create(name, x, {result}, attributes, 1);
        Builder inner(b.module());
        inner.at_end(op->region());
        std::vector<Value*> scalars;
        for (unsigned i = 0; i < arguments; ++i) scalars.push_back(inner.add_argument(op->region(), Type::tensor(DType::f32, {})));
        inner.create("stablehlo.return", {scalars[0]}, {});
        return op->results();
      }));
    });
  };
  const Type m = Type::tensor(DType::f32, {2, 3}), scalar = Type::tensor(DType::f32, {}), row = Type::tensor(DType::f32, {2});
  const Attributes along = {{"dimensions", Ints{1}}};
  CHECK(raw({m, scalar}, "stablehlo.reduce", along, 2, row) == "no error");
  CHECK(raw({m}, "stablehlo.reduce", along, 2, row).find("reduce_c1") != std::string::npos);
  CHECK(raw({m, row}, "stablehlo.reduce", along, 2, row).find("reduce_c2") != std::string::npos);
  CHECK(raw({m, scalar}, "stablehlo.reduce", along, 1, row).find("reduce_c4") != std::string::npos);
  CHECK(raw({m, scalar}, "stablehlo.reduce", along, 2, m).find("reduce_c5") != std::string::npos);
  CHECK(raw({m, scalar}, "stablehlo.reduce_window", {{"window_dimensions", Ints{1}}}, 2, m).find("reduce_window_c3") != std::string::npos);
  CHECK(raw({m, scalar}, "stablehlo.reduce_window", {{"window_dimensions", Ints{1, 0}}}, 2, m).find("reduce_window_c3") != std::string::npos);
  CHECK(raw({m, scalar}, "stablehlo.reduce_window", {{"window_dimensions", Ints{1, 2}}}, 2, m).find("reduce_window_c5") != std::string::npos);
}
