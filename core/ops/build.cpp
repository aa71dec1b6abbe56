#include "core/ops/build.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stele::build {
namespace {

const Type& type_of(Value* x) { return x->type(); }

}  // namespace

Value* unary(Builder& b, std::string_view name, Value* x) { return infer_value(b, name, {x}); }
Value* binary(Builder& b, std::string_view name, Value* x, Value* y) { return infer_value(b, name, {x, y}); }

Value* add(Builder& b, Value* x, Value* y) { return binary(b, "stablehlo.add", x, y); }
Value* subtract(Builder& b, Value* x, Value* y) { return binary(b, "stablehlo.subtract", x, y); }
Value* multiply(Builder& b, Value* x, Value* y) { return binary(b, "stablehlo.multiply", x, y); }
Value* divide(Builder& b, Value* x, Value* y) { return binary(b, "stablehlo.divide", x, y); }
Value* remainder(Builder& b, Value* x, Value* y) { return binary(b, "stablehlo.remainder", x, y); }
Value* maximum(Builder& b, Value* x, Value* y) { return binary(b, "stablehlo.maximum", x, y); }
Value* minimum(Builder& b, Value* x, Value* y) { return binary(b, "stablehlo.minimum", x, y); }
Value* power(Builder& b, Value* x, Value* y) { return binary(b, "stablehlo.power", x, y); }
Value* logical_and(Builder& b, Value* x, Value* y) { return binary(b, "stablehlo.and", x, y); }
Value* logical_or(Builder& b, Value* x, Value* y) { return binary(b, "stablehlo.or", x, y); }
Value* logical_xor(Builder& b, Value* x, Value* y) { return binary(b, "stablehlo.xor", x, y); }
Value* logical_not(Builder& b, Value* x) { return unary(b, "stablehlo.not", x); }
Value* abs(Builder& b, Value* x) { return unary(b, "stablehlo.abs", x); }
Value* negate(Builder& b, Value* x) { return unary(b, "stablehlo.negate", x); }
Value* exponential(Builder& b, Value* x) { return unary(b, "stablehlo.exponential", x); }
Value* log(Builder& b, Value* x) { return unary(b, "stablehlo.log", x); }
Value* tanh(Builder& b, Value* x) { return unary(b, "stablehlo.tanh", x); }
Value* logistic(Builder& b, Value* x) { return unary(b, "stablehlo.logistic", x); }
Value* sqrt(Builder& b, Value* x) { return unary(b, "stablehlo.sqrt", x); }
Value* rsqrt(Builder& b, Value* x) { return unary(b, "stablehlo.rsqrt", x); }
Value* sine(Builder& b, Value* x) { return unary(b, "stablehlo.sine", x); }
Value* cosine(Builder& b, Value* x) { return unary(b, "stablehlo.cosine", x); }
Value* floor(Builder& b, Value* x) { return unary(b, "stablehlo.floor", x); }
Value* ceil(Builder& b, Value* x) { return unary(b, "stablehlo.ceil", x); }
Value* sign(Builder& b, Value* x) { return unary(b, "stablehlo.sign", x); }
Value* erf(Builder& b, Value* x) { return unary(b, "chlo.erf", x); }

Value* convert(Builder& b, Value* x, DType dtype) {
  return x->dtype() == dtype ? x : b.create_value("stablehlo.convert", {x}, type_of(x).with_dtype(dtype));
}

Value* compare(Builder& b, std::string_view direction, Value* x, Value* y) {
  return infer_value(b, "stablehlo.compare", {x, y}, {{"comparison_direction", std::string(direction)}});
}

Value* select(Builder& b, Value* condition, Value* on_true, Value* on_false) {
  return infer_value(b, "stablehlo.select", {condition, on_true, on_false});
}

Value* clamp(Builder& b, Value* min, Value* x, Value* max) { return infer_value(b, "stablehlo.clamp", {min, x, max}); }

// ---- constants ------------------------------------------------------------------------------------------------------

Value* constant(Builder& b, Tensor value) {
  const Type type = value.type();
  return b.create_value("stablehlo.constant", {}, type, {{"value", std::move(value)}});
}

Value* scalar_constant(Builder& b, DType dtype, double value) { return constant(b, Tensor::scalar(dtype, value)); }
Value* int_constant(Builder& b, DType dtype, int64_t value) { return constant(b, Tensor::of_ints(dtype, {}, {value})); }

