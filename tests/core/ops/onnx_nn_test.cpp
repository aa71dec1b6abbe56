#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/eval/interpreter.h"
#include "core/ops/op_def.h"
#include "tests/support/single_op.h"

using namespace stele;
using namespace stele::test;
using Ints = std::vector<int64_t>;

namespace {

constexpr DType f32 = DType::f32;

Tensor random(const Ints& sizes, std::uint64_t seed, DType dtype = f32) { return random_tensor(dtype, sizes, seed); }

Tensor values(const Ints& sizes, const std::vector<double>& list, DType dtype = f32) { return Tensor::of_doubles(dtype, sizes, list); }

std::vector<double> list_of(const Tensor& tensor) {
  std::vector<double> list;
  for (int64_t i = 0; i < tensor.elements(); ++i) list.push_back(tensor.get(i));
  return list;
}

std::vector<double> own(const SingleOp& op, unsigned result = 0) { return list_of(check_decomposition(op)[result]); }

}  // namespace

TEST_CASE("onnx.MatMul is numpy.matmul", "[onnx]") {
  CHECK(own({"onnx.MatMul", {values({2, 2}, {1, 2, 3, 4}), values({2, 1}, {5, 6})}}) == std::vector<double>{17, 39});
  CHECK(own({"onnx.MatMul", {values({2}, {1, 2}), values({2}, {5, 6})}}) == std::vector<double>{17});
  for (const auto& [a, b] : std::vector<std::pair<Ints, Ints>>{{{3, 4}, {4, 5}}, {{4}, {4, 5}}, {{3, 4}, {4}}, {{2, 3, 4}, {4, 5}}, {{3, 4}, {2, 4, 5}},
                                                               {{2, 1, 3, 4}, {6, 4, 5}}, {{2, 3, 4}, {2, 4, 1}}, {{0, 4}, {4, 5}}, {{3, 0}, {0, 5}}, {{4}, {2, 4, 3}}}) {
    check_decomposition({"onnx.MatMul", {random(a, 1), random(b, 2)}});
  }
  check_decomposition({"onnx.MatMul", {random({3, 4}, 1, DType::f64), random({4, 2}, 2, DType::f64)}});
  check_decomposition({"onnx.MatMul", {random({3, 40}, 1, DType::f16), random({40, 2}, 2, DType::f16)}});
  check_decomposition({.name = "onnx.MatMul", .operands = {random({3, 4}, 1), random({4, 5}, 2)}, .free_dims = {"n"}});
  check_decomposition({.name = "onnx.MatMul", .operands = {random({7, 3, 4}, 1), random({4, 5}, 2)}, .free_dims = {"batch", "n"}});
}

TEST_CASE("onnx.MatMul of integers wraps", "[onnx]") {
  const Tensor x = Tensor::of_ints(DType::i32, {1, 2}, {int64_t{1} << 30, 3}), y = Tensor::of_ints(DType::i32, {2, 1}, {4, 5});
  CHECK(check_decomposition({"onnx.MatMul", {x, y}})[0].get_int(0) == 15);
}

TEST_CASE("onnx.MatMul names the constraint that is broken", "[onnx]") {
  CHECK_THROWS_WITH(single_op({"onnx.MatMul", {random({3, 4}, 1), random({5, 2}, 2)}}), Catch::Contains("MatMul_c2"));
  CHECK_THROWS_WITH(single_op({"onnx.MatMul", {random({}, 1), random({5, 2}, 2)}}), Catch::Contains("MatMul_c1"));
  CHECK_THROWS_WITH(single_op({"onnx.MatMul", {random({2, 4, 4}, 1), random({3, 4, 4}, 2)}}), Catch::Contains("MatMul_c2"));
}

