#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/ops/build.h"
#include "tests/passes/lowering.h"
#include "tests/support/op_samples.h"
#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

Type floats(Shape shape) { return Type::tensor(DType::f32, std::move(shape)); }

// silu and gelu-like arithmetic of one value: several uses, exp and erf.
Value* activated(Builder& b, Value* x) { return build::multiply(b, x, build::logistic(b, build::add(b, build::erf(b, x), x))); }

Value* softmax(Builder& b, Value* x) {
  const int64_t last = x->rank() - 1;
  Value* shifted = build::subtract(b, x, build::broadcast_to(b, build::reduce(b, x, "maximum", {last}, true), x->shape()));
  Value* e = build::exponential(b, shifted);
  return build::divide(b, e, build::broadcast_to(b, build::reduce(b, e, "add", {last}, true), x->shape()));
}

}  // namespace

TEST_CASE("lower-to-loops: elementwise ops give the tensor level's bits", "[lower-to-loops]") {
  for (int n : {0, 1, 7, 8, 9, 17, 40}) {
    INFO("size " << n);
    const std::string text = fmt::format(R"(func.func @main(%x: tensor<{0}xf32>, %y: tensor<{0}xf32>) -> tensor<{0}xf32> {{
      %0 = stablehlo.add %x, %y : tensor<{0}xf32>
      %1 = stablehlo.multiply %0, %y : tensor<{0}xf32>
      %2 = stablehlo.maximum %1, %x : tensor<{0}xf32>
      return %2 : tensor<{0}xf32>
    }})", n);
    check_lowering(text, {.exact_loops = true, .traffic = true, .tolerance = 0});
  }
}

TEST_CASE("lower-to-loops: every op that has a sample", "[lower-to-loops]") {
  for (const auto& [name, sample] : op_samples()) {
    if (!sample.body || find_op(name)->level != Level::tensor) continue;
    INFO(name);
    auto module = module_of(sample.types, sample.body);
    std::vector<Tensor> inputs = sample_inputs(*module, {{"n", 5}});
    check_lowering(std::move(module), {.tolerance = 1e-12, .all_lowered = false, .inputs = std::move(inputs)});
  }
}

TEST_CASE("lower-to-loops: functions of one value, fused", "[lower-to-loops]") {
  for (int64_t n : {1, 7, 33}) {
    check_fused_lowering(module_of({floats({3, n})}, [](Builder& b, const auto& x) { return std::vector<Value*>{activated(b, x[0])}; }),
                         {.exact_loops = true, .traffic = true});
  }
}

TEST_CASE("lower-to-loops: rows", "[lower-to-loops]") {
  for (int64_t n : {1, 8, 21}) {
    check_fused_lowering(module_of({floats({2, 3, n})}, [](Builder& b, const auto& x) { return std::vector<Value*>{softmax(b, x[0])}; }),
                         {.traffic = true});
  }
  // Layer normalisation of a sum, which is a result as well.
  check_fused_lowering(module_of({floats({4, 24}), floats({4, 24}), floats({24})}, [](Builder& b, const auto& x) {
    Value* sum = build::add(b, x[0], x[1]);
    Value* mean = build::multiply(b, build::reduce(b, sum, "add", {1}, true), build::splat(b, floats({4, 1}), 1.0 / 24));
    Value* centred = build::subtract(b, sum, build::broadcast_to(b, mean, sum->shape()));
    Value* variance = build::reduce(b, build::multiply(b, centred, centred), "add", {1}, true);
    Value* scaled = build::multiply(b, centred, build::broadcast_to(b, build::rsqrt(b, variance), sum->shape()));
    return std::vector<Value*>{build::multiply(b, scaled, build::broadcast_to(b, x[2], sum->shape())), sum};
  }), {.traffic = true});
}

TEST_CASE("lower-to-loops: one binary for several sizes", "[lower-to-loops]") {
  const Dim batch = Dim::symbol("batch");
  for (int64_t n : {1, 7, 32}) {
    check_fused_lowering(module_of({floats({batch, 12}), floats({12, 20}), floats({20})}, [](Builder& b, const auto& x) {
      Value* y = build::matmul(b, x[0], x[1]);
      return std::vector<Value*>{softmax(b, activated(b, build::add(b, y, build::broadcast_to(b, x[2], y->shape()))))};
    }), {.binding = {{"batch", n}}});
  }
}

TEST_CASE("lower-to-loops: contractions", "[lower-to-loops]") {
  const auto dot = [](Shape x, Shape y, build::DotDims dims) {
    check_lowering(module_of({floats(std::move(x)), floats(std::move(y))}, [dims](Builder& b, const auto& v) { return std::vector<Value*>{build::dot_general(b, v[0], v[1], dims)}; }));
  };
  dot({5, 7}, {7, 19}, {.lhs_contracting = {1}, .rhs_contracting = {0}});
  dot({9, 16}, {35, 16}, {.lhs_contracting = {1}, .rhs_contracting = {1}});
  dot({16, 9}, {16, 35}, {.lhs_contracting = {0}, .rhs_contracting = {0}});
  dot({2, 3, 4, 6}, {2, 3, 6, 33}, {{0, 1}, {0, 1}, {3}, {2}});
  dot({8}, {8}, {.lhs_contracting = {0}, .rhs_contracting = {0}});
  dot({3, 4}, {5, 6}, {});
  dot({4, 2, 3}, {3, 2, 5}, {.lhs_contracting = {1, 2}, .rhs_contracting = {1, 0}});
  dot({0, 4}, {4, 3}, {.lhs_contracting = {1}, .rhs_contracting = {0}});
}

