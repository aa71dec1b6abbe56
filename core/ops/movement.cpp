// Ops that move, repeat or make elements: broadcast_in_dim, reshape, transpose, slice, concatenate, pad, reverse, iota,
// constant, bitcast_convert.
#include <algorithm>
#include <cstring>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/strided.h"

namespace stele {
namespace {

using Tensors = std::vector<Tensor>;
using Values = std::vector<Value*>;

constexpr Trait moves = Trait::pure | Trait::movement;

// ---- broadcast_in_dim -----------------------------------------------------------------------------------------------
// broadcast_in_dim(x) {broadcast_dimensions}: x's axis i is the result's axis broadcast_dimensions[i]; the others repeat.
//   c1: the result has x's element type
//   c2: one broadcast dimension an axis of x, each in range, none twice
//   c3: each dim of x is 1 or the result's

void verify_broadcast_in_dim(const Operation& op) {
  const Type &x = op.operand(0)->type(), &to = op.result()->type();
  if (x.dtype != to.dtype) violated(op, "c1", "result has element type {}, expected {}", name(to.dtype), name(x.dtype));
  const Ints& dims = op.get<Ints>("broadcast_dimensions");
  if (static_cast<int>(dims.size()) != x.rank()) violated(op, "c2", "{} broadcast dimensions, expected {}", dims.size(), x.rank());
  verify_axes(op, "c2", dims, to.rank());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!x.shape[i].is(1) && !may_equal(x.shape[i], to.shape[dims[i]])) {
      violated(op, "c3", "operand dim {} is {}, expected 1 or {}", i, x.shape[i].str(), to.shape[dims[i]].str());
    }
  }
}

Tensors evaluate_broadcast_in_dim(const Operation& op, const Tensors& operands, EvalContext& context) {
  return {broadcast_to_sizes(op, operands[0], context.sizes(op), op.get<Ints>("broadcast_dimensions"))};
}

// Sum over what was repeated.
Values gradient_broadcast_in_dim(const Operation& op, const Values& g, Builder& b) {
  const Ints& dims = op.get<Ints>("broadcast_dimensions");
  const Shape& from = op.operand(0)->shape();
  if (!std::is_sorted(dims.begin(), dims.end())) fail("{}: gradient of unsorted broadcast_dimensions is not provided", op.describe());
  Ints summed;
  for (int64_t axis = 0; axis < g[0]->rank(); ++axis) {
    const auto at = std::find(dims.begin(), dims.end(), axis);
    if (at == dims.end() || from[at - dims.begin()] != g[0]->shape()[axis]) summed.push_back(axis);
  }
  return {build::reshape(b, build::reduce(b, g[0], "add", summed), from)};
}

Cost cost_broadcast(const Operation& op) { return one_kernel(op, 0); }  // reads the operand, writes the whole result

const OpDef broadcast_in_dim_def = {
    .name = "stablehlo.broadcast_in_dim",
    .summary = "repeat along new axes and axes of size 1; the result type says the shape",
    .operands = {{"x"}},
    .attributes = {{"broadcast_dimensions", "ints: the result's axis of each axis of x", true}},
    .traits = moves,
    .verify = verify_broadcast_in_dim,
    .infer = declared_result_types,
    .evaluate = evaluate_broadcast_in_dim,
    .gradient = gradient_broadcast_in_dim,
    .decompose = primitive(),
    .cost = cost_broadcast,
};

// ---- reshape --------------------------------------------------------------------------------------------------------
// reshape(x): the same elements in the same order under the result's shape.
//   c1: the result has x's element type;  c2: as many elements as x

void verify_reshape(const Operation& op) {
  const Type &x = op.operand(0)->type(), &to = op.result()->type();
  if (x.dtype != to.dtype) violated(op, "c1", "result has element type {}, expected {}", name(to.dtype), name(x.dtype));
  const Dim from = x.elements(), into = to.elements();
  if (from.is_static() && into.is_static() && from != into) {
    violated(op, "c2", "result has {} elements, expected {}", into.str(), from.str());
  }
}

Tensors evaluate_reshape(const Operation& op, const Tensors& operands, EvalContext& context) {
  return {operands[0].reshaped(context.sizes(op))};
}

Values gradient_reshape(const Operation& op, const Values& g, Builder& b) { return {build::reshape(b, g[0], op.operand(0)->shape())}; }

