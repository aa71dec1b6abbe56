// ONNX's matrix products: MatMul, Gemm.
#include <cmath>

#include "core/ops/all_ops.h"
#include "core/ops/onnx_nn.h"

namespace stele {
namespace {

using namespace onnx_op;
using namespace onnx_nn;
using Tensors = std::vector<Tensor>;
using Types = std::vector<Type>;
using Values = std::vector<Value*>;

// c += a b for row-major matrices. T is double, or uint64_t where integers wrap.
template <typename T>
void add_product(const T* a, const T* b, T* c, int64_t m, int64_t k, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    T* const row = c + i * n;
    for (int64_t l = 0; l < k; ++l) {
      const T factor = a[i * k + l];
      const T* const other = b + l * n;
      for (int64_t j = 0; j < n; ++j) row[j] += factor * other[j];
    }
  }
}

template <typename T>
std::vector<T> elements(const Tensor& tensor);
template <>
std::vector<double> elements<double>(const Tensor& tensor) { return doubles(tensor); }
template <>
std::vector<uint64_t> elements<uint64_t>(const Tensor& tensor) {
  const std::vector<int64_t> values = ints(tensor);
  return {values.begin(), values.end()};
}

Tensor make(DType dtype, const Ints& sizes, const std::vector<double>& values) { return tensor_of(dtype, sizes, values); }
Tensor make(DType dtype, const Ints& sizes, const std::vector<uint64_t>& values) {
  return tensor_of(dtype, sizes, std::vector<int64_t>(values.begin(), values.end()));
}

// ---- MatMul ---------------------------------------------------------------------------------------------------------

struct Product {
  Shape batch, a_batch, b_batch;
  Dim m, k, n;
  bool row = false, column = false;  // a, b of rank 1: that axis goes again
  Shape result() const {
    Shape shape = batch;
    if (!row) shape.push_back(m);
    if (!column) shape.push_back(n);
    return shape;
  }
};

// onnx.MatMul(A, B), as numpy.matmul
//   c1: rank 1 or more each;  c2: inner sizes agree, batch axes broadcast;  c3: one element type
Product product_of(const Operation& op, const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) violated(op, "c1", "operands have rank {} and {}, expected 1 or more", a.size(), b.size());
  Product p;
  p.row = a.size() == 1;
  p.column = b.size() == 1;
  p.m = p.row ? Dim(1) : a[a.size() - 2];
  p.k = a.back();
  p.n = p.column ? Dim(1) : b.back();
  const Dim& inner = p.column ? b[0] : b[b.size() - 2];
  if (!may_equal(p.k, inner)) violated(op, "c2", "inner sizes are {} and {}, expected equal", p.k.str(), inner.str());
  if (!p.row) p.a_batch.assign(a.begin(), a.end() - 2);
  if (!p.column) p.b_batch.assign(b.begin(), b.end() - 2);
  p.batch = broadcast(op, "c2", std::vector<Shape>{p.a_batch, p.b_batch});
  return p;
}

Types infer_matmul(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  verify_same_dtype(op, "c3", 0, 1);
  const Type& a = op.operand(0)->type();
  return {a.with_shape(product_of(op, a.shape, op.operand(1)->shape()).result())};
}

template <typename T>
Tensor multiply(const Operation& op, const Tensor& a, const Tensor& b, DType dtype) {
  const Product p = product_of(op, make_shape(a.sizes()), make_shape(b.sizes()));
  const Ints batch = static_sizes(p.batch);
  const std::vector<int64_t> from_a = broadcast_source(static_sizes(p.a_batch), batch);
  const std::vector<int64_t> from_b = broadcast_source(static_sizes(p.b_batch), batch);
  const int64_t m = p.m.value(), k = p.k.value(), n = p.n.value(), count = checked_element_count(batch);
  const std::vector<T> left = elements<T>(a), right = elements<T>(b);
  std::vector<T> result(static_cast<size_t>(count * m * n));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t x = from_a.empty() ? i : from_a[static_cast<size_t>(i)], y = from_b.empty() ? i : from_b[static_cast<size_t>(i)];
    add_product(left.data() + x * m * k, right.data() + y * k * n, result.data() + i * m * n, m, k, n);
  }
  return make(dtype, static_sizes(p.result()), result);
}

