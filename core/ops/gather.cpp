// Ops that move elements to or from places that the run tells: gather, dynamic_slice, dynamic_update_slice.
#include <algorithm>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/elements.h"
#include "core/ops/strided.h"

namespace stele {
namespace {

using Tensors = std::vector<Tensor>;
using Values = std::vector<Value*>;

// ---- gather ---------------------------------------------------------------------------------------------------------
// gather(x, indices) {dimension numbers, slice_sizes}: a slice of x for every index vector; starts are clamped into x.
//   c1: offset_dims are axes of the result, sorted
//   c2: collapsed_slice_dims and operand_batching_dims are axes of x, none twice, their slice sizes at most 1
//   c3: start_index_map is an axis of x for each component of an index vector
//   c4: index_vector_dim is an axis of indices, or its rank
//   c5: slice_sizes has a size for each axis of x, at most its dim
//   c6: the result has the batch axes of indices and the slices' axes
//   c7: indices are integers

struct GatherNumbers {
  Ints offset, collapsed, batching, indices_batching, map;
  int64_t vector_axis;
  Shape slice;  // dynamic_gather has it as an operand

  explicit GatherNumbers(const Operation& op)
      : offset(ints_attribute_or(op, "offset_dims", {})),
        collapsed(ints_attribute_or(op, "collapsed_slice_dims", {})),
        batching(ints_attribute_or(op, "operand_batching_dims", {})),
        indices_batching(ints_attribute_or(op, "start_indices_batching_dims", {})),
        map(ints_attribute_or(op, "start_index_map", {})),
        vector_axis(op.get_or<int64_t>("index_vector_dim", 0)) {
    if (op.is("stablehlo.gather")) slice = dims_attribute(op, "slice_sizes");
  }

