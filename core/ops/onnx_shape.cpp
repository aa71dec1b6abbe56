// ONNX ops about shapes: Reshape and its kin, Expand, Shape, Size, Range (https://onnx.ai/onnx/operators/).
#include <algorithm>
#include <cmath>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/onnx_common.h"
#include "core/ops/shape_values.h"

namespace stele {
namespace {

using namespace onnx_op;
using O = const Operation&;

// ---- Reshape --------------------------------------------------------------------------------------------------------
//   c1: the shape holds at most one -1 and nothing below it
//   c2: a 0 (without allowzero) stands at an axis that the data has
//   c3: the number of elements stays

// The size of the -1: the data's elements by the other dims. Equal dims cancel first, whatever expressions they are.
Dim remaining(O op, Shape data, const Shape& wanted, size_t hole) {
  Dim others = 1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (i == hole) continue;
    const auto same = std::find(data.begin(), data.end(), wanted[i]);
    if (same != data.end() && !same->is(0)) {
      data.erase(same);
    } else {
      others = others * wanted[i];
    }
  }
  const Dim total = element_count(data);
  if (others.is(0)) violated(op, "c3", "-1 stands beside a dim of size 0");
  if (const auto exact = Dim::exact_div(total, others)) return *exact;
  if (total.is_static() && others.is_static()) violated(op, "c3", "{} elements do not divide by {}", total.str(), others.str());
  return Dim::floor_div(total, others);
}

Shape reshape_target(O op, const Shape& data, Shape wanted) {
  const bool copy_zero = op.get_or<int64_t>("allowzero", 0) == 0;
  size_t hole = wanted.size();
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].is(0) && copy_zero) {
      if (i >= data.size()) violated(op, "c2", "shape has 0 at axis {}, but the data has rank {}", i, data.size());
      wanted[i] = data[i];
    } else if (wanted[i].is_static() && wanted[i].value() < 0) {
      if (wanted[i].value() != -1 || hole != wanted.size()) violated(op, "c1", "shape is {}, expected at most one -1", str(wanted));
      hole = i;
    }
  }
  if (hole != wanted.size()) wanted[hole] = remaining(op, data, wanted, hole);
  const Dim from = element_count(data), to = element_count(wanted);
  if (from.is_static() && to.is_static() && from != to) {
    violated(op, "c3", "reshape of {} elements to {} elements", from.str(), to.str());
  }
  return wanted;
}

std::vector<Type> infer_reshape(O op) {
  if (!types_known(op)) return unknown_results(op);
  const Value* data = op.operand(0);
  std::optional<Shape> wanted;
  if (op.operand_count() > 1) {
    wanted = known_dims(op.operand(1));
  } else if (op.has("shape")) {
    wanted = make_shape(op.get<Ints>("shape"));  // before opset 5
  }
  return wanted ? std::vector<Type>{data->type().with_shape(reshape_target(op, data->shape(), *wanted))} : unknown_results(op);
}

std::vector<Tensor> evaluate_reshape(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Shape wanted = make_shape(run_ints(op, operands, 1, "shape", {}));
  return {operands[0].reshaped(static_sizes(reshape_target(op, make_shape(operands[0].sizes()), wanted)))};
}

std::vector<Value*> decompose_to_reshape(O op, Builder& b) { return {build::reshape(b, op.operand(0), op.result()->shape())}; }

// ---- Flatten, Squeeze, Unsqueeze: the shape follows from the operand's ----------------------------------------------

// c1: axis is in [-rank, rank].
Shape flatten_shape(O op, const Shape& data, const Ints&) {
  const int64_t rank = static_cast<int64_t>(data.size()), given = op.get_or<int64_t>("axis", 1);
  const int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis > rank) violated(op, "c1", "axis {} is out of range for rank {}", given, rank);
  return {element_count(Shape(data.begin(), data.begin() + axis)), element_count(Shape(data.begin() + axis, data.end()))};
}

// c1: axes are in range, none twice. c2: their dims are 1. Without axes every dim of size 1 goes.
Shape squeeze_shape(O op, const Shape& data, const Ints& axes) {
  const Ints gone = axes_in(op, "c1", axes, static_cast<int64_t>(data.size()));
  Shape shape;
  for (size_t i = 0; i < data.size(); ++i) {
    const bool named = std::count(gone.begin(), gone.end(), static_cast<int64_t>(i)) != 0;
    if (named && data[i].is_static() && !data[i].is(1)) violated(op, "c2", "axis {} has size {}, expected 1", i, data[i].str());
    if (!named && !(axes.empty() && data[i].is(1))) shape.push_back(data[i]);
  }
  return shape;
}

// c1: axes are in range of the result's rank, none twice.
Shape unsqueeze_shape(O op, const Shape& data, const Ints& axes) {
  const size_t rank = data.size() + axes.size();
  const Ints fresh = axes_in(op, "c1", axes, static_cast<int64_t>(rank));
  Shape shape;
  size_t next = 0;
  for (size_t i = 0; i < rank; ++i) {
    shape.push_back(std::count(fresh.begin(), fresh.end(), static_cast<int64_t>(i)) ? Dim(1) : data[next++]);
  }
  return shape;
}

