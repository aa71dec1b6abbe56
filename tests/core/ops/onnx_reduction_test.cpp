#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/ops/rules.h"
#include "tests/support/single_op.h"

using namespace stele;
using namespace stele::test;

namespace {

const char* const reductions[] = {"onnx.ReduceSum", "onnx.ReduceMean", "onnx.ReduceProd", "onnx.ReduceMax", "onnx.ReduceMin", "onnx.ReduceL1",
                                  "onnx.ReduceL2", "onnx.ReduceSumSquare", "onnx.ReduceLogSumExp"};

Tensor axes(const Ints& values) { return Tensor::of_ints(DType::i64, {static_cast<int64_t>(values.size())}, values); }

}  // namespace

TEST_CASE("onnx reductions are what they decompose to", "[onnx]") {
  for (const char* name : reductions) {
    for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
      const Tensor x = random_tensor(dtype, {3, 4, 5}, 21);
      check_decomposition({name, {x}});
      check_decomposition({name, {x}, {{"axes", Ints{1}}}});
      check_decomposition({name, {x}, {{"axes", Ints{-1, 0}}, {"keepdims", 0}}});
      check_decomposition({.name = name, .operands = {x, axes({2})}, .constants = {1}});
      check_decomposition({.name = name, .operands = {x, axes({})}, .attributes = {{"noop_with_empty_axes", 1}}, .constants = {1}});
    }
    check_decomposition({.name = name, .operands = {random_tensor(DType::f32, {3, 4}, 22)}, .attributes = {{"axes", Ints{0}}}, .free_dims = {"n"}});
    CHECK_THROWS_WITH(single_op({name, {Tensor(DType::f32, {2, 2})}, {{"axes", Ints{2}}}}), Catch::Contains("_c1"));
    CHECK_THROWS_WITH(single_op({name, {Tensor(DType::f32, {2, 2})}, {{"axes", Ints{0, -2}}}}), Catch::Contains("_c1"));
  }
  check_decomposition({"onnx.ReduceLogSum", {Tensor::of_doubles(DType::f32, {3}, {1, 2, 3})}});
}

TEST_CASE("onnx reductions of integers wrap", "[onnx]") {
  const Tensor x = Tensor::of_ints(DType::i8, {4}, {100, 100, -3, 7});
  CHECK(check_decomposition({"onnx.ReduceSum", {x}})[0].get_int(0) == static_cast<int8_t>(204));
  CHECK(check_decomposition({"onnx.ReduceMax", {x}})[0].get_int(0) == 100);
  CHECK(check_decomposition({"onnx.ReduceMin", {x}})[0].get_int(0) == -3);
  const Tensor u = Tensor::of_ints(DType::u64, {2}, {-1, 4});
  CHECK(check_decomposition({"onnx.ReduceMax", {u}})[0].get_int(0) == -1);
  CHECK(check_decomposition({"onnx.ReduceMin", {u}})[0].get_int(0) == 4);
  const Tensor b = Tensor::of_ints(DType::boolean, {2}, {1, 0});
  CHECK(check_decomposition({"onnx.ReduceMax", {b}})[0].get_int(0) == 1);
  CHECK(check_decomposition({"onnx.ReduceMin", {b}})[0].get_int(0) == 0);
  CHECK_THROWS_WITH(single_op({"onnx.ReduceL2", {x}}), Catch::Contains("ReduceL2_c2"));
}

TEST_CASE("onnx.ReduceLogSumExp neither overflows nor loses an infinity", "[onnx]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto value = [](std::vector<double> x) {
    const int64_t count = static_cast<int64_t>(x.size());
    return check_decomposition({"onnx.ReduceLogSumExp", {Tensor::of_doubles(DType::f32, {count}, x)}, {{"keepdims", 0}}})[0].get(0);
  };
  CHECK(value({1000, 1000}) == Approx(1000 + std::log(2.0)));
  CHECK(value({-infinity, -infinity}) == -infinity);
  CHECK(value({infinity, 1}) == infinity);
}

TEST_CASE("a mean in f16 whose sum is past the largest f16", "[onnx]") {
  Tensor x(DType::f16, {4, 100});
  for (int64_t i = 0; i < x.elements(); ++i) x.set(i, 60000);
  CHECK(check_decomposition({"onnx.ReduceMean", {x}, {{"axes", Ints{1}}}})[0].get(0) == 60000);
}

TEST_CASE("onnx.ArgMax and onnx.ArgMin", "[onnx]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = Tensor::of_doubles(DType::f32, {2, 4}, {1, 7, 7, 2, 3, nan, 9, nan});
  auto place = [&](const char* name, Attributes attributes) { return ints(check_decomposition({name, {x}, std::move(attributes)})[0]); };
  CHECK(place("onnx.ArgMax", {{"axis", 1}}) == Ints{1, 1});
  CHECK(place("onnx.ArgMax", {{"axis", 1}, {"select_last_index", 1}}) == Ints{2, 3});
  CHECK(place("onnx.ArgMin", {{"axis", -1}, {"keepdims", 0}}) == Ints{0, 1});
  CHECK(place("onnx.ArgMax", {}) == Ints{1, 1, 1, 1});
  const Tensor same = Tensor::of_ints(DType::i32, {3}, {5, 5, 5});
  CHECK(check_decomposition({"onnx.ArgMin", {same}})[0].get_int(0) == 0);
  CHECK(check_decomposition({"onnx.ArgMin", {same}, {{"select_last_index", 1}}})[0].get_int(0) == 2);
}

TEST_CASE("onnx.CumSum", "[onnx]") {
  const Tensor x = Tensor::of_doubles(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  auto sums = [&](int64_t axis, Attributes attributes) {
    const Tensor at = Tensor::of_ints(DType::i64, {}, {axis});
    check_decomposition({.name = "onnx.CumSum", .operands = {x, at}, .attributes = attributes, .free_dims = {"n", "m"}, .constants = {1}});
    return doubles(check_decomposition({.name = "onnx.CumSum", .operands = {x, at}, .attributes = std::move(attributes), .constants = {1}})[0]);
  };
  using Values = std::vector<double>;
  CHECK(sums(1, {}) == Values{1, 3, 6, 4, 9, 15});
  CHECK(sums(-2, {}) == Values{1, 2, 3, 5, 7, 9});
  CHECK(sums(1, {{"exclusive", 1}}) == Values{0, 1, 3, 0, 4, 9});
  CHECK(sums(1, {{"reverse", 1}}) == Values{6, 5, 3, 15, 11, 6});
  CHECK(sums(1, {{"reverse", 1}, {"exclusive", 1}}) == Values{5, 3, 0, 11, 6, 0});
}