  // Axes of x that the result keeps, in order.
  Ints kept(int rank) const {
    Ints axes;
    for (int axis = 0; axis < rank; ++axis) {
      if (!among(collapsed, axis) && !among(batching, axis)) axes.push_back(axis);
    }
    return axes;
  }
};

std::vector<Type> infer_gather(const Operation& op) {
  const Type &x = op.operand(0)->type(), &indices = op.operand(1)->type();
  const GatherNumbers n(op);
  if (!is_int(indices.dtype)) violated(op, "c7", "indices have element type {}, expected an integer", name(indices.dtype));
  if (n.vector_axis < 0 || n.vector_axis > indices.rank()) violated(op, "c4", "index_vector_dim is {}, expected 0 to {}", n.vector_axis, indices.rank());
  if (static_cast<int>(n.slice.size()) != x.rank()) violated(op, "c5", "{} slice sizes, expected {}", n.slice.size(), x.rank());
  Ints taken = n.collapsed;
  taken.insert(taken.end(), n.batching.begin(), n.batching.end());
  verify_axes(op, "c2", taken, x.rank());
  verify_axes(op, "c3", n.map, x.rank());
  for (int64_t axis : taken) {
    if (n.slice[axis].is_static() && n.slice[axis].value() > 1) violated(op, "c2", "slice size of axis {} is {}, expected at most 1", axis, n.slice[axis].str());
  }
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool known = n.slice[axis].is_static() && x.shape[axis].is_static();
    if (known && (n.slice[axis].value() < 0 || n.slice[axis].value() > x.shape[axis].value())) {
      violated(op, "c5", "slice size of axis {} is {}, expected at most {}", axis, n.slice[axis].str(), x.shape[axis].str());
    }
  }
  const Dim components = n.vector_axis == indices.rank() ? Dim(1) : indices.shape[n.vector_axis];
  if (!may_equal(components, static_cast<int64_t>(n.map.size()))) violated(op, "c3", "start_index_map has {} axes, expected {}", n.map.size(), components.str());
  const Ints kept = n.kept(x.rank());
  const int64_t batch_rank = indices.rank() - (n.vector_axis < indices.rank() ? 1 : 0);
  const auto rank = static_cast<int>(batch_rank + static_cast<int64_t>(kept.size()));
  verify_axes(op, "c1", n.offset, rank);
  if (n.offset.size() != kept.size() || !std::is_sorted(n.offset.begin(), n.offset.end())) violated(op, "c1", "{} offset_dims, expected {}, sorted", n.offset.size(), kept.size());
  Shape shape;
  size_t offset = 0;
  int64_t batch = 0;
  for (int axis = 0; axis < rank; ++axis) {
    if (among(n.offset, axis)) {
      shape.push_back(n.slice[kept[offset++]]);
    } else {
      shape.push_back(indices.shape[batch < n.vector_axis ? batch : batch + 1]);
      ++batch;
    }
  }
  return {x.with_shape(shape)};
}

void verify_gather(const Operation& op) { verify_inferred(op, "c6"); }

// The result's sizes, and which of its axes are the indices' batch axes.
struct GatherShape {
  Ints batch_sizes, batch_strides;  // of the indices, without the axis of index vectors
  Ints batch_axes, sizes;           // of the result
};

GatherShape shape_of(const GatherNumbers& n, const Tensor& indices, const Ints& kept, const Ints& slice) {
  GatherShape shape;
  const Ints strides = indices.strides();
  for (int axis = 0; axis < indices.rank(); ++axis) {
    if (axis == n.vector_axis) continue;
    shape.batch_sizes.push_back(indices.sizes()[axis]);
    shape.batch_strides.push_back(strides[axis]);
  }
  size_t offset = 0;
  for (size_t axis = 0; axis < shape.batch_sizes.size() + kept.size(); ++axis) {
    if (among(n.offset, static_cast<int64_t>(axis))) {
      shape.sizes.push_back(slice[kept.at(offset++)]);
    } else {
      shape.sizes.push_back(shape.batch_sizes.at(shape.batch_axes.size()));
      shape.batch_axes.push_back(static_cast<int64_t>(axis));
    }
  }
  return shape;
}

Tensor gathered(const Operation& op, const Tensor& x, const Tensor& indices, const Ints& slice) {
  const GatherNumbers n(op);
  const Ints kept = n.kept(x.rank());
  const GatherShape shape = shape_of(n, indices, kept, slice);
  Tensor result(x.dtype(), shape.sizes);
  if (result.elements() == 0) return result;
  const Ints to = result.strides(), from = x.strides(), starts = ints(indices);
  Ints slice_sizes, slice_from, slice_to;
  for (size_t i = 0; i < kept.size(); ++i) {
    slice_sizes.push_back(slice[kept[i]]);
    slice_from.push_back(from[kept[i]]);
    slice_to.push_back(to[n.offset[i]]);
  }
  const int64_t step = n.vector_axis < indices.rank() ? indices.strides()[n.vector_axis] : 0;
  for (Subscripts at(shape.batch_sizes); !at.done(); at.next()) {
    // Offsets of the index vector, of the slice in x, and of its place in the result.
    int64_t index = 0, source = 0, target = 0;
    for (size_t i = 0; i < shape.batch_sizes.size(); ++i) {
      index += at[i] * shape.batch_strides[i];
      target += at[i] * to[shape.batch_axes[i]];
    }
    for (size_t k = 0; k < n.map.size(); ++k) {
      const int64_t axis = n.map[k], last = x.sizes()[axis] - slice[axis];
      source += std::clamp<int64_t>(starts.at(index + static_cast<int64_t>(k) * step), 0, std::max<int64_t>(last, 0)) * from[axis];
    }
    for (size_t k = 0; k < n.batching.size(); ++k) {
      const int64_t axis = n.indices_batching.at(k), place = axis < n.vector_axis ? axis : axis - 1;
      source += at[static_cast<size_t>(place)] * from[n.batching[k]];
    }
    scatter_strided(gather_strided(x, slice_sizes, source, slice_from), result, target, slice_to);
  }
  return result;
}

Tensors evaluate_gather(const Operation& op, const Tensors& operands, EvalContext& context) {
  return {gathered(op, operands[0], operands[1], evaluate(GatherNumbers(op).slice, context.binding()))};
}

const OpDef gather_def = {
    .name = "stablehlo.gather",
    .summary = "slices at places that indices tell",
    .operands = {{"x"}, {"indices"}},
    .attributes = {{"offset_dims", "ints"}, {"collapsed_slice_dims", "ints"}, {"operand_batching_dims", "ints"},
                   {"start_indices_batching_dims", "ints"}, {"start_index_map", "ints"}, {"index_vector_dim", "i64"},
                   {"slice_sizes", "ints or dims", true}, {"indices_are_sorted", "bool"}},
    .traits = Trait::pure | Trait::movement,
    .verify = verify_gather,
    .infer = infer_gather,
    .evaluate = evaluate_gather,
    .gradient = no_gradient("not provided"),
    .decompose = primitive(),
    .cost = cost_touching,
};

// dynamic_gather(x, indices, slice_sizes): a gather whose slice sizes the run tells.
//   c1: slice_sizes has an integer for each axis of x;  c2: the result has x's element type

void verify_dynamic_gather(const Operation& op) {
  const Type& sizes = op.operand(2)->type();
  if (sizes.rank() != 1 || !is_int(sizes.dtype) || !may_equal(sizes.shape[0], op.operand(0)->rank())) violated(op, "c1", "slice sizes have type {}, expected {} integers", sizes.str(), op.operand(0)->rank());
  if (op.result()->dtype() != op.operand(0)->dtype()) violated(op, "c2", "result has element type {}, expected {}", name(op.result()->dtype()), name(op.operand(0)->dtype()));
}

Tensors evaluate_dynamic_gather(const Operation& op, const Tensors& operands, EvalContext&) {
  const Tensor& x = operands[0];
  const Ints slice = ints(operands[2]);
  for (size_t i = 0; i < slice.size(); ++i) {
    if (slice[i] < 0 || slice[i] > x.sizes().at(i)) fail("{}: slice of {} in {}", op.describe(), str(slice), str(x.sizes()));
  }
  return {gathered(op, x, operands[1], slice)};
}

const OpDef dynamic_gather_def = {
    .name = "stablehlo.dynamic_gather",
    .summary = "a gather whose slice sizes the run tells",
    .operands = {{"x"}, {"indices"}, {"slice_sizes"}},
    .attributes = {{"offset_dims", "ints"}, {"collapsed_slice_dims", "ints"}, {"start_index_map", "ints"}, {"index_vector_dim", "i64"}},
    .traits = Trait::pure | Trait::movement,
    .verify = verify_dynamic_gather,
    .infer = declared_result_types,
    .evaluate = evaluate_dynamic_gather,
    .gradient = no_gradient("not provided"),
    .decompose = primitive(),
    .cost = cost_touching,
};

// ---- dynamic_slice, dynamic_update_slice ----------------------------------------------------------------------------
// dynamic_slice(x, starts…) {slice_sizes}; starts are clamped so that the slice lies in x.
//   c1: one integer scalar start an axis;  c2: one slice size an axis, at most its dim;  c3: the result has those sizes

void verify_starts(const Operation& op, unsigned first) {
  const int rank = op.operand(0)->rank();
  if (op.operand_count() - first != static_cast<unsigned>(rank)) violated(op, "c1", "{} starts, expected {}", op.operand_count() - first, rank);
  for (unsigned i = first; i < op.operand_count(); ++i) {
    if (op.operand(i)->rank() != 0 || !is_int(op.operand(i)->dtype())) violated(op, "c1", "start has type {}, expected an integer scalar", op.operand(i)->type().str());
  }
}

std::vector<Type> infer_dynamic_slice(const Operation& op) {
  const Shape sizes = dims_attribute(op, "slice_sizes"), &from = op.operand(0)->shape();
  if (sizes.size() != from.size()) violated(op, "c2", "{} slice sizes, expected {}", sizes.size(), from.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].is_static() && from[i].is_static() && (sizes[i].value() < 0 || sizes[i].value() > from[i].value())) {
      violated(op, "c2", "slice size of axis {} is {}, expected at most {}", i, sizes[i].str(), from[i].str());
    }
  }
  return {op.operand(0)->type().with_shape(sizes)};
}

