// ONNX ops that make, pass on or convert a tensor: Constant, None (an operand left out), Identity, Dropout, Cast,
// ConstantOfShape.
#include <algorithm>

#include "core/ops/all_ops.h"
#include "core/ops/onnx_nn.h"
#include "core/ops/shape_values.h"

namespace stele {
namespace {

using namespace onnx_op;
using Tensors = std::vector<Tensor>;
using Types = std::vector<Type>;
using Values = std::vector<Value*>;

// TensorProto.DataType numbers that attributes like Cast's `to` hold.
std::optional<DType> dtype_of_number(int64_t number) {
  switch (number) {
    case 1: return DType::f32;
    case 2: return DType::u8;
    case 3: return DType::i8;
    case 4: return DType::u16;
    case 5: return DType::i16;
    case 6: return DType::i32;
    case 7: return DType::i64;
    case 9: return DType::boolean;
    case 10: return DType::f16;
    case 11: return DType::f64;
    case 12: return DType::u32;
    case 13: return DType::u64;
    case 16: return DType::bf16;
    default: return std::nullopt;
  }
}

// ---- Constant -------------------------------------------------------------------------------------------------------

// onnx.Constant() {value}
//   c1: value is a tensor, or not_read says why there is none
void verify_constant(const Operation& op) {
  const Attribute* value = op.attribute("value");
  if (value ? value->get<Tensor>() == nullptr : !op.has("not_read")) violated(op, "c1", "has no tensor as its value");
}

Types infer_constant(const Operation& op) {
  const Attribute* value = op.attribute("value");
  return {value ? op.get<Tensor>("value").type() : Type::unknown()};
}

const Tensor& value_of(const Operation& op) {
  if (!op.has("value")) fail("{}: its value was not read: {}", op.describe(), op.get_or<std::string>("not_read", "no value"));
  return op.get<Tensor>("value");
}

Tensors evaluate_constant(const Operation& op, const Tensors&, EvalContext& context) {
  const Tensor& value = value_of(op);
  return {value.converted(context.widened(value.dtype()))};
}

Values decompose_constant(const Operation& op, Builder& b) { return {build::constant(b, value_of(op))}; }

// ---- None -----------------------------------------------------------------------------------------------------------

Types infer_none(const Operation&) { return {Type::none()}; }
Tensors evaluate_none(const Operation&, const Tensors&, EvalContext&) { return {Tensor()}; }

// ---- Identity, Dropout ----------------------------------------------------------------------------------------------

Types infer_identity(const Operation& op) { return {op.operand(0)->type()}; }
Tensors evaluate_identity(const Operation&, const Tensors& operands, EvalContext&) { return {operands[0]}; }
Values decompose_identity(const Operation& op, Builder&) { return {op.operand(0)}; }

// onnx.Dropout(data, ratio?, training_mode?) -> output, mask?: at inference the identity.
Types infer_dropout(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& type = op.operand(0)->type();
  Types types = {type, type.with_dtype(DType::boolean)};
  types.resize(std::min<size_t>(op.result_count(), types.size()));
  return types;
}

[[noreturn]] void refuse_training(const Operation& op) { fail("{}: training mode is not supported", op.describe()); }

Tensors evaluate_dropout(const Operation& op, const Tensors& operands, EvalContext&) {
  const bool training = given(operands, 2) && operands[2].elements() > 0 && operands[2].get(0) != 0;
  const bool drops = !given(operands, 1) || operands[1].get(0) != 0;
  if (training && drops) refuse_training(op);
  Tensors results = {operands[0]};
  if (op.result_count() > 1) {
    Tensor mask(DType::boolean, operands[0].sizes());
    for (int64_t i = 0; i < mask.elements(); ++i) mask.set_int(i, 1);
    results.push_back(std::move(mask));
  }
  return results;
}

Values decompose_dropout(const Operation& op, Builder& b) {
  if (const Value* training = operand(op, 2)) {
    const Tensor* mode = constant_of(training);
    const Tensor* ratio = constant_of(operand(op, 1));
    const bool keeps = ratio && ratio->elements() > 0 && ratio->get(0) == 0;
    if (!keeps && (!mode || mode->elements() == 0 || mode->get(0) != 0)) refuse_training(op);
  }
  Values results = {op.operand(0)};
  if (op.result_count() > 1) results.push_back(build::splat(b, op.operand(0)->type().with_dtype(DType::boolean), 1));
  return results;
}

// ---- Cast -----------------------------------------------------------------------------------------------------------

std::optional<DType> cast_target(const Operation& op) { return dtype_of_number(op.get<int64_t>("to")); }

DType known_target(const Operation& op) {
  const std::optional<DType> dtype = cast_target(op);
  if (!dtype) fail("{}: a cast to element type {} is not supported", op.describe(), op.get<int64_t>("to"));
  return *dtype;
}

Types infer_cast(const Operation& op) {
  const std::optional<DType> dtype = cast_target(op);
  if (!types_known(op) || !dtype) return unknown_results(op);
  return {op.operand(0)->type().with_dtype(*dtype)};
}

Tensors evaluate_cast(const Operation& op, const Tensors& operands, EvalContext& context) {
  return {operands[0].converted(context.widened(known_target(op)))};
}

Values decompose_cast(const Operation& op, Builder& b) { return {build::convert(b, op.operand(0), known_target(op))}; }

// ---- ConstantOfShape ------------------------------------------------------------------------------------------------

Tensor fill_value(const Operation& op) { return op.get_or<Tensor>("value", Tensor::scalar(DType::f32, 0)); }

// onnx.ConstantOfShape(shape) {value}
//   c1: value has one element;  c2: shape is one-dimensional, of i64
void verify_constant_of_shape(const Operation& op) {
  if (fill_value(op).elements() != 1) violated(op, "c1", "value has {} elements, expected 1", fill_value(op).elements());
  const Type& type = op.operand(0)->type();
  if (type.is_tensor() && (type.rank() != 1 || type.dtype != DType::i64)) violated(op, "c2", "shape has type {}, expected i64 of rank 1", type.str());
}

Types infer_constant_of_shape(const Operation& op) {
  const std::optional<Shape> shape = known_dims(op.operand(0));
  if (!shape) return unknown_results(op);
  for (const Dim& dim : *shape) {
    if (dim.is_static() && dim.value() < 0) violated(op, "c3", "dim {} is negative", dim.str());
  }
  return {Type::tensor(fill_value(op).dtype(), *shape)};
}

Tensors evaluate_constant_of_shape(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Tensor value = fill_value(op);
  Tensor result(context.widened(value.dtype()), ints(operands[0]));
  const Tensor element = value.converted(result.dtype());
  if (is_float(result.dtype())) {
    write(result, 0, result.elements(), std::vector<double>(static_cast<size_t>(result.elements()), element.get(0)).data());
  } else {
    write(result, 0, result.elements(), std::vector<int64_t>(static_cast<size_t>(result.elements()), element.get_int(0)).data());
  }
  return {result};
}

Values decompose_constant_of_shape(const Operation& op, Builder& b) {
  std::optional<Shape> shape = known_dims(op.operand(0));
  // Computed in the run: the file may state it all the same.
  if (!shape && op.result()->type().is_tensor()) shape = op.result()->shape();
  if (!shape) fail("{}: its shape is not known before the run", op.describe());
  Value* scalar = build::constant(b, fill_value(op).reshaped({}));
  return {build::broadcast_in_dim(b, scalar, Type::tensor(scalar->dtype(), *shape), {})};
}

}  // namespace

std::span<const OpDef> onnx_basic_ops() {
  static const OpDef table[] = {
      {.name = "onnx.Constant",
       .summary = "a tensor of the model",
       .level = Level::framework,
       .attributes = {{"value", "the tensor"}},
       .traits = Trait::pure | Trait::constant,
       .verify = verify_constant,
       .infer = infer_constant,
       .evaluate = evaluate_constant,
       .gradient = gradient_of_decomposition(),
       .decompose = decompose_constant,
       .cost = stele::cost_free},
      {.name = "onnx.None",
       .summary = "stands for an optional operand that is left out",
       .level = Level::framework,
       .traits = Trait::pure,
       .infer = infer_none,
       .evaluate = evaluate_none,
       .gradient = Aspect<GradientFunction>::absent("has no value"),
       .decompose = Aspect<DecomposeFunction>::absent("has no value; goes with its last use"),
       .cost = stele::cost_free},
      {.name = "onnx.Identity",
       .summary = "the operand itself",
       .level = Level::framework,
       .operands = {{"input"}},
       .traits = Trait::pure | Trait::view,
       .infer = infer_identity,
       .evaluate = evaluate_identity,
       .gradient = gradient_of_decomposition(),
       .decompose = decompose_identity,
       .cost = stele::cost_free},
      {.name = "onnx.Dropout",
       .summary = "the operand itself at inference; training mode is refused",
       .level = Level::framework,
       .operands = {{"data"}, {"ratio", OperandDef::optional}, {"training_mode", OperandDef::optional}},
       .attributes = {{"ratio", "f32, before opset 12; of no effect"}, {"seed", "i64, of no effect"}},
       .infer = infer_dropout,
       .evaluate = evaluate_dropout,
       .gradient = gradient_of_decomposition(),
       .decompose = decompose_dropout,
       .cost = stele::cost_free},
      {.name = "onnx.Cast",
       .summary = "every element converted",
       .level = Level::framework,
       .operands = {{"input"}},
       .attributes = {{"to", "i64, the number of a TensorProto element type", true}, {"saturate", "i64, of no effect: f8 only"}},
       .infer = infer_cast,
       .evaluate = evaluate_cast,
       .gradient = gradient_of_decomposition(),
       .decompose = decompose_cast,
       .cost = onnx_op::cost_elementwise},
      {.name = "onnx.ConstantOfShape",
       .summary = "one value at every element of a given shape",
       .level = Level::framework,
       .operands = {{"input"}},
       .attributes = {{"value", "tensor of one element, default f32 0"}},
       .verify = verify_constant_of_shape,
       .infer = infer_constant_of_shape,
       .evaluate = evaluate_constant_of_shape,
       .gradient = gradient_of_decomposition(),
       .decompose = decompose_constant_of_shape,
       .cost = onnx_op::cost_movement},
  };
  return table;
}

}  // namespace stele