Value* splat(Builder& b, const Type& type, double value) {
  Value* scalar = scalar_constant(b, type.dtype, value);
  return type.rank() == 0 ? scalar : broadcast_in_dim(b, scalar, type, {});
}

Value* splat_like(Builder& b, Value* x, double value) { return splat(b, type_of(x), value); }

Value* iota(Builder& b, const Type& type, int64_t axis) {
  return b.create_value("stablehlo.iota", {}, type, {{"iota_dimension", axis}});
}

Value* dim_value(Builder& b, DType dtype, const Dim& dim) {
  if (dim.is_static()) return int_constant(b, dtype, dim.value());
  // The last of 0 … dim: what the tensor level has that knows a symbol.
  Value* counted = iota(b, Type::tensor(dtype, {dim + 1}), 0);
  return reshape(b, slice(b, counted, {dim}, {dim + 1}), {});
}

// ---- movement -------------------------------------------------------------------------------------------------------

Value* broadcast_in_dim(Builder& b, Value* x, const Type& type, const Ints& dims) {
  return b.create_value("stablehlo.broadcast_in_dim", {x}, type, {{"broadcast_dimensions", dims}});
}

Value* broadcast_to(Builder& b, Value* x, const Shape& shape) {
  if (x->shape() == shape) return x;
  const auto offset = static_cast<int64_t>(shape.size()) - x->rank();
  if (offset < 0) fail("shape {} does not broadcast to {}", str(x->shape()), str(shape));
  Ints dims;
  for (int64_t i = 0; i < x->rank(); ++i) {
    const Dim &from = x->shape()[i], &to = shape[i + offset];
    if (!from.is(1) && !may_equal(from, to)) fail("shape {} does not broadcast to {}", str(x->shape()), str(shape));
    dims.push_back(i + offset);
  }
  return broadcast_in_dim(b, x, type_of(x).with_shape(shape), dims);
}

Shape broadcast_shapes(const Shape& x, const Shape& y) {
  Shape shape(std::max(x.size(), y.size()), 1);
  for (size_t i = 1; i <= shape.size(); ++i) {
    const Dim left = i <= x.size() ? x[x.size() - i] : Dim(1), right = i <= y.size() ? y[y.size() - i] : Dim(1);
    if (!left.is(1) && !right.is(1) && !may_equal(left, right)) fail("shapes {} and {} do not broadcast together", str(x), str(y));
    shape[shape.size() - i] = left.is(1) || (is_unknown_size(left) && !right.is(1)) ? right : left;
  }
  return shape;
}

std::vector<Value*> broadcast_together(Builder& b, std::vector<Value*> values) {
  Shape shape;
  for (const Value* value : values) shape = broadcast_shapes(shape, value->shape());
  for (Value*& value : values) value = broadcast_to(b, value, shape);
  return values;
}

Value* reshape(Builder& b, Value* x, const Shape& shape) {
  return x->shape() == shape ? x : b.create_value("stablehlo.reshape", {x}, type_of(x).with_shape(shape));
}

Value* transpose(Builder& b, Value* x, const Ints& permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return x;
  return infer_value(b, "stablehlo.transpose", {x}, {{"permutation", permutation}});
}

namespace {

// Ints where every dim is static, so that text reads as StableHLO's.
Attribute dims(const Shape& shape) { return is_static(shape) ? Attribute(static_sizes(shape)) : Attribute(shape); }

}  // namespace

Value* slice(Builder& b, Value* x, const Shape& starts, const Shape& limits, const Ints& strides) {
  return infer_value(b, "stablehlo.slice", {x},
                     {{"start_indices", dims(starts)}, {"limit_indices", dims(limits)}, {"strides", strides.empty() ? Ints(starts.size(), 1) : strides}});
}

Value* slice_axis(Builder& b, Value* x, int64_t axis, const Dim& start, const Dim& limit, int64_t stride) {
  Shape starts(x->rank(), 0), limits = x->shape();
  Ints strides(x->rank(), 1);
  starts.at(axis) = start;
  limits.at(axis) = limit;
  strides.at(axis) = stride;
  return slice(b, x, starts, limits, strides);
}

Value* concatenate(Builder& b, const std::vector<Value*>& values, int64_t dimension) {
  return infer_value(b, "stablehlo.concatenate", values, {{"dimension", dimension}});
}