TEST_CASE("onnx.Gemm", "[onnx]") {
  const Tensor a = values({2, 2}, {1, 2, 3, 4}), b = values({2, 2}, {5, 6, 7, 8}), c = values({2}, {10, 20});
  CHECK(own({"onnx.Gemm", {a, b, c}}) == std::vector<double>{29, 42, 53, 70});
  CHECK(own({"onnx.Gemm", {a, b, c}, {{"transA", 1}, {"transB", 1}, {"alpha", 0.5}, {"beta", 2.0}}}) == std::vector<double>{31.5, 55.5, 37, 63});
  for (int transposes = 0; transposes < 4; ++transposes) {
    const Attributes attributes = {{"transA", transposes & 1}, {"transB", transposes >> 1}, {"alpha", 0.75}, {"beta", -1.25}};
    const Ints x = transposes & 1 ? Ints{6, 3} : Ints{3, 6}, y = transposes >> 1 ? Ints{5, 6} : Ints{6, 5};
    for (const Ints& bias : std::vector<Ints>{{5}, {1, 5}, {3, 1}, {3, 5}, {1}, {}}) {
      check_decomposition({"onnx.Gemm", {random(x, 1), random(y, 2), random(bias, 3)}, attributes});
    }
    check_decomposition({"onnx.Gemm", {random(x, 1), random(y, 2)}, attributes});
    check_decomposition({"onnx.Gemm", {random(x, 1), random(y, 2), Tensor()}, attributes});
  }
  check_decomposition({.name = "onnx.Gemm", .operands = {random({4, 6}, 1), random({6, 5}, 2), random({5}, 3)}, .free_dims = {"batch"}});
  check_decomposition({"onnx.Gemm", {Tensor::of_ints(DType::i32, {1, 2}, {3, -4}), Tensor::of_ints(DType::i32, {2, 1}, {5, 6})}, {{"alpha", -2.0}}});
  CHECK_THROWS_WITH(single_op({"onnx.Gemm", {a, b, values({3}, {1, 2, 3})}}), Catch::Contains("Gemm_c3"));
  CHECK_THROWS_WITH(single_op({"onnx.Gemm", {a, random({3, 2}, 1)}}), Catch::Contains("Gemm_c2"));
}

TEST_CASE("onnx.Conv", "[onnx]") {
  const Tensor x = values({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), ones = values({1, 1, 2, 2}, {1, 1, 1, 1});
  CHECK(own({"onnx.Conv", {x, ones}}) == std::vector<double>{12, 16, 24, 28});
  CHECK(own({"onnx.Conv", {x, ones, values({1}, {0.5})}, {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 0, 0}}}}) ==
        std::vector<double>{1.5, 5.5, 11.5, 28.5});
  CHECK(own({"onnx.Conv", {x, ones}, {{"dilations", Ints{2, 2}}}}) == std::vector<double>{20});
}