using ShapeRule = Shape(O op, const Shape& data, const Ints& axes);

template <ShapeRule* rule>
std::vector<Type> infer_view(O op) {
  if (!types_known(op)) return unknown_results(op);
  const auto axes = static_ints(op, 1, "axes", {});
  const Value* data = op.operand(0);
  const bool guess = rule == squeeze_shape && axes && axes->empty() && !is_static(data->shape());
  return axes && !guess ? std::vector<Type>{data->type().with_shape(rule(op, data->shape(), *axes))} : unknown_results(op);
}

template <ShapeRule* rule>
std::vector<Tensor> evaluate_view(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Shape shape = rule(op, make_shape(operands[0].sizes()), run_ints(op, operands, 1, "axes", {}));
  return {operands[0].reshaped(static_sizes(shape))};
}

// ---- Expand: c1: data and shape broadcast together ------------------------------------------------------------------

std::vector<Type> infer_expand(O op) {
  if (!types_known(op)) return unknown_results(op);
  const auto wanted = known_dims(op.operand(1));
  if (!wanted) return unknown_results(op);
  return {op.operand(0)->type().with_shape(broadcast(op, "c1", {op.operand(0)->shape(), *wanted}))};
}

std::vector<Tensor> evaluate_expand(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Ints sizes = broadcast(op, "c1", {operands[0].sizes(), ints(operands[1])});
  return {pick(operands[0], sizes, broadcast_source(operands[0].sizes(), sizes))};
}

std::vector<Value*> decompose_expand(O op, Builder& b) { return {build::broadcast_to(b, op.operand(0), op.result()->shape())}; }

// ---- Shape, Size ----------------------------------------------------------------------------------------------------