Value* pad(Builder& b, Value* x, Value* value, const Shape& low, const Shape& high, const Ints& interior) {
  return infer_value(b, "stablehlo.pad", {x, value},
                     {{"edge_padding_low", dims(low)}, {"edge_padding_high", dims(high)}, {"interior_padding", interior.empty() ? Ints(low.size(), 0) : interior}});
}

Value* reverse(Builder& b, Value* x, const Ints& dimensions) { return infer_value(b, "stablehlo.reverse", {x}, {{"dimensions", dimensions}}); }

Value* gather(Builder& b, Value* x, Value* indices, const GatherDims& numbers, const Shape& slice_sizes) {
  Attributes attributes = {{"offset_dims", numbers.offset_dims},
                           {"collapsed_slice_dims", numbers.collapsed_slice_dims},
                           {"start_index_map", numbers.start_index_map},
                           {"index_vector_dim", numbers.index_vector_dim},
                           {"slice_sizes", dims(slice_sizes)}};
  if (!numbers.operand_batching_dims.empty()) {
    attributes["operand_batching_dims"] = numbers.operand_batching_dims;
    attributes["start_indices_batching_dims"] = numbers.start_indices_batching_dims;
  }
  return infer_value(b, "stablehlo.gather", {x, indices}, std::move(attributes));
}

Value* take(Builder& b, Value* x, Value* indices, int64_t axis) {
  GatherDims numbers{.collapsed_slice_dims = {axis}, .start_index_map = {axis}, .index_vector_dim = indices->rank()};
  Shape sizes = x->shape();
  sizes.at(axis) = 1;
  for (int64_t i = 0; i < x->rank() - 1; ++i) numbers.offset_dims.push_back(i < axis ? i : i + indices->rank());
  return gather(b, x, indices, numbers, sizes);
}

Value* dynamic_slice(Builder& b, Value* x, const std::vector<Value*>& starts, const Shape& slice_sizes) {
  std::vector<Value*> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return infer_value(b, "stablehlo.dynamic_slice", operands, {{"slice_sizes", dims(slice_sizes)}});
}

Value* dynamic_update_slice(Builder& b, Value* x, Value* update, const std::vector<Value*>& starts) {
  std::vector<Value*> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return infer_value(b, "stablehlo.dynamic_update_slice", operands);
}

// ---- contractions ---------------------------------------------------------------------------------------------------

Value* dot_general(Builder& b, Value* x, Value* y, const DotDims& numbers) {
  return infer_value(b, "stablehlo.dot_general", {x, y},
                     {{"lhs_batching_dimensions", numbers.lhs_batching},
                      {"rhs_batching_dimensions", numbers.rhs_batching},
                      {"lhs_contracting_dimensions", numbers.lhs_contracting},
                      {"rhs_contracting_dimensions", numbers.rhs_contracting}});
}

Value* matmul(Builder& b, Value* x, Value* y) {
  if (x->rank() == 0 || y->rank() == 0) fail("matmul of a scalar");
  const bool row = x->rank() == 1, column = y->rank() == 1;
  if (row) x = reshape(b, x, {1, x->shape()[0]});
  if (column) y = reshape(b, y, {y->shape()[0], 1});
  // A matrix on the right of a batch is one product with all rows: no broadcast needed.
  DotDims numbers;
  if (y->rank() > 2) {
    const Shape batch = broadcast_shapes(Shape(x->shape().begin(), x->shape().end() - 2), Shape(y->shape().begin(), y->shape().end() - 2));
    const auto with_batch = [&](Value* value) {
      Shape shape = batch;
      shape.insert(shape.end(), value->shape().end() - 2, value->shape().end());
      return broadcast_to(b, value, shape);
    };
    x = with_batch(x);
    y = with_batch(y);
    for (size_t i = 0; i < batch.size(); ++i) numbers.lhs_batching.push_back(static_cast<int64_t>(i));
    numbers.rhs_batching = numbers.lhs_batching;
  }
  numbers.lhs_contracting = {x->rank() - 1};
  numbers.rhs_contracting = {y->rank() - 2};
  Value* product = dot_general(b, x, y, numbers);
  Shape shape = product->shape();
  if (column) shape.erase(shape.end() - 1);
  if (row) shape.erase(shape.end() - (column ? 1 : 2));
  return reshape(b, product, shape);
}