TEST_CASE("onnx.Conv in every setting", "[onnx]") {
  struct Setting {
    Ints x, w;
    Attributes attributes;
  };
  const std::vector<Setting> settings = {
      {{2, 3, 9}, {4, 3, 3}, {{"pads", Ints{1, 2}}, {"strides", Ints{2}}}},
      {{2, 4, 7, 6}, {6, 2, 3, 2}, {{"group", 2}, {"pads", Ints{1, 0, 2, 1}}}},
      {{1, 6, 8, 8}, {6, 1, 3, 3}, {{"group", 6}, {"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}}},
      {{1, 6, 8, 8}, {12, 1, 3, 3}, {{"group", 6}, {"dilations", Ints{2, 1}}}},
      {{1, 2, 5, 6, 7}, {3, 2, 2, 3, 2}, {{"strides", Ints{1, 2, 1}}, {"pads", Ints{1, 0, 1, 0, 1, 0}}}},
      {{1, 2, 7, 8}, {3, 2, 3, 3}, {{"auto_pad", "SAME_UPPER"}, {"strides", Ints{2, 3}}}},
      {{1, 2, 7, 8}, {3, 2, 2, 4}, {{"auto_pad", "SAME_LOWER"}, {"strides", Ints{1, 2}}}},
      {{1, 2, 7, 8}, {3, 2, 2, 4}, {{"auto_pad", "VALID"}, {"dilations", Ints{3, 1}}}},
      {{1, 1, 2, 2}, {1, 1, 3, 3}, {{"pads", Ints{4, 4, 4, 4}}}},
      {{0, 2, 7, 8}, {3, 2, 2, 4}, {}},
      {{1, 2, 4, 4}, {3, 2, 1, 1}, {{"kernel_shape", Ints{1, 1}}}},
  };
  for (const Setting& s : settings) {
    check_decomposition({"onnx.Conv", {random(s.x, 1), random(s.w, 2)}, s.attributes});
    check_decomposition({"onnx.Conv", {random(s.x, 1), random(s.w, 2), random({s.w[0]}, 3)}, s.attributes});
  }
  const Attributes pads = {{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}};
  check_decomposition({.name = "onnx.Conv", .operands = {random({2, 3, 8, 9}, 1), random({4, 3, 3, 3}, 2), random({4}, 3)}, .attributes = pads, .free_dims = {"n"}});
  check_decomposition({.name = "onnx.Conv", .operands = {random({2, 3, 8, 9}, 1), random({4, 3, 3, 3}, 2), random({4}, 3)}, .attributes = pads, .free_dims = {"n", "", "h", "w"}});
  CHECK_THROWS_WITH(single_op({"onnx.Conv", {random({1, 3, 4, 4}, 1), random({2, 2, 3, 3}, 2)}}), Catch::Contains("Conv_c2"));
  CHECK_THROWS_WITH(single_op({"onnx.Conv", {random({1, 2, 4, 4}, 1), random({2, 2, 5, 5}, 2)}}), Catch::Contains("Conv_w3"));
  CHECK_THROWS_WITH(single_op({"onnx.Conv", {random({1, 2, 4, 4}, 1), random({2, 2, 3, 3}, 2)}, {{"pads", Ints{1, 1}}}}), Catch::Contains("Conv_w1"));
  CHECK_THROWS_WITH(single_op({"onnx.Conv", {random({1, 2, 4, 4}, 1), random({2, 2, 3, 3}, 2)}, {{"strides", Ints{0, 1}}}}), Catch::Contains("Conv_w2"));
  CHECK_THROWS_WITH(single_op({"onnx.Conv", {random({1, 2, 4, 4}, 1), random({2, 2, 3, 3}, 2), random({3}, 3)}}), Catch::Contains("Conv_c4"));
}

TEST_CASE("onnx.MaxPool", "[onnx]") {
  const Tensor x = values({1, 1, 3, 3}, {1, 2, 3, 4, -5, 6, 7, 8, 9});
  CHECK(own({"onnx.MaxPool", {x}, {{"kernel_shape", Ints{2, 2}}}}) == std::vector<double>{4, 6, 8, 9});
  CHECK(own({"onnx.MaxPool", {x}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}, {"ceil_mode", 1}}}) == std::vector<double>{4, 6, 8, 9});
  const Tensor negative = values({1, 1, 2}, {-3, -2});
  CHECK(own({"onnx.MaxPool", {negative}, {{"kernel_shape", Ints{2}}, {"pads", Ints{1, 1}}}}) == std::vector<double>{-3, -2, -2});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(own({"onnx.MaxPool", {values({1, 1, 3}, {1, nan, 2})}, {{"kernel_shape", Ints{3}}}})[0]));
  // The last window would begin in the padding: it is not there.
  CHECK(own({"onnx.MaxPool", {values({1, 1, 2}, {1, 2})}, {{"kernel_shape", Ints{1}}, {"strides", Ints{2}}, {"ceil_mode", 1}}}) == std::vector<double>{1});
  for (int64_t order : {0, 1}) {
    const Attributes window = {{"kernel_shape", Ints{3, 2}}, {"strides", Ints{2, 1}}, {"pads", Ints{1, 0, 2, 1}}, {"storage_order", order}};
    check_decomposition({"onnx.MaxPool", {random({2, 3, 8, 7}, 1)}, window, 2});
    check_decomposition({.name = "onnx.MaxPool", .operands = {random({2, 3, 8, 7}, 1)}, .attributes = window, .results = 2, .free_dims = {"n", "c", "h", "w"}});
    check_decomposition({"onnx.MaxPool", {values({1, 1, 4}, {nan, 1, -std::numeric_limits<double>::infinity(), 1})}, {{"kernel_shape", Ints{2}}, {"storage_order", order}}, 2});
  }
  std::vector<Tensor> both = run(*single_op({"onnx.MaxPool", {x}, {{"kernel_shape", Ints{2, 2}}}, 2}), {x});
  CHECK(list_of(both[1]) == std::vector<double>{3, 5, 7, 8});
  both = run(*single_op({"onnx.MaxPool", {x}, {{"kernel_shape", Ints{2, 2}}, {"storage_order", 1}}, 2}), {x});
  CHECK(list_of(both[1]) == std::vector<double>{1, 7, 5, 8});
}

