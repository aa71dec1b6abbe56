#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/ops/op_def.h"
#include "core/ops/rules.h"
#include "tests/support/single_op.h"

using namespace stele;
using namespace stele::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan_value = std::numeric_limits<double>::quiet_NaN();

Tensor f32(Ints sizes, const std::vector<double>& values) { return Tensor::of_doubles(DType::f32, std::move(sizes), values); }
Tensor i64(Ints sizes, const Ints& values) { return Tensor::of_ints(DType::i64, std::move(sizes), values); }
Tensor truth(const Ints& values) { return Tensor::of_ints(DType::boolean, {static_cast<int64_t>(values.size())}, values); }

Ints result_ints(const SingleOp& op) { return ints(check_decomposition(op)[0]); }
std::vector<double> result(const SingleOp& op, double ulps = 4) { return doubles(check_decomposition(op, ulps)[0]); }

}  // namespace

TEST_CASE("onnx arithmetic broadcasts as NumPy does", "[onnx]") {
  for (const char* name : {"onnx.Add", "onnx.Sub", "onnx.Mul", "onnx.Div", "onnx.Max", "onnx.Min", "onnx.PRelu", "onnx.Mean", "onnx.Sum"}) {
    for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
      check_decomposition({name, {random_tensor(dtype, {2, 3, 4}, 1), random_tensor(dtype, {3, 1}, 2)}});
      check_decomposition({name, {random_tensor(dtype, {2, 3, 4}, 3), random_tensor(dtype, {}, 4)}});
    }
    check_decomposition({.name = name, .operands = {random_tensor(DType::f32, {2, 3}, 5), random_tensor(DType::f32, {1, 3}, 6)}, .free_dims = {"n"}});
  }
  check_decomposition({"onnx.Add", {random_tensor(DType::f32, {3, 1}, 1), random_tensor(DType::f32, {2, 1, 4}, 2)}});
  check_decomposition({"onnx.Mul", {random_tensor(DType::f32, {0, 3}, 1), random_tensor(DType::f32, {1, 3}, 2)}});
  CHECK_THROWS_WITH(single_op({"onnx.Add", {f32({2}, {1, 2}), f32({3}, {1, 2, 3})}}), Catch::Contains("Add_c2"));
  CHECK_THROWS_WITH(single_op({"onnx.Add", {f32({1}, {1}), i64({1}, {1})}}), Catch::Contains("Add_c1"));
  CHECK_THROWS_WITH(single_op({.name = "onnx.Add", .operands = {f32({2}, {1, 2}), f32({2}, {1, 2})}, .free_dims = {"n"}}), Catch::Contains("n and 2"));
}

TEST_CASE("onnx integers are exact and wrap", "[onnx]") {
  constexpr int64_t top = std::numeric_limits<int64_t>::max(), bottom = std::numeric_limits<int64_t>::min();
  CHECK(result_ints({"onnx.Add", {i64({2}, {top, 5}), i64({2}, {1, -7})}}) == Ints{bottom, -2});
  CHECK(result_ints({"onnx.Sub", {i64({1}, {bottom}), i64({1}, {1})}}) == Ints{top});
  CHECK(result_ints({"onnx.Mul", {i64({2}, {top, (int64_t{1} << 53) + 1}), i64({2}, {2, 1})}}) == Ints{-2, (int64_t{1} << 53) + 1});
  CHECK(result_ints({"onnx.Div", {i64({4}, {-7, 7, bottom, 9}), i64({4}, {2, -2, -1, 3})}}) == Ints{-3, -3, bottom, 3});
  CHECK(result_ints({"onnx.Mod", {i64({4}, {-7, 7, -6, 5}), i64({4}, {3, -3, 3, 3})}}) == Ints{2, -2, 0, 2});
  CHECK(result_ints({"onnx.Mod", {i64({4}, {-7, 7, -6, 5}), i64({4}, {3, -3, 3, 3})}, {{"fmod", 1}}}) == Ints{-1, 1, 0, 2});
  CHECK(result_ints({"onnx.Neg", {i64({2}, {bottom, 4})}}) == Ints{bottom, -4});
  CHECK(result_ints({"onnx.Abs", {i64({2}, {bottom, -4})}}) == Ints{bottom, 4});
  CHECK(result_ints({"onnx.Sign", {i64({3}, {-9, 0, 4})}}) == Ints{-1, 0, 1});
  CHECK(result_ints({"onnx.Relu", {i64({3}, {-9, 0, 4})}}) == Ints{0, 0, 4});
  const Tensor bytes = Tensor::of_ints(DType::u8, {2}, {200, 7}), more = Tensor::of_ints(DType::u8, {2}, {100, 250});
  CHECK(result_ints({"onnx.Add", {bytes, more}}) == Ints{44, 1});
  CHECK(result_ints({"onnx.Max", {bytes, more}}) == Ints{200, 250});
  const Tensor huge = Tensor::of_ints(DType::u64, {1}, {-1}), one = Tensor::of_ints(DType::u64, {1}, {1});
  CHECK(result_ints({"onnx.Min", {huge, one}}) == Ints{1});
  CHECK(result_ints({"onnx.Div", {huge, Tensor::of_ints(DType::u64, {1}, {2})}}) == Ints{top});
}