TEST_CASE("lower-to-loops: convolutions", "[lower-to-loops]") {
  const auto convolve = [](Shape x, Shape w, build::Convolution how) {
    check_fused_lowering(module_of({floats(std::move(x)), floats(std::move(w))}, [how](Builder& b, const auto& v) {
      Value* y = build::convolution(b, v[0], v[1], how);
      return std::vector<Value*>{build::maximum(b, y, build::splat_like(b, y, 0))};
    }));
  };
  convolve({2, 3, 9, 11}, {8, 3, 3, 3}, {.padding = {1, 1, 1, 1}});
  convolve({1, 3, 9, 11}, {6, 3, 3, 3}, {.window_strides = {2, 2}, .padding = {0, 1, 1, 0}});
  convolve({1, 5, 7, 7}, {7, 5, 1, 1}, {});
  convolve({1, 8, 6, 6}, {8, 1, 3, 3}, {.padding = {1, 1, 1, 1}, .feature_group_count = 8});
  convolve({1, 8, 6, 6}, {4, 4, 3, 3}, {.rhs_dilation = {2, 1}, .feature_group_count = 2});
  convolve({1, 2, 4, 4}, {3, 2, 3, 3}, {.padding = {1, 1, 2, 0}, .lhs_dilation = {2, 2}});
  convolve({1, 2, 10}, {3, 2, 4}, {.padding = {3, 3}});
}

TEST_CASE("lower-to-loops: windows, movement, joins", "[lower-to-loops]") {
  const auto check = [](std::vector<Type> types, Body body) {
    check_lowering(module_of(types, body), {.exact_loops = true, .tolerance = 0});
    check_fused_lowering(module_of(types, body), {.exact_loops = true, .tolerance = 0});
  };
  check({floats({1, 2, 7, 9})}, [](Builder& b, const auto& x) {
    return std::vector<Value*>{build::reduce_window(b, x[0], "maximum", {.dimensions = {1, 1, 3, 2}, .strides = {1, 1, 2, 2}, .padding = {0, 0, 0, 0, 1, 1, 0, 1}})};
  });
  check({floats({2, 6, 5})}, [](Builder& b, const auto& x) {
    Value* moved = build::transpose(b, build::reshape(b, x[0], {2, 3, 2, 5}), {0, 2, 1, 3});
    return std::vector<Value*>{build::reshape(b, build::negate(b, moved), {2, 6, 5})};
  });
  check({floats({4, 6}), floats({4, 3})}, [](Builder& b, const auto& x) {
    Value* halves = build::concatenate(b, {build::slice_axis(b, x[0], 1, 3, 6), x[1], build::negate(b, build::slice_axis(b, x[0], 1, 0, 3))}, 1);
    return std::vector<Value*>{build::reshape(b, halves, {36})};
  });
  check({floats({10, 4}), Type::tensor(DType::i64, {2, 3})}, [](Builder& b, const auto& x) { return std::vector<Value*>{build::take(b, x[0], x[1], 0)}; });
  check({floats({3, 4}), floats({})}, [](Builder& b, const auto& x) {
    return std::vector<Value*>{build::reverse(b, build::pad(b, x[0], x[1], {1, -1}, {0, 2}, {1, 0}), {0, 1})};
  });
}

TEST_CASE("lower-to-loops: element types", "[lower-to-loops]") {
  for (DType dtype : {DType::f64, DType::f16, DType::bf16, DType::i64, DType::i32, DType::i16, DType::i8, DType::u64, DType::u32, DType::u16, DType::u8}) {
    INFO(name(dtype));
    const Type type = Type::tensor(dtype, {19});
    check_fused_lowering(module_of({type, type, type}, [](Builder& b, const auto& x) {
      Value* product = build::multiply(b, build::add(b, x[0], x[1]), build::subtract(b, x[2], x[1]));
      Value* larger = build::compare(b, "GT", product, x[0]);
      Value* chosen = build::select(b, larger, build::minimum(b, product, x[2]), build::maximum(b, x[0], build::divide(b, x[1], x[2])));
      Value* wide = build::convert(b, chosen, DType::f32);
      return std::vector<Value*>{chosen, wide, build::convert(b, wide, DType::i32), build::logical_not(b, larger)};
    }), {.exact_loops = true, .tolerance = 0});
    check_lowering(module_of({Type::tensor(dtype, {5, 19})}, [](Builder& b, const auto& x) {
      return std::vector<Value*>{build::reduce(b, x[0], "add", {1}), build::reduce(b, x[0], "maximum", {0}), build::reduce(b, x[0], "minimum", {0, 1})};
    }), {.tolerance = 0.02});
    check_lowering(module_of({Type::tensor(dtype, {5, 9}), Type::tensor(dtype, {9, 6})}, [](Builder& b, const auto& x) { return std::vector<Value*>{build::matmul(b, x[0], x[1])}; }),
                   {.tolerance = 0.02});
  }
}