Value* convolution(Builder& b, Value* x, Value* weights, const Convolution& how) {
  const auto spatial = static_cast<size_t>(x->rank() - 2);
  Ints axes;
  for (size_t i = 0; i < spatial; ++i) axes.push_back(static_cast<int64_t>(i) + 2);
  const auto ones_or = [&](const Ints& given) { return given.empty() ? Ints(spatial, 1) : given; };
  return infer_value(b, "stablehlo.convolution", {x, weights},
                     {{"window_strides", ones_or(how.window_strides)},
                      {"padding", how.padding.empty() ? Ints(2 * spatial, 0) : how.padding},
                      {"lhs_dilation", ones_or(how.lhs_dilation)},
                      {"rhs_dilation", ones_or(how.rhs_dilation)},
                      {"input_batch_dimension", 0},
                      {"input_feature_dimension", 1},
                      {"input_spatial_dimensions", axes},
                      {"kernel_output_feature_dimension", 0},
                      {"kernel_input_feature_dimension", 1},
                      {"kernel_spatial_dimensions", axes},
                      {"output_batch_dimension", 0},
                      {"output_feature_dimension", 1},
                      {"output_spatial_dimensions", axes},
                      {"feature_group_count", how.feature_group_count},
                      {"batch_group_count", how.batch_group_count}});
}

// ---- reductions -----------------------------------------------------------------------------------------------------

Value* neutral(Builder& b, std::string_view kind, DType dtype) {
  const int bits = 8 * size_bytes(dtype);
  const bool is_signed = is_signed_int(dtype) || dtype == DType::index;
  const int64_t most = is_signed ? static_cast<int64_t>(~uint64_t{0} >> (65 - bits)) : -1;  // of unsigned: all ones, wrapped
  if (kind == "maximum") {
    if (is_float(dtype)) return scalar_constant(b, dtype, -std::numeric_limits<double>::infinity());
    return int_constant(b, dtype, is_signed ? -most - 1 : 0);
  }
  if (kind == "minimum") {
    if (is_float(dtype)) return scalar_constant(b, dtype, std::numeric_limits<double>::infinity());
    return int_constant(b, dtype, most);
  }
  if (kind == "and") return int_constant(b, dtype, -1);
  if (kind == "multiply") return scalar_constant(b, dtype, 1);
  if (kind == "add" || kind == "or") return scalar_constant(b, dtype, 0);
  fail("reduction '{}' is not known", kind);
}

namespace {

// An op that folds x from the neutral element by a region of that kind.
Value* folded(Builder& b, std::string_view name, Value* x, std::string_view kind, Attributes attributes) {
  Value* init = neutral(b, kind, x->dtype());
  Operation* op = create_inferred(b, name, {x, init}, 1, std::move(attributes), 1);
  const Type scalar = Type::tensor(x->dtype(), {});
  Builder inner(b.module());
  inner.at_end(op->region());
  Value* lhs = inner.add_argument(op->region(), scalar);
  Value* rhs = inner.add_argument(op->region(), scalar);
  Value* result = binary(inner, "stablehlo." + std::string(kind), lhs, rhs);
  inner.create("stablehlo.return", {result}, {});
  return op->result();
}

}  // namespace

Value* reduce(Builder& b, Value* x, std::string_view kind, const Ints& dimensions, bool keep_dims) {
  Shape kept;
  for (int axis = 0; axis < x->rank(); ++axis) {
    const bool folds = std::find(dimensions.begin(), dimensions.end(), axis) != dimensions.end();
    kept.push_back(folds ? Dim(1) : x->shape()[axis]);
  }
  Value* result = dimensions.empty() ? x : folded(b, "stablehlo.reduce", x, kind, {{"dimensions", dimensions}});
  return keep_dims ? reshape(b, result, kept) : result;
}

Value* reduce_window(Builder& b, Value* x, std::string_view kind, const Window& window) {
  const auto rank = static_cast<size_t>(x->rank());
  const auto ones_or = [&](const Ints& given) { return given.empty() ? Ints(rank, 1) : given; };
  Attributes attributes = {{"window_dimensions", window.dimensions},
                           {"window_strides", ones_or(window.strides)},
                           {"base_dilations", ones_or(window.base_dilations)},
                           {"window_dilations", ones_or(window.window_dilations)},
                           {"padding", window.padding.empty() ? Ints(2 * rank, 0) : window.padding}};
  return folded(b, "stablehlo.reduce_window", x, kind, std::move(attributes));
}

}  // namespace stele::build