Tensors evaluate_matmul(const Operation& op, const Tensors& operands, EvalContext& context) {
  const DType dtype = context.widened(operands[0].dtype());
  if (is_float(dtype)) return {multiply<double>(op, operands[0], operands[1], dtype)};
  return {multiply<uint64_t>(op, operands[0], operands[1], dtype)};
}

Values decompose_matmul(const Operation& op, Builder& b) { return {build::matmul(b, op.operand(0), op.operand(1))}; }

Cost cost_matmul(const Operation& op) {
  if (!types_known(op) || !op.result()->type().is_tensor()) return {};
  return one_kernel(op, op.result()->type().elements() * op.operand(0)->shape().back() * 2);
}

// ---- Gemm -----------------------------------------------------------------------------------------------------------

struct Gemm {
  bool transposes_a, transposes_b;
  double alpha, beta;
  Dim m, k, n;
};

// onnx.Gemm(A, B, C?) {alpha, beta, transA, transB}: alpha A B + beta C
//   c1: A and B are matrices;  c2: inner sizes agree;  c3: C broadcasts to the product;  c4: one element type
//   c5: alpha and beta are integers where the elements are
Gemm gemm_of(const Operation& op, const Shape& a, const Shape& b) {
  if (a.size() != 2 || b.size() != 2) violated(op, "c1", "operands have rank {} and {}, expected 2", a.size(), b.size());
  Gemm g{op.get_or<int64_t>("transA", 0) != 0, op.get_or<int64_t>("transB", 0) != 0, op.get_or<double>("alpha", 1.0),
         op.get_or<double>("beta", 1.0), 0, 0, 0};
  g.m = a[g.transposes_a ? 1 : 0];
  g.k = a[g.transposes_a ? 0 : 1];
  g.n = b[g.transposes_b ? 0 : 1];
  const Dim& inner = b[g.transposes_b ? 1 : 0];
  if (!may_equal(g.k, inner)) violated(op, "c2", "inner sizes are {} and {}, expected equal", g.k.str(), inner.str());
  return g;
}

bool is_whole(double value) { return std::floor(value) == value && std::fabs(value) < 0x1p53; }

Types infer_gemm(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  verify_same_dtype(op, "c4", 0, 1);
  const Type& a = op.operand(0)->type();
  const Gemm g = gemm_of(op, a.shape, op.operand(1)->shape());
  if (!is_float(a.dtype) && !(is_whole(g.alpha) && is_whole(g.beta))) violated(op, "c5", "alpha {} and beta {}, expected integers", g.alpha, g.beta);
  const Shape shape = {g.m, g.n};
  if (const Value* c = operand(op, 2)) {
    verify_same_dtype(op, "c4", 0, 2);
    if (c->rank() > 2 || !may_equal(broadcast(op, "c3", {c->shape(), shape}), shape)) {
      violated(op, "c3", "C has shape {}, which does not broadcast to {}", str(c->shape()), str(shape));
    }
  }
  return {a.with_shape(shape)};
}

template <typename T>
std::vector<T> matrix(const Tensor& tensor, bool transposed) {
  std::vector<T> values = elements<T>(tensor);
  if (!transposed) return values;
  const auto rows = static_cast<size_t>(tensor.sizes()[0]), columns = static_cast<size_t>(tensor.sizes()[1]);
  std::vector<T> other(values.size());
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) other[j * rows + i] = values[i * columns + j];
  }
  return other;
}