const OpDef reshape_def = {
    .name = "stablehlo.reshape",
    .summary = "the same elements under another shape, that of the result type",
    .operands = {{"x"}},
    .traits = moves | Trait::view,
    .verify = verify_reshape,
    .infer = declared_result_types,
    .evaluate = evaluate_reshape,
    .gradient = gradient_reshape,
    .decompose = primitive(),
    .cost = cost_free,
};

// ---- transpose ------------------------------------------------------------------------------------------------------
// transpose(x) {permutation}: result axis i is x's axis permutation[i].
//   c1: permutation has each axis of x once;  c2: the result has x's element type and the permuted shape

std::vector<Type> infer_transpose(const Operation& op) {
  const Type& x = op.operand(0)->type();
  const Ints& permutation = op.get<Ints>("permutation");
  if (static_cast<int>(permutation.size()) != x.rank()) violated(op, "c1", "permutation has {} axes, expected {}", permutation.size(), x.rank());
  verify_axes(op, "c1", permutation, x.rank());
  Shape shape;
  for (int64_t axis : permutation) shape.push_back(x.shape[axis]);
  return {x.with_shape(shape)};
}

void verify_transpose(const Operation& op) { verify_inferred(op, "c2"); }

Tensors evaluate_transpose(const Operation& op, const Tensors& operands, EvalContext&) {
  const Tensor& x = operands[0];
  Ints sizes, strides;
  for (int64_t axis : op.get<Ints>("permutation")) {
    sizes.push_back(x.sizes()[axis]);
    strides.push_back(x.strides()[axis]);
  }
  return {gather_strided(x, sizes, 0, strides)};
}

Values gradient_transpose(const Operation& op, const Values& g, Builder& b) {
  const Ints& permutation = op.get<Ints>("permutation");
  Ints inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = static_cast<int64_t>(i);
  return {build::transpose(b, g[0], inverse)};
}

const OpDef transpose_def = {
    .name = "stablehlo.transpose",
    .summary = "reorder the axes",
    .operands = {{"x"}},
    .attributes = {{"permutation", "ints: the axis of x that each result axis is", true}},
    .traits = moves,
    .verify = verify_transpose,
    .infer = infer_transpose,
    .evaluate = evaluate_transpose,
    .gradient = gradient_transpose,
    .decompose = primitive(),
    .cost = cost_movement,
};

// ---- slice ----------------------------------------------------------------------------------------------------------
// slice(x) {start_indices, limit_indices, strides}
//   c1: one start, limit and stride an axis;  c2: 0 <= start <= limit <= dim;  c3: strides are positive
//   c4: the result's dim is ceil((limit - start) / stride)

std::vector<Type> infer_slice(const Operation& op) {
  const Type& x = op.operand(0)->type();
  const Shape starts = dims_attribute(op, "start_indices"), limits = dims_attribute(op, "limit_indices");
  const Ints strides = ints_attribute_or(op, "strides", Ints(x.rank(), 1));
  const size_t rank = x.shape.size();
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank) {
    violated(op, "c1", "{} starts, {} limits and {} strides, expected {} of each", starts.size(), limits.size(), strides.size(), rank);
  }
  Shape shape;
  for (size_t i = 0; i < rank; ++i) {
    if (strides[i] < 1) violated(op, "c3", "stride {} is {}, expected at least 1", i, strides[i]);
    const bool known = starts[i].is_static() && limits[i].is_static();
    if ((starts[i].is_static() && starts[i].value() < 0) || (known && limits[i].value() < starts[i].value()) ||
        (limits[i].is_static() && x.shape[i].is_static() && limits[i].value() > x.shape[i].value())) {
      violated(op, "c2", "axis {} from {} to {} is not within {}", i, starts[i].str(), limits[i].str(), x.shape[i].str());
    }
    shape.push_back(Dim::ceil_div(limits[i] - starts[i], strides[i]));
  }
  return {x.with_shape(shape)};
}

void verify_slice(const Operation& op) { verify_inferred(op, "c4"); }

Tensors evaluate_slice(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Tensor& x = operands[0];
  const Ints starts = evaluate(dims_attribute(op, "start_indices"), context.binding());
  const Ints limits = evaluate(dims_attribute(op, "limit_indices"), context.binding());
  const Ints steps = ints_attribute_or(op, "strides", Ints(x.rank(), 1));
  return {slice_tensor(op, x, starts, limits, steps)};
}