std::pair<int64_t, int64_t> shape_range(O op, int64_t rank) {
  auto bound = [&](std::string_view name, int64_t otherwise) {
    const int64_t at = op.get_or<int64_t>(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t start = bound("start", 0);
  return {start, std::max(start, bound("end", rank))};
}

std::vector<Type> infer_shape(O op) {
  if (!types_known(op)) return unknown_results(op);
  const auto [start, end] = shape_range(op, op.operand(0)->rank());
  return {Type::tensor(DType::i64, {end - start})};
}

std::vector<Tensor> evaluate_shape(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const auto [start, end] = shape_range(op, operands[0].rank());
  const Ints& sizes = operands[0].sizes();
  return {tensor_of(DType::i64, {end - start}, Ints(sizes.begin() + start, sizes.begin() + end))};
}

Value* dims_tensor(Builder& b, const Shape& dims) {
  if (is_static(dims)) return build::constant(b, Tensor::of_ints(DType::i64, {static_cast<int64_t>(dims.size())}, static_sizes(dims)));
  std::vector<Value*> parts;
  for (const Dim& dim : dims) parts.push_back(build::reshape(b, build::dim_value(b, DType::i64, dim), {1}));
  return parts.size() == 1 ? parts[0] : build::concatenate(b, parts, 0);
}

std::vector<Value*> decompose_shape(O op, Builder& b) {
  const auto [start, end] = shape_range(op, op.operand(0)->rank());
  const Shape& shape = op.operand(0)->shape();
  return {dims_tensor(b, Shape(shape.begin() + start, shape.begin() + end))};
}

std::vector<Type> infer_size(O op) { return types_known(op) ? std::vector<Type>{Type::tensor(DType::i64, {})} : unknown_results(op); }

std::vector<Tensor> evaluate_size(O, const std::vector<Tensor>& operands, EvalContext&) {
  return {tensor_of(DType::i64, {}, Ints{operands[0].elements()})};
}

std::vector<Value*> decompose_size(O op, Builder& b) {
  return {build::dim_value(b, DType::i64, op.operand(0)->type().elements())};
}

// ---- Range: start, start + delta, … while before limit --------------------------------------------------------------
//   c1: the three have one element type and one element each. c2: delta is not 0.

void verify_range(O op) {
  verify_same_dtype(op, "c1", 0, 1);
  verify_same_dtype(op, "c1", 0, 2);
}

int64_t range_count(O op, double start, double limit, double delta) {
  if (delta == 0) violated(op, "c2", "delta is 0");
  const double count = std::ceil((limit - start) / delta);
  if (!(count < 1e12)) violated(op, "c2", "{} elements from {} to {} by {}", count, start, limit, delta);
  return std::max<int64_t>(0, static_cast<int64_t>(count));
}

std::vector<Type> infer_range(O op) {
  if (!types_known(op)) return unknown_results(op);
  const DType dtype = op.operand(0)->dtype();
  const Tensor* fixed[3] = {constant_of(op.operand(0)), constant_of(op.operand(1)), constant_of(op.operand(2))};
  if (fixed[0] && fixed[1] && fixed[2]) {
    return {Type::tensor(dtype, {range_count(op, fixed[0]->get(0), fixed[1]->get(0), fixed[2]->get(0))})};
  }
  const auto start = known_dims(op.operand(0)), limit = known_dims(op.operand(1)), delta = known_dims(op.operand(2));
  if (!start || !limit || !delta || start->size() != 1 || limit->size() != 1 || delta->size() != 1) return unknown_results(op);
  const Dim step = delta->front(), length = limit->front() - start->front();
  if (!step.is_static() || step.value() <= 0) return unknown_results(op);
  const bool sure = !length.is_static() && length.str().find('-') == std::string::npos;  // sizes are not negative
  const Dim count = Dim::ceil_div(length, step);
  return {Type::tensor(dtype, {sure ? count : Dim::max(count, 0)})};
}

std::vector<Tensor> evaluate_range(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor &start = operands[0], &delta = operands[2];
  const int64_t count = range_count(op, start.get(0), operands[1].get(0), delta.get(0));
  Tensor result(start.dtype(), {count});
  for (int64_t i = 0; i < count; ++i) {
    if (is_float(start.dtype())) {
      result.set(i, start.get(0) + static_cast<double>(i) * delta.get(0));
    } else {
      result.set_int(i, start.get_int(0) + i * delta.get_int(0));
    }
  }
  return {std::move(result)};
}

std::vector<Value*> decompose_range(O op, Builder& b) {
  const Type& type = op.result()->type();
  auto all = [&](unsigned i) { return build::broadcast_to(b, build::reshape(b, op.operand(i), {}), type.shape); };
  return {build::add(b, all(0), build::multiply(b, build::iota(b, type, 0), all(2)))};
}

OpDef record(std::string_view name, std::string_view summary, std::vector<OperandDef> operands, std::vector<AttributeDef> attributes = {}) {
  OpDef def = {.name = name, .summary = summary, .level = Level::framework};
  def.operands = std::move(operands), def.attributes = std::move(attributes);
  def.gradient = gradient_of_decomposition();
  return def;
}

template <ShapeRule* rule>
OpDef view(std::string_view name, std::string_view summary, std::vector<OperandDef> operands, std::vector<AttributeDef> attributes) {
  OpDef def = record(name, summary, std::move(operands), std::move(attributes));
  def.traits = Trait::pure | Trait::movement | Trait::view;
  def.infer = infer_view<rule>, def.evaluate = evaluate_view<rule>, def.decompose = decompose_to_reshape, def.cost = cost_view;
  return def;
}

std::vector<OpDef> records() {
  constexpr auto optional = OperandDef::optional;
  OpDef reshape = record("onnx.Reshape", "the same elements in another shape", {{"data"}, {"shape", optional}},
                         {{"allowzero", "i64, default 0: a 0 copies the data's dim"}, {"shape", "ints, before opset 5"}});
  reshape.traits = Trait::pure | Trait::movement | Trait::view;
  reshape.infer = infer_reshape, reshape.evaluate = evaluate_reshape, reshape.decompose = decompose_to_reshape, reshape.cost = cost_view;
  OpDef expand = record("onnx.Expand", "broadcast to a shape", {{"input"}, {"shape"}});
  expand.traits = Trait::pure | Trait::movement;
  expand.infer = infer_expand, expand.evaluate = evaluate_expand, expand.decompose = decompose_expand, expand.cost = onnx_op::cost_movement;
  OpDef shape = record("onnx.Shape", "the dims of a tensor", {{"data"}}, {{"start", "i64, default 0"}, {"end", "i64, default the rank"}});
  shape.infer = infer_shape, shape.evaluate = evaluate_shape, shape.decompose = decompose_shape, shape.cost = cost_view;
  OpDef size = record("onnx.Size", "the number of elements of a tensor", {{"data"}});
  size.infer = infer_size, size.evaluate = evaluate_size, size.decompose = decompose_size, size.cost = cost_view;
  OpDef range = record("onnx.Range", "start, start + delta, … before limit", {{"start"}, {"limit"}, {"delta"}});
  range.verify = verify_range, range.infer = infer_range, range.evaluate = evaluate_range, range.decompose = decompose_range;
  range.cost = onnx_op::cost_elementwise;
  const AttributeDef axes = {"axes", "ints, before opset 13"};
  return {reshape, expand, shape, size, range,
          view<flatten_shape>("onnx.Flatten", "two axes: those before axis and the rest", {{"input"}}, {{"axis", "i64, default 1"}}),
          view<squeeze_shape>("onnx.Squeeze", "without axes of size 1", {{"data"}, {"axes", optional}}, {axes}),
          view<unsqueeze_shape>("onnx.Unsqueeze", "with axes of size 1 more", {{"data"}, {"axes", optional}}, {axes})};
}

}  // namespace

std::span<const OpDef> onnx_shape_ops() {
  static const std::vector<OpDef> table = records();
  return table;
}

}  // namespace stele