TEST_CASE("pools in every setting", "[onnx]") {
  const std::vector<std::pair<Ints, Attributes>> settings = {
      {{2, 3, 9}, {{"kernel_shape", Ints{3}}, {"strides", Ints{2}}, {"pads", Ints{1, 2}}}},
      {{2, 3, 8, 7}, {{"kernel_shape", Ints{3, 2}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 0, 1, 1}}, {"ceil_mode", 1}}},
      {{1, 2, 8, 7}, {{"kernel_shape", Ints{3, 2}}, {"dilations", Ints{2, 3}}}},
      {{1, 2, 8, 7}, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"auto_pad", "SAME_UPPER"}}},
      {{1, 2, 8, 7}, {{"kernel_shape", Ints{2, 3}}, {"strides", Ints{2, 1}}, {"auto_pad", "SAME_LOWER"}}},
      {{1, 2, 5, 5, 5}, {{"kernel_shape", Ints{2, 2, 2}}, {"strides", Ints{2, 2, 2}}, {"ceil_mode", 1}}},
      {{0, 2, 8}, {{"kernel_shape", Ints{2}}}},
  };
  for (const auto& [sizes, attributes] : settings) {
    check_decomposition({"onnx.MaxPool", {random(sizes, 1)}, attributes});
    check_decomposition({"onnx.AveragePool", {random(sizes, 1)}, attributes});
    Attributes counting = attributes;
    counting["count_include_pad"] = 1;
    check_decomposition({"onnx.AveragePool", {random(sizes, 1)}, counting});
  }
  const Tensor bytes = Tensor::of_ints(DType::i8, {1, 1, 4}, {-100, -3, 5, -128});
  check_decomposition({"onnx.MaxPool", {bytes}, {{"kernel_shape", Ints{2}}, {"pads", Ints{1, 1}}}});
  check_decomposition({"onnx.AveragePool", {random({1, 2, 6, 6}, 1, DType::f16)}, {{"kernel_shape", Ints{3, 3}}}});
  const Attributes window = {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}};
  for (const char* name : {"onnx.MaxPool", "onnx.AveragePool"}) {
    check_decomposition({.name = name, .operands = {random({2, 3, 8, 9}, 1)}, .attributes = window, .free_dims = {"n", "c", "h", "w"}});
  }
  CHECK_THROWS_WITH(single_op({"onnx.MaxPool", {random({2, 3}, 1)}, {{"kernel_shape", Ints{2}}}}), Catch::Contains("MaxPool_c1"));
  CHECK_THROWS_WITH(single_op({"onnx.MaxPool", {random({2, 3, 2}, 1)}, {{"kernel_shape", Ints{3}}}}), Catch::Contains("MaxPool_w3"));
}

TEST_CASE("onnx.AveragePool counts", "[onnx]") {
  const Tensor x = values({1, 1, 3}, {1, 2, 6});
  const Attributes pads = {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"pads", Ints{1, 0}}};
  CHECK(own({"onnx.AveragePool", {x}, pads}) == std::vector<double>{1, 4});
  Attributes counting = pads;
  counting["count_include_pad"] = 1;
  CHECK(own({"onnx.AveragePool", {x}, counting}) == std::vector<double>{0.5, 4});
  // What ceil_mode adds is never counted.
  const Attributes ceil = {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"ceil_mode", 1}, {"count_include_pad", 1}};
  CHECK(own({"onnx.AveragePool", {x}, ceil}) == std::vector<double>{1.5, 6});
}

TEST_CASE("global pools", "[onnx]") {
  for (const Ints& sizes : std::vector<Ints>{{2, 3, 4}, {2, 3, 4, 5}, {1, 2, 3, 2, 2}}) {
    check_decomposition({"onnx.GlobalAveragePool", {random(sizes, 1)}});
    check_decomposition({"onnx.GlobalMaxPool", {random(sizes, 1)}});
    check_decomposition({.name = "onnx.GlobalAveragePool", .operands = {random(sizes, 1)}, .free_dims = {"n", "c", "h"}});
  }
  CHECK(own({"onnx.GlobalAveragePool", {values({1, 2, 2}, {1, 2, 5, 7})}}) == std::vector<double>{1.5, 6});
}

TEST_CASE("onnx.Softmax and LogSoftmax", "[onnx]") {
  CHECK(own({"onnx.Softmax", {values({2}, {1000, 1000})}}) == std::vector<double>{0.5, 0.5});
  for (const char* name : {"onnx.Softmax", "onnx.LogSoftmax"}) {
    for (int64_t axis : {-3, -2, -1, 0, 1, 2}) {
      check_decomposition({name, {random_tensor(f32, {3, 4, 5}, 1, 30)}, {{"axis", axis}}});
      check_decomposition({.name = name, .operands = {random({3, 4, 5}, 2)}, .attributes = {{"axis", axis}}, .opset = 11});
    }
    check_decomposition({name, {random({3, 40}, 3, DType::f16)}});
    check_decomposition({name, {random({0, 4}, 3)}});
    check_decomposition({.name = name, .operands = {random({3, 7}, 4)}, .free_dims = {"n", "m"}});
    CHECK_THROWS_WITH(single_op({name, {random({3, 4}, 1)}, {{"axis", 2}}}), Catch::Contains("_c1"));
  }
  // Before opset 13 all axes from `axis` on sum to one.
  const std::vector<double> flat = own({.name = "onnx.Softmax", .operands = {values({1, 2, 2}, {0, 0, 0, 0})}, .opset = 11});
  CHECK(flat == std::vector<double>{0.25, 0.25, 0.25, 0.25});
}