Values gradient_slice(const Operation& op, const Values& g, Builder& b) {
  const Shape starts = dims_attribute(op, "start_indices"), &from = op.operand(0)->shape(), &to = op.result()->shape();
  const Ints steps = ints_attribute_or(op, "strides", Ints(from.size(), 1));
  Shape high;
  Ints interior;
  for (size_t i = 0; i < from.size(); ++i) {
    interior.push_back(steps[i] - 1);
    if (to[i].is(0)) return {build::splat_like(b, op.operand(0), 0)};
    high.push_back(from[i] - starts[i] - ((to[i] - 1) * steps[i] + 1));
  }
  return {build::pad(b, g[0], build::scalar_constant(b, g[0]->dtype(), 0), starts, high, interior)};
}

const OpDef slice_def = {
    .name = "stablehlo.slice",
    .summary = "a part, every so many elements",
    .operands = {{"x"}},
    .attributes = {{"start_indices", "ints or dims", true}, {"limit_indices", "ints or dims", true}, {"strides", "ints, default 1"}},
    .traits = moves,
    .verify = verify_slice,
    .infer = infer_slice,
    .evaluate = evaluate_slice,
    .gradient = gradient_slice,
    .decompose = primitive(),
    .cost = cost_touching,
};

// ---- concatenate ----------------------------------------------------------------------------------------------------
// concatenate(inputs…) {dimension}
//   c1: dimension is an axis;  c2: inputs have one element type, one rank, and equal dims but along dimension
//   c3: at least one input;  c4: the result's dim is the sum

std::vector<Type> infer_concatenate(const Operation& op) {
  if (op.operand_count() == 0) violated(op, "c3", "no inputs, expected at least 1");
  Type type = op.operand(0)->type();
  const int64_t axis = op.get<int64_t>("dimension");
  verify_axes(op, "c1", {axis}, type.rank());
  Dim total = 0;
  for (const Value* input : op.operands()) {
    Shape shape = input->shape();
    if (input->dtype() != type.dtype || input->rank() != type.rank()) {
      violated(op, "c2", "input has type {}, expected one like {}", input->type().str(), op.operand(0)->type().str());
    }
    total = total + shape[axis];
    shape[axis] = type.shape[axis];
    if (!may_equal(shape, type.shape)) {
      violated(op, "c2", "input has type {}, expected one like {}", input->type().str(), op.operand(0)->type().str());
    }
  }
  type.shape[axis] = total;
  return {type};
}

void verify_concatenate(const Operation& op) { verify_inferred(op, "c4"); }

Tensors evaluate_concatenate(const Operation& op, const Tensors& operands, EvalContext&) {
  const auto axis = static_cast<size_t>(op.get<int64_t>("dimension"));
  Ints sizes = operands[0].sizes();
  for (size_t i = 1; i < operands.size(); ++i) {
    Ints other = operands[i].sizes();
    sizes[axis] += std::exchange(other[axis], operands[0].sizes()[axis]);
    if (other != operands[0].sizes()) fail("{}: input {} has sizes {}, expected {} but along axis {}", op.describe(), i, str(operands[i].sizes()), str(operands[0].sizes()), axis);
  }
  Tensor result(operands[0].dtype(), sizes);
  const int64_t outer = checked_element_count(Ints(sizes.begin(), sizes.begin() + axis));
  std::byte* to = result.mutable_data();
  for (int64_t i = 0; i < outer; ++i) {
    for (const Tensor& x : operands) {
      const size_t bytes = x.size_bytes() / static_cast<size_t>(std::max<int64_t>(outer, 1));
      if (bytes > 0) std::memcpy(to, x.data() + bytes * static_cast<size_t>(i), bytes);
      to += bytes;
    }
  }
  return {result};
}

Values gradient_concatenate(const Operation& op, const Values& g, Builder& b) {
  const int64_t axis = op.get<int64_t>("dimension");
  Values parts;
  Dim at = 0;
  for (const Value* input : op.operands()) {
    const Dim end = at + input->shape()[axis];
    parts.push_back(build::slice_axis(b, g[0], axis, at, end));
    at = end;
  }
  return parts;
}

const OpDef concatenate_def = {
    .name = "stablehlo.concatenate",
    .summary = "join along an axis",
    .operands = {{"inputs", OperandDef::variadic}},
    .attributes = {{"dimension", "i64", true}},
    .traits = moves,
    .verify = verify_concatenate,
    .infer = infer_concatenate,
    .evaluate = evaluate_concatenate,
    .gradient = gradient_concatenate,
    .decompose = primitive(),
    .cost = cost_movement,
};

