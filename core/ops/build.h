// Typed construction of tensor-level ops at a builder's insertion point, for decompositions and passes: every helper
// infers the result's type. Shapes may be symbolic. build::add(b, x, y) makes stablehlo.add.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/builder.h"
#include "core/ops/op_def.h"
#include "core/ops/rules.h"

namespace stele::build {

// Any unary or binary elementwise op by its full name ("stablehlo.tanh", "chlo.erf"). Binary: equal types are required;
// use broadcast_together first where they differ.
Value* unary(Builder& b, std::string_view name, Value* x);
Value* binary(Builder& b, std::string_view name, Value* x, Value* y);

Value* add(Builder& b, Value* x, Value* y);
Value* subtract(Builder& b, Value* x, Value* y);
Value* multiply(Builder& b, Value* x, Value* y);
Value* divide(Builder& b, Value* x, Value* y);
Value* remainder(Builder& b, Value* x, Value* y);
Value* maximum(Builder& b, Value* x, Value* y);
Value* minimum(Builder& b, Value* x, Value* y);
Value* power(Builder& b, Value* x, Value* y);
Value* logical_and(Builder& b, Value* x, Value* y);
Value* logical_or(Builder& b, Value* x, Value* y);
Value* logical_xor(Builder& b, Value* x, Value* y);
Value* logical_not(Builder& b, Value* x);
Value* abs(Builder& b, Value* x);
Value* negate(Builder& b, Value* x);
Value* exponential(Builder& b, Value* x);
Value* log(Builder& b, Value* x);
Value* tanh(Builder& b, Value* x);
Value* logistic(Builder& b, Value* x);
Value* sqrt(Builder& b, Value* x);
Value* rsqrt(Builder& b, Value* x);
Value* sine(Builder& b, Value* x);
Value* cosine(Builder& b, Value* x);
Value* floor(Builder& b, Value* x);
Value* ceil(Builder& b, Value* x);
Value* sign(Builder& b, Value* x);
Value* erf(Builder& b, Value* x);

Value* convert(Builder& b, Value* x, DType dtype);                            // x itself where it has that dtype
Value* compare(Builder& b, std::string_view direction, Value* x, Value* y);  // "EQ" "NE" "GE" "GT" "LE" "LT"
Value* select(Builder& b, Value* condition, Value* on_true, Value* on_false);  // condition: same shape, or rank 0
Value* clamp(Builder& b, Value* min, Value* x, Value* max);                  // min, max: same shape, or rank 0

Value* constant(Builder& b, Tensor value);
Value* scalar_constant(Builder& b, DType dtype, double value);  // rank 0
Value* int_constant(Builder& b, DType dtype, int64_t value);    // rank 0; exact over the whole range of int64
Value* splat(Builder& b, const Type& type, double value);       // a rank-0 constant broadcast to type
Value* splat_like(Builder& b, Value* x, double value);          // … to x's type
Value* iota(Builder& b, const Type& type, int64_t axis);
// The value of a dim as a rank-0 tensor (stablehlo.iota and friends cannot say it): a constant where it is static.
Value* dim_value(Builder& b, DType dtype, const Dim& dim);

Value* broadcast_in_dim(Builder& b, Value* x, const Type& type, const Ints& dims);
Value* broadcast_to(Builder& b, Value* x, const Shape& shape);  // NumPy's rules, right aligned; x itself where equal
// NumPy's rules for two shapes; throws Error naming both where they do not fit.
Shape broadcast_shapes(const Shape& x, const Shape& y);
std::vector<Value*> broadcast_together(Builder& b, std::vector<Value*> values);
Value* reshape(Builder& b, Value* x, const Shape& shape);  // x itself where equal
Value* transpose(Builder& b, Value* x, const Ints& permutation);
Value* slice(Builder& b, Value* x, const Shape& starts, const Shape& limits, const Ints& strides = {});
// One axis from start to limit, the others whole.
Value* slice_axis(Builder& b, Value* x, int64_t axis, const Dim& start, const Dim& limit, int64_t stride = 1);
Value* concatenate(Builder& b, const std::vector<Value*>& values, int64_t dimension);
Value* pad(Builder& b, Value* x, Value* value, const Shape& low, const Shape& high, const Ints& interior = {});
Value* reverse(Builder& b, Value* x, const Ints& dimensions);

struct GatherDims {
  Ints offset_dims = {}, collapsed_slice_dims = {}, operand_batching_dims = {}, start_indices_batching_dims = {}, start_index_map = {};
  int64_t index_vector_dim = 0;
};
Value* gather(Builder& b, Value* x, Value* indices, const GatherDims& dims, const Shape& slice_sizes);
// Rows of x along `axis` at `indices` (any rank): x[…, indices, …], as onnx.Gather and numpy.take. No negative indices.
Value* take(Builder& b, Value* x, Value* indices, int64_t axis);
Value* dynamic_slice(Builder& b, Value* x, const std::vector<Value*>& starts, const Shape& slice_sizes);
Value* dynamic_update_slice(Builder& b, Value* x, Value* update, const std::vector<Value*>& starts);

struct DotDims {
  Ints lhs_batching = {}, rhs_batching = {}, lhs_contracting = {}, rhs_contracting = {};
};
Value* dot_general(Builder& b, Value* x, Value* y, const DotDims& dims);
// Batched matrix product of the last two axes, as numpy.matmul: batch axes are broadcast, rank 1 is a row or a column.
Value* matmul(Builder& b, Value* x, Value* y);

struct Convolution {
  Ints window_strides = {}, padding = {}, lhs_dilation = {}, rhs_dilation = {};  // padding: low, high an axis; empty: defaults
  int64_t feature_group_count = 1, batch_group_count = 1;
};
// x [N, C, spatial…], weights [O, C/groups, spatial…] -> [N, O, spatial…], as in ONNX.
Value* convolution(Builder& b, Value* x, Value* weights, const Convolution& how);

// kind: "add" "multiply" "maximum" "minimum" "and" "or". The reduced dims go; keep_dims leaves them as 1.
Value* reduce(Builder& b, Value* x, std::string_view kind, const Ints& dimensions, bool keep_dims = false);
struct Window {
  Ints dimensions, strides = {}, base_dilations = {}, window_dilations = {}, padding = {};
};
Value* reduce_window(Builder& b, Value* x, std::string_view kind, const Window& window);
// The neutral element of a kind, as a rank-0 constant.
Value* neutral(Builder& b, std::string_view kind, DType dtype);

}  // namespace stele::build
