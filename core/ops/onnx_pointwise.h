// Records of ONNX ops that compute element by element, made from three lambdas: what floats do, what integers do, and the
// tensor-level ops they decompose into. A lambda that needs attributes takes the Operation and returns the function.
#pragma once

#include <type_traits>

#include "core/ops/build.h"
#include "core/ops/onnx_common.h"

namespace stele::onnx_op {

// For ops without integers (or without floats): asking for them is an error of the verifier.
struct Refused {};
constexpr Refused refused{};

enum class Gives { same, boolean };  // the result's element type

template <auto F>
auto instance(const Operation& op) {
  if constexpr (std::is_invocable_v<decltype(F), const Operation&>) {
    return F(op);
  } else {
    return F;
  }
}

template <auto F>
constexpr bool is_refused = std::is_same_v<std::remove_const_t<decltype(F)>, Refused>;

// c1: the operands have one element type, one that the op takes.
template <auto Float, auto Integer>
void verify_pointwise(const Operation& op) {
  for (unsigned i = 1; i < op.operand_count(); ++i) verify_same_dtype(op, "c1", 0, i);
  const Value* x = op.operand_count() ? operand(op, 0) : nullptr;
  if (!x || !x->type().is_tensor()) return;
  const bool floats = is_float(x->dtype());
  if (is_complex(x->dtype()) || (floats && is_refused<Float>) || (!floats && is_refused<Integer>)) {
    violated(op, "c1", "operand 0 has element type {}, which the op does not take", name(x->dtype()));
  }
}

// c2: the operands broadcast together.
template <Gives gives>
std::vector<Type> infer_pointwise(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  std::vector<Shape> shapes;
  for (const Value* value : op.operands()) shapes.push_back(value->shape());
  const DType dtype = gives == Gives::boolean ? DType::boolean : op.operand(0)->dtype();
  return {Type::tensor(dtype, broadcast(op, "c2", shapes))};
}

template <Gives gives>
DType dtype_given(const Tensor& x) {
  return gives == Gives::boolean ? DType::boolean : x.dtype();
}

template <auto F, Gives gives, typename T>
Tensor map_unary(const Operation& op, const Tensor& x, std::vector<T> values) {
  const auto f = instance<F>(op);
  if constexpr (gives == Gives::boolean) {
    std::vector<int64_t> truth(values.size());
    for (size_t i = 0; i < values.size(); ++i) truth[i] = f(values[i]) ? 1 : 0;
    return tensor_of(DType::boolean, x.sizes(), truth);
  } else {
    for (T& value : values) value = f(value);
    return tensor_of(x.dtype(), x.sizes(), values);
  }
}

template <auto Float, auto Integer, Gives gives>
std::vector<Tensor> evaluate_unary(const Operation& op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor& x = operands[0];
  if (is_float(x.dtype())) {
    if constexpr (!is_refused<Float>) return {map_unary<Float, gives>(op, x, doubles(x))};
  } else {
    if constexpr (!is_refused<Integer>) return {map_unary<Integer, gives>(op, x, ints(x))};
  }
  violated(op, "c1", "operand 0 has element type {}, which the op does not take", name(x.dtype()));
}

// Integer functions get a third argument: whether the operands are unsigned (int64_t then holds the bits of an uint64_t).
template <auto Float, auto Integer, Gives gives>
std::vector<Tensor> evaluate_binary(const Operation& op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor &x = operands[0], &y = operands[1];
  const Ints sizes = broadcast(op, "c2", {x.sizes(), y.sizes()});
  std::vector<int64_t> integers;
  if (is_float(x.dtype())) {
    if constexpr (!is_refused<Float>) {
      std::vector<double> a = broadcast_doubles(x, sizes);
      const std::vector<double> b = broadcast_doubles(y, sizes);
      const auto f = instance<Float>(op);
      if constexpr (gives == Gives::same) {
        for (size_t i = 0; i < a.size(); ++i) a[i] = f(a[i], b[i]);
        return {tensor_of(x.dtype(), sizes, a)};
      }
      for (size_t i = 0; i < a.size(); ++i) integers.push_back(static_cast<int64_t>(f(a[i], b[i])));
      return {tensor_of(DType::boolean, sizes, integers)};
    }
  } else {
    if constexpr (!is_refused<Integer>) {
      integers = broadcast_ints(x, sizes);
      const std::vector<int64_t> b = broadcast_ints(y, sizes);
      const auto f = instance<Integer>(op);
      const bool is_unsigned = is_unsigned_int(x.dtype());
      for (size_t i = 0; i < integers.size(); ++i) integers[i] = static_cast<int64_t>(f(integers[i], b[i], is_unsigned));
      return {tensor_of(dtype_given<gives>(x), sizes, integers)};
    }
  }
  violated(op, "c1", "operand 0 has element type {}, which the op does not take", name(x.dtype()));
}

template <auto Lower>
std::vector<Value*> decompose_unary(const Operation& op, Builder& b) {
  return {instance<Lower>(op)(b, op.operand(0))};
}

template <auto Lower>
std::vector<Value*> decompose_binary(const Operation& op, Builder& b) {
  const Shape& shape = op.result()->shape();
  Value* x = build::broadcast_to(b, op.operand(0), shape);
  Value* y = op.operand(1) == op.operand(0) ? x : build::broadcast_to(b, op.operand(1), shape);
  return {instance<Lower>(op)(b, x, y)};
}

template <auto Float, auto Integer, auto Lower, Gives gives = Gives::same>
OpDef unary(std::string_view name, std::string_view summary, std::vector<AttributeDef> attributes = {}) {
  return {
      .name = name,
      .summary = summary,
      .level = Level::framework,
      .operands = {{"X"}},
      .attributes = std::move(attributes),
      .traits = Trait::pure | Trait::elementwise,
      .verify = verify_pointwise<Float, Integer>,
      .infer = infer_pointwise<gives>,
      .evaluate = evaluate_unary<Float, Integer, gives>,
      .gradient = gradient_of_decomposition(),
      .decompose = decompose_unary<Lower>,
      .cost = cost_elementwise,
  };
}

template <auto Float, auto Integer, auto Lower, Gives gives = Gives::same>
OpDef binary(std::string_view name, std::string_view summary, std::vector<AttributeDef> attributes = {}) {
  return {
      .name = name,
      .summary = summary,
      .level = Level::framework,
      .operands = {{"A"}, {"B"}},
      .attributes = std::move(attributes),
      .traits = Trait::pure,
      .verify = verify_pointwise<Float, Integer>,
      .infer = infer_pointwise<gives>,
      .evaluate = evaluate_binary<Float, Integer, gives>,
      .gradient = gradient_of_decomposition(),
      .decompose = decompose_binary<Lower>,
      .cost = cost_elementwise,
  };
}

}  // namespace stele::onnx_op