TEST_CASE("onnx.Pow keeps the type of its base", "[onnx]") {
  CHECK(result_ints({"onnx.Pow", {i64({5}, {2, -3, 1, -1, 5}), i64({5}, {62, 3, -4, -3, -1})}}) == Ints{int64_t{1} << 62, -27, 1, -1, 0});
  CHECK(result_ints({"onnx.Pow", {i64({1}, {3}), i64({1}, {41})}}) == Ints{static_cast<int64_t>(12157665459056928801ull * 3)});
  CHECK(result({"onnx.Pow", {f32({3}, {2, 9, -2}), f32({3}, {0.5, 0.5, 3})}})[2] == -8);
  CHECK(result({"onnx.Pow", {f32({2}, {-1, 2}), i64({2}, {(int64_t{1} << 24) + 1, 3})}}) == std::vector<double>{-1, 8});
  CHECK(result_ints({"onnx.Pow", {i64({2}, {9, 2}), f32({2}, {0.5, 0.5})}}) == Ints{3, 1});
  check_decomposition({"onnx.Pow", {random_tensor(DType::f32, {2, 3}, 1), f32({}, {2})}});
}

TEST_CASE("onnx comparisons and logic", "[onnx]") {
  const Tensor x = f32({4}, {1, nan_value, infinity, -0.0}), y = f32({4}, {2, nan_value, infinity, 0});
  CHECK(result_ints({"onnx.Equal", {x, y}}) == Ints{0, 0, 1, 1});
  CHECK(result_ints({"onnx.Less", {x, y}}) == Ints{1, 0, 0, 0});
  CHECK(result_ints({"onnx.LessOrEqual", {x, y}}) == Ints{1, 0, 1, 1});
  CHECK(result_ints({"onnx.Greater", {x, y}}) == Ints{0, 0, 0, 0});
  CHECK(result_ints({"onnx.GreaterOrEqual", {x, y}}) == Ints{0, 0, 1, 1});
  CHECK(result_ints({"onnx.Less", {Tensor::of_ints(DType::u64, {1}, {-1}), Tensor::of_ints(DType::u64, {1}, {1})}}) == Ints{0});
  const Tensor a = truth({0, 0, 1, 1}), b = truth({0, 1, 0, 1});
  CHECK(result_ints({"onnx.And", {a, b}}) == Ints{0, 0, 0, 1});
  CHECK(result_ints({"onnx.Or", {a, b}}) == Ints{0, 1, 1, 1});
  CHECK(result_ints({"onnx.Xor", {a, b}}) == Ints{0, 1, 1, 0});
  CHECK(result_ints({"onnx.Not", {a}}) == Ints{1, 1, 0, 0});
  CHECK(result_ints({"onnx.IsNaN", {x}}) == Ints{0, 1, 0, 0});
  const Tensor ends = f32({3}, {infinity, -infinity, 3});
  CHECK(result_ints({"onnx.IsInf", {ends}}) == Ints{1, 1, 0});
  CHECK(result_ints({"onnx.IsInf", {ends}, {{"detect_negative", 0}}}) == Ints{1, 0, 0});
  CHECK(result_ints({"onnx.IsInf", {ends}, {{"detect_positive", 0}}}) == Ints{0, 1, 0});
  CHECK_THROWS_WITH(single_op({"onnx.And", {x, y}}), Catch::Contains("And_c1"));
}

TEST_CASE("onnx.Where and onnx.Clip", "[onnx]") {
  const Tensor condition = Tensor::of_ints(DType::boolean, {2, 1}, {1, 0});
  CHECK(result_ints({"onnx.Where", {condition, i64({2}, {1, 2}), i64({}, {9})}}) == Ints{1, 2, 9, 9});
  CHECK(result({"onnx.Where", {condition, f32({2}, {1, nan_value}), f32({2}, {3, 4})}})[3] == 4);
  CHECK_THROWS_WITH(single_op({"onnx.Where", {f32({1}, {1}), f32({1}, {1}), f32({1}, {1})}}), Catch::Contains("Where_c1"));
  const Tensor x = f32({4}, {-3, 0.5, 9, infinity});
  CHECK(result({"onnx.Clip", {x, f32({}, {-1}), f32({}, {2})}}) == std::vector<double>{-1, 0.5, 2, 2});
  CHECK(result({"onnx.Clip", {x, Tensor(), f32({}, {2})}}) == std::vector<double>{-3, 0.5, 2, 2});
  CHECK(result({"onnx.Clip", {x, f32({}, {4}), f32({}, {2})}}) == std::vector<double>{2, 2, 2, 2});
  CHECK(result({"onnx.Clip", {x}, {{"min", 0.0}, {"max", 6.0}}}) == std::vector<double>{0, 0.5, 6, 6});
  CHECK(result_ints({"onnx.Clip", {i64({3}, {-5, 1, 5}), i64({}, {-2}), i64({}, {2})}}) == Ints{-2, 1, 2});
}

TEST_CASE("onnx.Mod and extremes of NaN", "[onnx]") {
  CHECK(result({"onnx.Mod", {f32({3}, {-4.5, 4.5, 8}), f32({3}, {2, -2, 8})}, {{"fmod", 1}}}) == std::vector<double>{-0.5, 0.5, 0});
  CHECK(std::isnan(result({"onnx.Max", {f32({1}, {nan_value}), f32({1}, {1})}})[0]));
  CHECK(std::isnan(result({"onnx.Min", {f32({1}, {1}), f32({1}, {nan_value})}})[0]));
  CHECK(result({"onnx.Max", {f32({1}, {1}), f32({1}, {3}), f32({1}, {2})}})[0] == 3);
  CHECK(result({"onnx.Mean", {f32({1}, {1}), f32({1}, {3}), f32({1}, {2})}})[0] == 2);
}