TEST_CASE("onnx.Gelu keeps the digits of its tail", "[onnx]") {
  for (const char* how : {"none", "tanh"}) {
    check_decomposition({"onnx.Gelu", {random_tensor(f32, {1000}, 1, 3)}, {{"approximate", how}}}, 4, 1e-8);
    check_decomposition({"onnx.Gelu", {random_tensor(DType::f16, {1000}, 1, 3)}, {{"approximate", how}}}, 4, 1e-8);
  }
  const Tensor tail = values({3}, {-5, -9, -12.5});
  const std::vector<Tensor> results = run(*decomposed(*single_op({"onnx.Gelu", {tail}})), {tail});
  for (int64_t i = 0; i < 3; ++i) {
    const double x = tail.get(i), exact = 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    CHECK(results[0].get(i) == Approx(exact).epsilon(1e-4));
  }
  CHECK_THROWS_WITH(single_op({"onnx.Gelu", {tail}, {{"approximate", "sigmoid"}}}), Catch::Contains("Gelu_c1"));
}

TEST_CASE("onnx.LayerNormalization", "[onnx]") {
  const std::vector<double> row = own({"onnx.LayerNormalization", {values({1, 2}, {1, 3}), values({2}, {2, 2}), values({2}, {10, 10})}, {{"epsilon", 0.0}}});
  CHECK(row == std::vector<double>{8, 12});
  for (int64_t axis : {-1, -2, 1, 0}) {
    const Ints rest = axis == -1 ? Ints{5} : axis == 0 ? Ints{3, 4, 5} : Ints{4, 5};
    for (unsigned results : {1u, 2u, 3u}) {
      check_decomposition({"onnx.LayerNormalization", {random({3, 4, 5}, 1), random(rest, 2), random(rest, 3)}, {{"axis", axis}}, results}, 8);
    }
    check_decomposition({"onnx.LayerNormalization", {random({3, 4, 5}, 1), random(rest, 2)}, {{"axis", axis}}}, 8);
  }
  // Large mean, small deviation: what the mean of squares less the square of the mean would lose.
  Tensor far = random({4, 64}, 1);
  for (int64_t i = 0; i < far.elements(); ++i) far.set(i, 1e4 + far.get(i));
  check_decomposition({"onnx.LayerNormalization", {far, random({64}, 2), random({64}, 3)}}, 4000);
  check_decomposition({"onnx.LayerNormalization", {random({4, 64}, 1, DType::f16), random({64}, 2, DType::f16), random({64}, 3, DType::f16)}, {}, 3}, 8);
  check_decomposition({.name = "onnx.LayerNormalization", .operands = {random({3, 4, 5}, 1), random({5}, 2), random({5}, 3)}, .results = 3, .free_dims = {"n", "m"}}, 8);
  check_decomposition({.name = "onnx.LayerNormalization", .operands = {random({3, 4}, 1), random({1}, 2)}, .free_dims = {"n", "m"}}, 8);
  CHECK_THROWS_WITH(single_op({"onnx.LayerNormalization", {random({3, 4}, 1), random({3}, 2)}}), Catch::Contains("LayerNormalization_c2"));
}

TEST_CASE("onnx.RMSNormalization", "[onnx]") {
  CHECK(own({"onnx.RMSNormalization", {values({1, 2}, {3, 3}), values({2}, {2, 4})}, {{"epsilon", 0.0}}}) == std::vector<double>{2, 4});
  check_decomposition({"onnx.RMSNormalization", {random({3, 4, 5}, 1), random({5}, 2)}});
  check_decomposition({"onnx.RMSNormalization", {random({3, 4, 5}, 1), random({4, 5}, 2)}, {{"axis", 1}}});
  check_decomposition({"onnx.RMSNormalization", {random({3, 64}, 1, DType::bf16), random({64}, 2, DType::bf16)}});
  check_decomposition({.name = "onnx.RMSNormalization", .operands = {random({3, 4, 5}, 1), random({5}, 2)}, .free_dims = {"n", "m"}});
}

