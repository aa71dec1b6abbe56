// ONNX ops that read at computed places: Gather, GatherElements, GatherND
// (https://onnx.ai/onnx/operators/).
#include <algorithm>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/onnx_common.h"
#include "core/ops/shape_values.h"

namespace stele {
namespace {

using namespace onnx_op;
using O = const Operation&;

// ---- negative indices count from the end ----------------------------------------------------------------------------

int64_t place(O op, int64_t index, int64_t size) {
  if (index < -size || index >= size) fail("{}: index {} is out of range for {} elements", op.describe(), index, size);
  return index < 0 ? index + size : index;
}

Tensor with_positive(const Tensor& indices, int64_t size) {
  std::vector<int64_t> values = ints(indices);
  for (int64_t& value : values) value += value < 0 ? size : 0;
  return tensor_of(indices.dtype(), indices.sizes(), values);
}

// select(i < 0, i + n, i), which a constant needs not do at run time.
Value* positive_indices(Builder& b, Value* indices, const Dim& size) {
  const Tensor* constant = constant_of(indices);
  if (constant && size.is_static()) return build::constant(b, with_positive(*constant, size.value()));
  if (constant) {
    const std::vector<int64_t> values = ints(*constant);
    if (std::all_of(values.begin(), values.end(), [](int64_t v) { return v >= 0; })) return build::constant(b, *constant);
  }
  Value* end = build::broadcast_to(b, build::dim_value(b, indices->dtype(), size), indices->shape());
  Value* negative = build::compare(b, "LT", indices, build::splat_like(b, indices, 0));
  return build::select(b, negative, build::add(b, indices, end), indices);
}

void verify_indices(O op) {
  const Value* indices = operand(op, 1);
  if (indices && indices->type().is_tensor() && indices->dtype() != DType::i64 && indices->dtype() != DType::i32) {
    violated(op, "c1", "indices have element type {}, expected i32 or i64", name(indices->dtype()));
  }
}

// ---- Gather: c1: indices are i32 or i64. c2: axis in range ----------------------------------------------------------

template <typename Sizes>
Sizes gather_sizes(const Sizes& data, const Sizes& indices, int64_t axis) {
  Sizes all(data.begin(), data.begin() + axis);
  all.insert(all.end(), indices.begin(), indices.end());
  all.insert(all.end(), data.begin() + axis + 1, data.end());
  return all;
}

std::vector<Type> infer_gather(O op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& data = op.operand(0)->type();
  const int64_t axis = axis_in(op, "c2", op.get_or<int64_t>("axis", 0), data.rank());
  return {data.with_shape(gather_sizes(data.shape, op.operand(1)->shape(), axis))};
}

std::vector<Tensor> evaluate_gather(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor& data = operands[0];
  const int64_t axis = axis_in(op, "c2", op.get_or<int64_t>("axis", 0), data.rank());
  const int64_t size = data.sizes()[static_cast<size_t>(axis)];
  const int64_t inner = data.strides()[static_cast<size_t>(axis)];
  int64_t outer = 1;
  for (int64_t i = 0; i < axis; ++i) outer *= data.sizes()[static_cast<size_t>(i)];
  const Ints sizes = gather_sizes(data.sizes(), operands[1].sizes(), axis);
  std::vector<int64_t> index;
  if (checked_element_count(sizes) == 0) return {Tensor(data.dtype(), sizes)};
  index.reserve(static_cast<size_t>(checked_element_count(sizes)));
  for (int64_t row = 0; row < outer; ++row) {
    for (int64_t i = 0; i < operands[1].elements(); ++i) {
      const int64_t start = (row * size + place(op, operands[1].get_int(i), size)) * inner;
      for (int64_t j = 0; j < inner; ++j) index.push_back(start + j);
    }
  }
  return {pick(data, sizes, index)};
}

std::vector<Value*> decompose_gather(O op, Builder& b) {
  Value* data = op.operand(0);
  const int64_t axis = axis_in(op, "c2", op.get_or<int64_t>("axis", 0), data->rank());
  return {build::take(b, data, positive_indices(b, op.operand(1), data->shape()[static_cast<size_t>(axis)]), axis)};
}

// ---- GatherElements -------------------------------------------------------------------------------------------------
//   c1: indices are i32 or i64. c2: axis in range. c3: indices have the rank of data, and no larger dims but at axis

void check_elements(O op, const Shape& data, const Shape& indices, size_t axis) {
  bool fits = data.size() == indices.size();
  for (size_t i = 0; fits && i < data.size(); ++i) {
    if (i != axis && data[i].is_static() && indices[i].is_static()) fits = indices[i].value() <= data[i].value();
  }
  if (!fits) violated(op, "c3", "indices of shape {} do not fit data of shape {}", str(indices), str(data));
}

std::vector<Type> infer_gather_elements(O op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& data = op.operand(0)->type();
  const int64_t axis = axis_in(op, "c2", op.get_or<int64_t>("axis", 0), data.rank());
  check_elements(op, data.shape, op.operand(1)->shape(), static_cast<size_t>(axis));
  return {data.with_shape(op.operand(1)->shape())};
}

std::vector<Tensor> evaluate_gather_elements(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor &data = operands[0], &indices = operands[1];
  const size_t axis = static_cast<size_t>(axis_in(op, "c2", op.get_or<int64_t>("axis", 0), data.rank()));
  check_elements(op, make_shape(data.sizes()), make_shape(indices.sizes()), axis);
  Ints steps = data.strides();
  const int64_t step = steps[axis];
  steps[axis] = 0;
  std::vector<int64_t> index = affine_index(indices.sizes(), steps);
  for (size_t i = 0; i < index.size(); ++i) {
    index[i] += step * place(op, indices.get_int(static_cast<int64_t>(i)), data.sizes()[axis]);
  }
  return {pick(data, indices.sizes(), index)};
}

// Every axis but one is a batch of the gather; where the indices have fewer of it, the data is cut to that many.
std::vector<Value*> decompose_gather_elements(O op, Builder& b) {
  Value *data = op.operand(0), *indices = op.operand(1);
  const int64_t rank = data->rank(), axis = axis_in(op, "c2", op.get_or<int64_t>("axis", 0), rank);
  Shape limits = indices->shape();
  limits[static_cast<size_t>(axis)] = data->shape()[static_cast<size_t>(axis)];
  if (limits != data->shape()) data = build::slice(b, data, Shape(limits.size(), Dim(0)), limits);
  build::GatherDims dims;
  for (int64_t i = 0; i < rank; ++i) {
    if (i == axis) continue;
    dims.operand_batching_dims.push_back(i);
    dims.start_indices_batching_dims.push_back(i);
  }
  dims.collapsed_slice_dims = {axis};
  dims.start_index_map = {axis};
  dims.index_vector_dim = rank;
  Value* places = positive_indices(b, indices, data->shape()[static_cast<size_t>(axis)]);
  return {build::gather(b, data, places, dims, Shape(static_cast<size_t>(rank), Dim(1)))};
}

// ---- GatherND -------------------------------------------------------------------------------------------------------
//   c1: indices are i32 or i64. c2: batch_dims and the indices' last dim, which is static, fit the data

struct NdDims {
  int64_t batch, depth;  // leading axes shared, axes an index vector names
};

NdDims nd_dims(O op, int64_t rank, const Shape& indices) {
  const int64_t batch = op.get_or<int64_t>("batch_dims", 0);
  const int64_t depth = indices.empty() || !indices.back().is_static() ? -1 : indices.back().value();
  if (depth < 1 || batch < 0 || batch >= static_cast<int64_t>(indices.size()) || batch + depth > rank) {
    violated(op, "c2", "batch_dims {} and indices of shape {} do not fit data of rank {}", batch, str(indices), rank);
  }
  return {batch, depth};
}

template <typename Sizes>
Sizes nd_sizes(const Sizes& data, const Sizes& indices, NdDims dims) {
  Sizes all(indices.begin(), indices.end() - 1);
  all.insert(all.end(), data.begin() + dims.batch + dims.depth, data.end());
  return all;
}

std::vector<Type> infer_gather_nd(O op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& data = op.operand(0)->type();
  const Shape& indices = op.operand(1)->shape();
  return {data.with_shape(nd_sizes(data.shape, indices, nd_dims(op, data.rank(), indices)))};
}

std::vector<Tensor> evaluate_gather_nd(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor &data = operands[0], &indices = operands[1];
  const NdDims dims = nd_dims(op, data.rank(), make_shape(indices.sizes()));
  const Ints strides = data.strides(), sizes = nd_sizes(data.sizes(), indices.sizes(), dims);
  int64_t batches = 1, inner = 1;
  for (int64_t i = 0; i < dims.batch; ++i) batches *= data.sizes()[static_cast<size_t>(i)];
  for (int64_t i = dims.batch + dims.depth; i < data.rank(); ++i) inner *= data.sizes()[static_cast<size_t>(i)];
  const int64_t vectors = indices.elements() / dims.depth;
  const int64_t batch_step = data.elements() / std::max<int64_t>(batches, 1);
  std::vector<int64_t> index;
  for (int64_t v = 0; v < vectors; ++v) {
    int64_t start = v / std::max<int64_t>(vectors / std::max<int64_t>(batches, 1), 1) * batch_step;
    for (int64_t k = 0; k < dims.depth; ++k) {
      const size_t axis = static_cast<size_t>(dims.batch + k);
      start += strides[axis] * place(op, indices.get_int(v * dims.depth + k), data.sizes()[axis]);
    }
    for (int64_t j = 0; j < inner; ++j) index.push_back(start + j);
  }
  return {pick(data, sizes, index)};
}

// Index vectors with each component made positive by its own axis's size.
Value* positive_vectors(Builder& b, Value* indices, const Shape& sizes) {
  std::vector<Value*> parts;
  const int64_t last = indices->rank() - 1;
  for (size_t k = 0; k < sizes.size(); ++k) {
    const int64_t at = static_cast<int64_t>(k);
    parts.push_back(positive_indices(b, sizes.size() == 1 ? indices : build::slice_axis(b, indices, last, at, at + 1), sizes[k]));
  }
  return parts.size() == 1 ? parts[0] : build::concatenate(b, parts, last);
}

std::vector<Value*> decompose_gather_nd(O op, Builder& b) {
  Value *data = op.operand(0), *indices = op.operand(1);
  const NdDims how = nd_dims(op, data->rank(), indices->shape());
  build::GatherDims dims;
  Shape slices;
  for (int64_t i = 0; i < data->rank(); ++i) {
    const bool whole = i >= how.batch + how.depth;
    slices.push_back(whole ? data->shape()[static_cast<size_t>(i)] : Dim(1));
    if (whole) {
      dims.offset_dims.push_back(indices->rank() - 1 + i - how.batch - how.depth);
    } else if (i < how.batch) {
      dims.operand_batching_dims.push_back(i);
      dims.start_indices_batching_dims.push_back(i);
    } else {
      dims.collapsed_slice_dims.push_back(i);
      dims.start_index_map.push_back(i);
    }
  }
  dims.index_vector_dim = indices->rank() - 1;
  const Shape named(data->shape().begin() + how.batch, data->shape().begin() + how.batch + how.depth);
  return {build::gather(b, data, positive_vectors(b, indices, named), dims, slices)};
}

OpDef record(std::string_view name, std::string_view summary, AttributeDef attribute, InferFunction* infer, EvaluateFunction* evaluate,
             DecomposeFunction* decompose) {
  return {
      .name = name,
      .summary = summary,
      .level = Level::framework,
      .operands = {{"data"}, {"indices"}},
      .attributes = {attribute},
      .traits = Trait::pure | Trait::movement,
      .verify = verify_indices,
      .infer = infer,
      .evaluate = evaluate,
      .gradient = gradient_of_decomposition(),
      .decompose = decompose,
      .cost = onnx_op::cost_touching,
  };
}

std::vector<OpDef> records() {
  return {
      record("onnx.Gather", "slices along an axis at indices", {"axis", "i64, default 0"}, infer_gather, evaluate_gather,
             decompose_gather),
      record("onnx.GatherElements", "an element along an axis for each index", {"axis", "i64, default 0"}, infer_gather_elements,
             evaluate_gather_elements, decompose_gather_elements),
      record("onnx.GatherND", "slices at index vectors", {"batch_dims", "i64, default 0"}, infer_gather_nd, evaluate_gather_nd,
             decompose_gather_nd),
  };
}

}  // namespace

std::span<const OpDef> onnx_gather_ops() {
  static const std::vector<OpDef> table = records();
  return table;
}

}  // namespace stele
