// Ops that make tensors of nothing, and those that only look at bits: constant, iota, bitcast_convert, optimization_barrier.
#include <algorithm>

#include "core/ops/all_ops.h"
#include "core/ops/strided.h"

namespace stele {
namespace {

using Tensors = std::vector<Tensor>;

// constant {value}
//   c1: the result has the value's type

const Tensor& value_of(const Operation& op) { return op.get<Tensor>("value"); }

std::vector<Type> infer_constant(const Operation& op) {
  const Tensor& value = value_of(op);
  if (op.result()->type().is_tensor() || op.result()->type().is_unknown()) return {value.type()};
  return {op.result()->type().with_dtype(value.dtype())};  // a scalar or a vector of the loop level
}
void verify_constant(const Operation& op) { verify_inferred(op, "c1"); }

Tensors evaluate_constant(const Operation& op, const Tensors&, EvalContext& context) {
  return {value_of(op).converted(context.widened(value_of(op).dtype()))};
}

const OpDef constant_def = {
    .name = "stablehlo.constant",
    .summary = "a value known at compile time",
    .operands = {},
    .attributes = {{"value", "tensor", true}},
    .traits = Trait::pure | Trait::constant,
    .verify = verify_constant,
    .infer = infer_constant,
    .evaluate = evaluate_constant,
    .gradient = no_gradient("no operands"),
    .decompose = primitive(),
    .cost = cost_free,
};

// iota {iota_dimension}: the subscript along an axis; the result type says the shape.
//   c1: iota_dimension is an axis of the result

void verify_iota(const Operation& op) { verify_axes(op, "c1", {op.get<int64_t>("iota_dimension")}, op.result()->rank()); }

Tensors evaluate_iota(const Operation& op, const Tensors&, EvalContext& context) {
  const Ints sizes = context.sizes(op);
  const auto axis = static_cast<size_t>(op.get<int64_t>("iota_dimension"));
  Tensor line(context.widened(op.result()->dtype()), {sizes.at(axis)});
  for (int64_t i = 0; i < sizes[axis]; ++i) line.set_int(i, i);
  return {broadcast_to_sizes(op, line, sizes, {static_cast<int64_t>(axis)})};
}

const OpDef iota_def = {
    .name = "stablehlo.iota",
    .summary = "the subscript along an axis",
    .operands = {},
    .attributes = {{"iota_dimension", "i64", true}},
    .traits = Trait::pure | Trait::movement,
    .verify = verify_iota,
    .infer = declared_result_types,
    .evaluate = evaluate_iota,
    .gradient = no_gradient("no operands"),
    .decompose = primitive(),
    .cost = cost_movement,
};

// bitcast_convert(x): the same bits as the result's element type. A smaller element type adds a last axis, a larger one takes it.
//   c1: the result has as many bits as x

void verify_bitcast(const Operation& op) {
  const Type &x = op.operand(0)->type(), &to = op.result()->type();
  const Dim from = x.bytes(), into = to.bytes();
  if (from.is_static() && into.is_static() && from != into) violated(op, "c1", "result has {} bytes, expected {}", into.str(), from.str());
}

// In f64 evaluation the bits are those of the declared types: rounded to before, widened after.
Tensors evaluate_bitcast(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Tensor x = operands[0].converted(op.operand(0)->dtype());
  const DType dtype = op.result()->dtype();
  Ints sizes = x.sizes();
  const int from = size_bytes(x.dtype()), to = size_bytes(dtype);
  if (to < from) sizes.push_back(from / to);
  if (to > from) {
    if (sizes.empty() || sizes.back() != to / from) fail("{}: last size is {}, expected {}", op.describe(), sizes.empty() ? 1 : sizes.back(), to / from);
    sizes.pop_back();
  }
  return {Tensor(dtype, sizes, x.blob()).converted(context.widened(dtype))};
}

const OpDef bitcast_def = {
    .name = "stablehlo.bitcast_convert",
    .summary = "the same bits as another element type",
    .operands = {{"x"}},
    .traits = Trait::pure | Trait::movement | Trait::view,
    .verify = verify_bitcast,
    .infer = declared_result_types,
    .evaluate = evaluate_bitcast,
    .gradient = no_gradient("not differentiable"),
    .decompose = primitive(),
    .cost = cost_free,
};

// optimization_barrier(values…): its operands; nothing may be moved across.
//   c1: the results have the operands' types

std::vector<Type> infer_barrier(const Operation& op) {
  std::vector<Type> types;
  for (const Value* operand : op.operands()) types.push_back(operand->type());
  return types;
}
void verify_barrier(const Operation& op) { verify_inferred(op, "c1"); }
std::vector<Value*> gradient_barrier(const Operation&, const std::vector<Value*>& g, Builder&) { return g; }
Tensors evaluate_barrier(const Operation&, const Tensors& operands, EvalContext&) { return operands; }

const OpDef barrier_def = {
    .name = "stablehlo.optimization_barrier",
    .summary = "its operands, which nothing is moved across",
    .operands = {{"values", OperandDef::variadic}},
    .traits = Trait::view,
    .verify = verify_barrier,
    .infer = infer_barrier,
    .evaluate = evaluate_barrier,
    .gradient = gradient_barrier,
    .decompose = primitive(),
    .cost = cost_free,
};

}  // namespace

std::span<const OpDef> source_ops() {
  static const OpDef table[] = {constant_def, iota_def, bitcast_def, barrier_def};
  return table;
}

}  // namespace stele