TEST_CASE("onnx normalisations of channels", "[onnx]") {
  const Tensor x = random({2, 6, 3, 4}, 1), six = random({6}, 2), other = random({6}, 3);
  check_decomposition({"onnx.InstanceNormalization", {x, six, other}}, 8);
  check_decomposition({.name = "onnx.InstanceNormalization", .operands = {x, six, other}, .free_dims = {"n", "", "h", "w"}}, 8);
  check_decomposition({.name = "onnx.GroupNormalization", .operands = {x, six, other}, .attributes = {{"num_groups", 3}}, .opset = 21}, 8);
  check_decomposition({.name = "onnx.GroupNormalization", .operands = {x, random({3}, 4), random({3}, 5)}, .attributes = {{"num_groups", 3}}, .opset = 18}, 8);
  check_decomposition({.name = "onnx.GroupNormalization", .operands = {x, six, other}, .attributes = {{"num_groups", 2}}, .opset = 21, .free_dims = {"n", "", "h"}}, 8);
  Tensor variance = random({6}, 5);
  for (int64_t i = 0; i < 6; ++i) variance.set(i, std::fabs(variance.get(i)) + 0.1);
  check_decomposition({"onnx.BatchNormalization", {x, six, other, random({6}, 4), variance}}, 8);
  check_decomposition({"onnx.BatchNormalization", {random({4, 6}, 1), six, other, random({6}, 4), variance}, {{"epsilon", 0x1p-10}}}, 8);
  check_decomposition({.name = "onnx.BatchNormalization", .operands = {x, six, other, random({6}, 4), variance}, .free_dims = {"n"}}, 8);
  CHECK_THROWS_WITH(single_op({"onnx.GroupNormalization", {x, six, other}, {{"num_groups", 4}}}), Catch::Contains("GroupNormalization_c2"));
  CHECK_THROWS_WITH(single_op({"onnx.BatchNormalization", {x, random({5}, 1), other, six, variance}}), Catch::Contains("BatchNormalization_c2"));
  CHECK_THROWS_WITH(run(*single_op({"onnx.BatchNormalization", {x, six, other, six, variance}, {{"training_mode", 1}}}), {x, six, other, six, variance}),
                    Catch::Contains("training mode is not supported"));
}

TEST_CASE("onnx.Constant, ConstantOfShape and None", "[onnx]") {
  Module module;
  Builder b(module);
  Function& main = b.add_function("main");
  b.at_end(main.body());
  Value* shape = infer_value(b, "onnx.Constant", {}, {{"value", Tensor::of_ints(DType::i64, {2}, {2, 3})}});
  Value* filled = infer_value(b, "onnx.ConstantOfShape", {shape}, {{"value", Tensor::of_ints(DType::i32, {1}, {7})}});
  CHECK(filled->type() == Type::tensor(DType::i32, {2, 3}));
  CHECK(infer_value(b, "onnx.None", {})->type().is_none());
  b.create("func.return", {filled}, {});
  b.set_results(main, {filled->type()});
  verify(module);
  const std::vector<double> sevens(6, 7);
  CHECK(list_of(run(module, {})[0]) == sevens);
  CHECK(list_of(run(*decomposed(module), {})[0]) == sevens);
}

TEST_CASE("onnx ops that pass on or convert", "[onnx]") {
  check_decomposition({"onnx.Identity", {random({2, 3}, 1)}});
  check_decomposition({"onnx.Dropout", {random({2, 3}, 1)}, {}, 2});
  CHECK(own({"onnx.Cast", {values({4}, {1.9, -1.9, 0, 300})}, {{"to", 6}}}) == std::vector<double>{1, -1, 0, 300});
  CHECK(own({"onnx.Cast", {values({3}, {0.5, 0, -2})}, {{"to", 9}}}) == std::vector<double>{1, 0, 1});
  for (int64_t to : {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 16}) {
    check_decomposition({"onnx.Cast", {values({3}, {1, 7.25, 100})}, {{"to", to}}});
    check_decomposition({"onnx.Cast", {Tensor::of_ints(DType::i64, {3}, {0, 1, 100})}, {{"to", to}}});
  }
  const Tensor x = values({2}, {1, 2});
  CHECK_THROWS_WITH(run(*single_op({"onnx.Cast", {x}, {{"to", 8}}}), {x}), Catch::Contains("element type 8 is not supported"));
}
