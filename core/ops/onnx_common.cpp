#include "core/ops/onnx_common.h"

#include <algorithm>
#include <cstring>

#include "core/ops/shape_values.h"

namespace stele::onnx_op {

Value* operand(const Operation& op, unsigned i) {
  if (i >= op.operand_count() || op.operand(i)->type().is_none()) return nullptr;
  return op.operand(i);
}

bool types_known(const Operation& op) {
  for (const Value* value : op.operands()) {
    if (!value->type().is_none() && !value->type().is_tensor()) return false;
  }
  return true;
}

std::vector<Type> unknown_results(const Operation& op) { return std::vector<Type>(op.result_count(), Type::unknown()); }

int64_t axis_in(const Operation& op, std::string_view constraint, int64_t axis, int64_t rank) {
  const int64_t positive = axis < 0 ? axis + rank : axis;
  if (positive < 0 || positive >= rank) violated(op, constraint, "axis {} is out of range for rank {}", axis, rank);
  return positive;
}

Ints axes_in(const Operation& op, std::string_view constraint, const Ints& axes, int64_t rank) {
  Ints result;
  for (int64_t axis : axes) {
    const int64_t positive = axis_in(op, constraint, axis, rank);
    if (std::count(result.begin(), result.end(), positive)) violated(op, constraint, "axis {} is given twice", axis);
    result.push_back(positive);
  }
  return result;
}

std::optional<Ints> static_ints(const Operation& op, unsigned i, std::string_view attribute, Ints otherwise) {
  if (const Value* value = operand(op, i)) {
    const auto dims = known_dims(value);
    if (!dims || !is_static(*dims)) return std::nullopt;
    return static_sizes(*dims);
  }
  if (attribute.empty()) return otherwise;
  return op.get_or<Ints>(attribute, std::move(otherwise));
}

Ints run_ints(const Operation& op, const std::vector<Tensor>& operands, unsigned i, std::string_view attribute, Ints otherwise) {
  if (given(operands, i)) return ints(operands[i]);
  if (attribute.empty()) return otherwise;
  return op.get_or<Ints>(attribute, std::move(otherwise));
}

namespace {

Dim broadcast_dim(const Operation& op, std::string_view constraint, const Dim& a, const Dim& b) {
  if (a == b || b.is(1)) return a;
  if (a.is(1)) return b;
  if (may_equal(a, b)) return a.is_static() ? a : b;
  violated(op, constraint, "dims {} and {} do not broadcast: they are not known to be equal, and neither is 1", a.str(), b.str());
}

}  // namespace

Shape broadcast(const Operation& op, std::string_view constraint, const std::vector<Shape>& shapes) {
  size_t rank = 0;
  for (const Shape& shape : shapes) rank = std::max(rank, shape.size());
  Shape result(rank, Dim(1));
  for (const Shape& shape : shapes) {
    const size_t skip = rank - shape.size();
    for (size_t i = 0; i < shape.size(); ++i) result[skip + i] = broadcast_dim(op, constraint, result[skip + i], shape[i]);
  }
  return result;
}

Ints broadcast(const Operation& op, std::string_view constraint, const std::vector<Ints>& sizes) {
  std::vector<Shape> shapes;
  for (const Ints& s : sizes) shapes.push_back(make_shape(s));
  return static_sizes(broadcast(op, constraint, shapes));
}

// Built from the last axis outwards: each axis repeats what is there so far, moved by its step.
std::vector<int64_t> affine_index(const Ints& sizes, const Ints& steps, int64_t start) {
  std::vector<int64_t> index(static_cast<size_t>(checked_element_count(sizes)), start);
  size_t block = 1;
  for (size_t axis = sizes.size(); axis-- > 0 && !index.empty();) {
    for (int64_t i = 1; i < sizes[axis]; ++i) {
      int64_t* to = index.data() + static_cast<size_t>(i) * block;
      for (size_t j = 0; j < block; ++j) to[j] = index[j] + i * steps[axis];
    }
    block *= static_cast<size_t>(sizes[axis]);
  }
  return index;
}

std::vector<int64_t> broadcast_source(const Ints& from, const Ints& to) {
  const Ints strides = row_major_strides(from);
  Ints step(to.size(), 0);
  const size_t skip = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) step[skip + i] = from[i] == 1 ? 0 : strides[i];
  return affine_index(to, step);
}

namespace {

template <typename T>
std::vector<T> broadcast_elements(std::vector<T> values, const Ints& from, const Ints& to) {
  if (from == to) return values;
  const std::vector<int64_t> source = broadcast_source(from, to);
  std::vector<T> result(source.size());
  for (size_t i = 0; i < source.size(); ++i) result[i] = values[static_cast<size_t>(source[i])];
  return result;
}

}  // namespace

std::vector<double> broadcast_doubles(const Tensor& tensor, const Ints& to) {
  return broadcast_elements(doubles(tensor), tensor.sizes(), to);
}

std::vector<int64_t> broadcast_ints(const Tensor& tensor, const Ints& to) {
  return broadcast_elements(ints(tensor), tensor.sizes(), to);
}

Tensor pick(const Tensor& from, Ints sizes, const std::vector<int64_t>& index) {
  Tensor result(from.dtype(), std::move(sizes));
  const size_t width = static_cast<size_t>(size_bytes(from.dtype()));
  std::byte* to = result.mutable_data();
  for (size_t i = 0; i < index.size(); ++i) std::memcpy(to + i * width, from.data() + static_cast<size_t>(index[i]) * width, width);
  return result;
}

namespace {

bool all_known(const Operation& op) {
  for (const Value* value : op.results()) {
    if (!value->type().is_tensor() && !value->type().is_none()) return false;
  }
  return types_known(op);
}

}  // namespace

Cost cost_elementwise(const Operation& op) { return all_known(op) ? stele::cost_elementwise(op) : Cost{}; }
Cost cost_movement(const Operation& op) { return all_known(op) ? stele::cost_movement(op) : Cost{}; }
Cost cost_touching(const Operation& op) { return all_known(op) ? stele::cost_touching(op) : Cost{}; }
Cost cost_view(const Operation&) { return {.kernels = 0}; }

void verify_same_dtype(const Operation& op, std::string_view constraint, unsigned i, unsigned j) {
  const Value* a = operand(op, i);
  const Value* b = operand(op, j);
  if (!a || !b || !a->type().is_tensor() || !b->type().is_tensor() || a->dtype() == b->dtype()) return;
  violated(op, constraint, "operand {} has element type {}, expected {} as operand {}", j, name(b->dtype()), name(a->dtype()), i);
}

}  // namespace stele::onnx_op