template <typename T>
T factor(double value) {
  if constexpr (std::is_same_v<T, double>) return value;
  return static_cast<T>(static_cast<int64_t>(value));
}

template <typename T>
Tensor gemm(const Operation& op, const Tensors& operands, DType dtype) {
  const Gemm g = gemm_of(op, make_shape(operands[0].sizes()), make_shape(operands[1].sizes()));
  const Ints sizes = {g.m.value(), g.n.value()};
  std::vector<T> result(static_cast<size_t>(checked_element_count(sizes)));
  add_product(matrix<T>(operands[0], g.transposes_a).data(), matrix<T>(operands[1], g.transposes_b).data(), result.data(), sizes[0],
              g.k.value(), sizes[1]);
  const T alpha = factor<T>(g.alpha), beta = factor<T>(g.beta);
  for (T& value : result) value *= alpha;
  if (given(operands, 2)) {
    const std::vector<T> c = elements<T>(operands[2]);
    const std::vector<int64_t> source = broadcast_source(operands[2].sizes(), sizes);
    for (size_t i = 0; i < result.size(); ++i) result[i] += beta * c[source.empty() ? i : static_cast<size_t>(source[i])];
  }
  return make(dtype, sizes, result);
}

Tensors evaluate_gemm(const Operation& op, const Tensors& operands, EvalContext& context) {
  const DType dtype = context.widened(operands[0].dtype());
  return {is_float(dtype) ? gemm<double>(op, operands, dtype) : gemm<uint64_t>(op, operands, dtype)};
}

Value* scaled(Builder& b, Value* x, double factor) { return factor == 1 ? x : with(b, "stablehlo.multiply", x, factor); }

Values decompose_gemm(const Operation& op, Builder& b) {
  const Gemm g = gemm_of(op, op.operand(0)->shape(), op.operand(1)->shape());
  const build::DotDims dims{.lhs_contracting = {g.transposes_a ? 0 : 1}, .rhs_contracting = {g.transposes_b ? 1 : 0}};
  Value* product = scaled(b, build::dot_general(b, op.operand(0), op.operand(1), dims), g.alpha);
  if (Value* c = operand(op, 2)) product = with(b, "stablehlo.add", product, scaled(b, c, g.beta));
  return {product};
}

Cost cost_gemm(const Operation& op) {
  if (!types_known(op) || !op.result()->type().is_tensor()) return {};
  const Gemm g = gemm_of(op, op.operand(0)->shape(), op.operand(1)->shape());
  const Dim elements = op.result()->type().elements();
  return one_kernel(op, elements * g.k * 2 + (operand(op, 2) ? elements : Dim(0)));
}

}  // namespace

std::span<const OpDef> onnx_matmul_ops() {
  static const OpDef table[] = {
      {.name = "onnx.MatMul",
       .summary = "matrix product of the last two axes, batch axes broadcast",
       .level = Level::framework,
       .operands = {{"A"}, {"B"}},
       .traits = Trait::pure | Trait::contraction,
       .verify = verify_by_inference,
       .infer = infer_matmul,
       .evaluate = evaluate_matmul,
       .gradient = gradient_of_decomposition(),
       .decompose = decompose_matmul,
       .cost = cost_matmul},
      {.name = "onnx.Gemm",
       .summary = "alpha A B + beta C for matrices",
       .level = Level::framework,
       .operands = {{"A"}, {"B"}, {"C", OperandDef::optional}},
       .attributes = {{"alpha", "f32, default 1"}, {"beta", "f32, default 1"}, {"transA", "i64, default 0"}, {"transB", "i64, default 0"}},
       .traits = Trait::pure | Trait::contraction,
       .verify = verify_by_inference,
       .infer = infer_gemm,
       .evaluate = evaluate_gemm,
       .gradient = gradient_of_decomposition(),
       .decompose = decompose_gemm,
       .cost = cost_gemm},
  };
  return table;
}

}  // namespace stele