void verify_dynamic_slice(const Operation& op) {
  verify_starts(op, 1);
  verify_inferred(op, "c3");
}

int64_t clamped_offset(const Operation& op, const Tensor& x, const Ints& sizes, const Tensors& operands, unsigned first) {
  const Ints strides = x.strides();
  int64_t offset = 0;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] > x.sizes()[axis]) fail("{}: slice of {} in {}", op.describe(), str(sizes), str(x.sizes()));
    const Tensor& start = operands[first + axis];
    int64_t at = start.get_int(0);
    if (start.dtype() == DType::u64 && at < 0) at = INT64_MAX;
    offset += std::clamp<int64_t>(at, 0, x.sizes()[axis] - sizes[axis]) * strides[axis];
  }
  return offset;
}

Tensors evaluate_dynamic_slice(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Tensor& x = operands[0];
  const Ints sizes = evaluate(dims_attribute(op, "slice_sizes"), context.binding());
  return {gather_strided(x, sizes, clamped_offset(op, x, sizes, operands, 1), x.strides())};
}

Values gradient_dynamic_slice(const Operation& op, const Values& g, Builder& b) {
  Values starts(op.operands().begin() + 1, op.operands().end());
  Values gradients(op.operand_count(), nullptr);
  gradients[0] = build::dynamic_update_slice(b, build::splat_like(b, op.operand(0), 0), g[0], starts);
  return gradients;
}