// ---- pad ------------------------------------------------------------------------------------------------------------
// pad(x, value) {edge_padding_low, edge_padding_high, interior_padding}; negative edges crop.
//   c1: value has rank 0 and x's element type;  c2: one padding of each kind an axis;  c3: interior paddings are not negative
//   c4: the result's dim is dim + low + high + max(dim - 1, 0) * interior

std::vector<Type> infer_pad(const Operation& op) {
  const Type &x = op.operand(0)->type(), &value = op.operand(1)->type();
  if (value.dtype != x.dtype || value.rank() != 0) violated(op, "c1", "padding value has type {}, expected a scalar of {}", value.str(), name(x.dtype));
  const Shape low = dims_attribute(op, "edge_padding_low"), high = dims_attribute(op, "edge_padding_high");
  const Ints interior = ints_attribute_or(op, "interior_padding", Ints(x.rank(), 0));
  const size_t rank = x.shape.size();
  if (low.size() != rank || high.size() != rank || interior.size() != rank) violated(op, "c2", "paddings of {}, {} and {} axes, expected {}", low.size(), high.size(), interior.size(), rank);
  Shape shape;
  for (size_t i = 0; i < rank; ++i) {
    if (interior[i] < 0) violated(op, "c3", "interior padding {} is {}, expected at least 0", i, interior[i]);
    const Dim gaps = interior[i] == 0 ? Dim(0) : Dim::max(x.shape[i] - 1, 0) * interior[i];
    const Dim size = x.shape[i] + low[i] + high[i] + gaps;
    if (size.is_static() && size.value() < 0) violated(op, "c4", "axis {} comes out with size {}", i, size.str());
    shape.push_back(size);
  }
  return {x.with_shape(shape)};
}

void verify_pad(const Operation& op) { verify_inferred(op, "c4"); }

Tensors evaluate_pad(const Operation& op, const Tensors& operands, EvalContext& context) {
  return {pad_tensor(operands[0], operands[1], evaluate(dims_attribute(op, "edge_padding_low"), context.binding()),
                     evaluate(dims_attribute(op, "edge_padding_high"), context.binding()),
                     ints_attribute_or(op, "interior_padding", Ints(operands[0].rank(), 0)))};
}

const OpDef pad_def = {
    .name = "stablehlo.pad",
    .summary = "put a value around and between the elements; negative edges crop",
    .operands = {{"x"}, {"value"}},
    .attributes = {{"edge_padding_low", "ints or dims", true}, {"edge_padding_high", "ints or dims", true}, {"interior_padding", "ints, default 0"}},
    .traits = moves,
    .verify = verify_pad,
    .infer = infer_pad,
    .evaluate = evaluate_pad,
    .gradient = no_gradient("not provided"),
    .decompose = primitive(),
    .cost = cost_movement,
};

// ---- reverse --------------------------------------------------------------------------------------------------------
// reverse(x) {dimensions}
//   c1: dimensions are axes, none twice;  c2: the result has x's type

std::vector<Type> infer_reverse(const Operation& op) {
  verify_axes(op, "c1", op.get<Ints>("dimensions"), op.operand(0)->rank());
  return {op.operand(0)->type()};
}
void verify_reverse(const Operation& op) { verify_inferred(op, "c2"); }

Tensors evaluate_reverse(const Operation& op, const Tensors& operands, EvalContext&) {
  const Tensor& x = operands[0];
  Ints strides = x.strides();
  int64_t start = 0;
  for (int64_t axis : op.get<Ints>("dimensions")) {
    start += (x.sizes()[axis] - 1) * strides[axis];
    strides[axis] = -strides[axis];
  }
  return {gather_strided(x, x.sizes(), start, strides)};
}

Values gradient_reverse(const Operation& op, const Values& g, Builder& b) { return {build::reverse(b, g[0], op.get<Ints>("dimensions"))}; }

const OpDef reverse_def = {
    .name = "stablehlo.reverse",
    .summary = "reverse the order along axes",
    .operands = {{"x"}},
    .attributes = {{"dimensions", "ints", true}},
    .traits = moves,
    .verify = verify_reverse,
    .infer = infer_reverse,
    .evaluate = evaluate_reverse,
    .gradient = gradient_reverse,
    .decompose = primitive(),
    .cost = cost_movement,
};

}  // namespace

std::span<const OpDef> movement_ops() {
  static const OpDef table[] = {broadcast_in_dim_def, reshape_def, transpose_def, slice_def, concatenate_def, pad_def, reverse_def};
  return table;
}

}  // namespace stele
