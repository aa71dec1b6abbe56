// How the records of unary and binary elementwise ops are made: a family shares everything but one function of numbers.
// Floats are computed in double and rounded once; integers in 64 bits and wrapped to their width.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "core/ops/rules.h"

namespace stele::elementwise {

// What an integer function must know of the type. Values come sign- or zero-extended to 64 bits.
struct IntKind {
  int bits = 64;
  bool is_signed = true;
  bool boolean = false;
};
IntKind int_kind(DType dtype);

struct NoFunction {};  // the op has no meaning on these types
constexpr NoFunction none;

template <typename F>
constexpr bool given = !std::is_same_v<std::remove_cvref_t<F>, NoFunction>;

// Orders all floats: -NaN < -inf < … < -0 < +0 < … < inf < NaN.
inline int64_t total_order_key(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? std::numeric_limits<int64_t>::min() - bits - 1 : bits;
}

constexpr int64_t chunk = 512;  // elements converted at a time: they stay in the first-level cache

template <typename Number, typename F>
Tensor map1(const Tensor& x, F f) {
  Tensor result(x.dtype(), x.sizes());
  Number buffer[chunk];
  for (int64_t begin = 0; begin < x.elements(); begin += chunk) {
    const int64_t count = std::min(chunk, x.elements() - begin);
    read(x, begin, count, buffer);
    for (int64_t i = 0; i < count; ++i) buffer[i] = f(buffer[i]);
    write(result, begin, count, buffer);
  }
  return result;
}

template <typename Number, typename F>
Tensor map2(const Tensor& x, const Tensor& y, DType dtype, F f) {
  Tensor result(dtype, x.sizes());
  Number a[chunk], b[chunk];
  for (int64_t begin = 0; begin < x.elements(); begin += chunk) {
    const int64_t count = std::min(chunk, x.elements() - begin);
    read(x, begin, count, a);
    read(y, begin, count, b);
    for (int64_t i = 0; i < count; ++i) a[i] = f(a[i], b[i]);
    write(result, begin, count, a);
  }
  return result;
}

[[noreturn]] void unsupported(const Operation& op, DType dtype);
// By core/ops/complex.h; throws where the op has no meaning on complex numbers. abs gives reals.
Tensor complex_map(const Operation& op, const std::vector<Tensor>& operands, EvalContext& context);
void check_sizes(const Operation& op, const Tensor& x, const Tensor& y);

template <auto Float, auto Int>
std::vector<Tensor> evaluate_unary(const Operation& op, const std::vector<Tensor>& operands, EvalContext& context) {
  const Tensor& x = operands[0];
  if (is_complex(x.dtype())) return {complex_map(op, operands, context)};
  if constexpr (given<decltype(Float)>) {
    if (is_float(x.dtype())) return {map1<double>(x, Float)};
  }
  if constexpr (given<decltype(Int)>) {
    if (!is_float(x.dtype())) {
      const IntKind kind = int_kind(x.dtype());
      return {map1<int64_t>(x, [kind](int64_t v) { return Int(v, kind); })};
    }
  }
  unsupported(op, x.dtype());
}

template <auto Float, auto Int>
std::vector<Tensor> evaluate_binary(const Operation& op, const std::vector<Tensor>& operands, EvalContext& context) {
  const Tensor &x = operands[0], &y = operands[1];
  check_sizes(op, x, y);
  if (is_complex(x.dtype())) return {complex_map(op, operands, context)};
  if constexpr (given<decltype(Float)>) {
    if (is_float(x.dtype())) return {map2<double>(x, y, x.dtype(), Float)};
  }
  if constexpr (given<decltype(Int)>) {
    if (!is_float(x.dtype())) {
      const IntKind kind = int_kind(x.dtype());
      return {map2<int64_t>(x, y, x.dtype(), [kind](int64_t a, int64_t b) { return Int(a, b, kind); })};
    }
  }
  unsupported(op, x.dtype());
}

// The same functions on registers (LaneFunction).
template <auto Float, auto Int>
void lanes_unary(DType dtype, int count, const void* x, const void*, void* result) {
  if constexpr (given<decltype(Float)>) {
    if (is_float(dtype)) {
      for (int i = 0; i < count; ++i) static_cast<double*>(result)[i] = Float(static_cast<const double*>(x)[i]);
      return;
    }
  }
  if constexpr (given<decltype(Int)>) {
    const IntKind kind = int_kind(dtype);
    if (!is_float(dtype)) {
      for (int i = 0; i < count; ++i) static_cast<int64_t*>(result)[i] = Int(static_cast<const int64_t*>(x)[i], kind);
      return;
    }
  }
  fail("element type {} is not supported", name(dtype));
}

template <auto Float, auto Int>
void lanes_binary(DType dtype, int count, const void* x, const void* y, void* result) {
  if constexpr (given<decltype(Float)>) {
    const auto *a = static_cast<const double*>(x), *b = static_cast<const double*>(y);
    if (is_float(dtype)) {
      for (int i = 0; i < count; ++i) static_cast<double*>(result)[i] = Float(a[i], b[i]);
      return;
    }
  }
  if constexpr (given<decltype(Int)>) {
    const auto *a = static_cast<const int64_t*>(x), *b = static_cast<const int64_t*>(y);
    const IntKind kind = int_kind(dtype);
    if (!is_float(dtype)) {
      for (int i = 0; i < count; ++i) static_cast<int64_t*>(result)[i] = Int(a[i], b[i], kind);
      return;
    }
  }
  fail("element type {} is not supported", name(dtype));
}

// c1: operands and result have one type; c2: the element type is one the op has a meaning on.
void verify_same(const Operation& op, bool floats, bool integers);
std::vector<Type> infer_first(const Operation& op);

template <bool Floats, bool Integers>
void verify_family(const Operation& op) { verify_same(op, Floats, Integers); }

template <auto Float, auto Int>
OpDef unary(std::string_view name, std::string_view summary, Aspect<GradientFunction> gradient) {
  return {
      .name = name,
      .summary = summary,
      .operands = {{"x"}},
      .traits = Trait::pure | Trait::elementwise,
      .verify = verify_family<given<decltype(Float)>, given<decltype(Int)>>,
      .infer = infer_first,
      .evaluate = evaluate_unary<Float, Int>,
      .gradient = gradient,
      .decompose = primitive(),
      .cost = cost_elementwise,
      .lanes = lanes_unary<Float, Int>,
  };
}

template <auto Float, auto Int>
OpDef binary(std::string_view name, std::string_view summary, Aspect<GradientFunction> gradient, Trait more = Trait::none) {
  return {
      .name = name,
      .summary = summary,
      .operands = {{"lhs"}, {"rhs"}},
      .traits = Trait::pure | Trait::elementwise | more,
      .verify = verify_family<given<decltype(Float)>, given<decltype(Int)>>,
      .infer = infer_first,
      .evaluate = evaluate_binary<Float, Int>,
      .gradient = gradient,
      .decompose = primitive(),
      .cost = cost_elementwise,
      .lanes = lanes_binary<Float, Int>,
  };
}

}  // namespace stele::elementwise