const OpDef dynamic_slice_def = {
    .name = "stablehlo.dynamic_slice",
    .summary = "a part that starts where the run tells",
    .operands = {{"x"}, {"starts", OperandDef::variadic}},
    .attributes = {{"slice_sizes", "ints or dims", true}},
    .traits = Trait::pure | Trait::movement,
    .verify = verify_dynamic_slice,
    .infer = infer_dynamic_slice,
    .evaluate = evaluate_dynamic_slice,
    .gradient = gradient_dynamic_slice,
    .decompose = primitive(),
    .cost = cost_touching,
};

// dynamic_update_slice(x, update, starts…): x with update written at starts, clamped.
//   c1: one integer scalar start an axis;  c2: update has x's element type and rank, and fits into it;  c3: the result has x's type

std::vector<Type> infer_dynamic_update_slice(const Operation& op) {
  const Type &x = op.operand(0)->type(), &update = op.operand(1)->type();
  bool fits = update.dtype == x.dtype && update.rank() == x.rank();
  for (int i = 0; fits && i < x.rank(); ++i) {
    if (update.shape[i].is_static() && x.shape[i].is_static()) fits = update.shape[i].value() <= x.shape[i].value();
  }
  if (!fits) violated(op, "c2", "update has type {}, expected to fit into {}", update.str(), x.str());
  return {x};
}

void verify_dynamic_update_slice(const Operation& op) {
  verify_starts(op, 2);
  verify_inferred(op, "c3");
}

Tensors evaluate_dynamic_update_slice(const Operation& op, const Tensors& operands, EvalContext&) {
  Tensor result = own_copy(operands[0]);
  scatter_strided(operands[1], result, clamped_offset(op, result, operands[1].sizes(), operands, 2), result.strides());
  return {result};
}

Values gradient_dynamic_update_slice(const Operation& op, const Values& g, Builder& b) {
  Values starts(op.operands().begin() + 2, op.operands().end());
  Values gradients(op.operand_count(), nullptr);
  gradients[0] = build::dynamic_update_slice(b, g[0], build::splat_like(b, op.operand(1), 0), starts);
  gradients[1] = build::dynamic_slice(b, g[0], starts, op.operand(1)->shape());
  return gradients;
}

const OpDef dynamic_update_slice_def = {
    .name = "stablehlo.dynamic_update_slice",
    .summary = "write a part that starts where the run tells",
    .operands = {{"x"}, {"update"}, {"starts", OperandDef::variadic}},
    .traits = Trait::pure | Trait::movement,
    .verify = verify_dynamic_update_slice,
    .infer = infer_dynamic_update_slice,
    .evaluate = evaluate_dynamic_update_slice,
    .gradient = gradient_dynamic_update_slice,
    .decompose = primitive(),
    .cost = cost_movement,
};

}  // namespace

std::span<const OpDef> gather_ops() {
  static const OpDef table[] = {gather_def, dynamic_gather_def, dynamic_slice_def, dynamic_update_slice_def};
  return table;
}

}  // namespace stele
