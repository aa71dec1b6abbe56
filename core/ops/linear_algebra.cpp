// fft, cholesky, triangular_solve over the last axes, in complex<double> and rounded once; and chlo.top_k.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/ops/all_ops.h"
#include "core/ops/complex.h"
#include "core/ops/elements.h"
#include "core/ops/elementwise.h"

namespace stele {
namespace {

using Tensors = std::vector<Tensor>;

Tensor of_complexes(DType dtype, const Ints& sizes, const std::vector<Complex>& values) {
  if (is_complex(dtype)) return tensor_of(dtype, sizes, values);
  std::vector<double> parts;
  for (const Complex& z : values) parts.push_back(z.real());
  return tensor_of(dtype, sizes, parts);
}

OpDef plain(std::string_view name, std::string_view summary, std::vector<OperandDef> operands, std::vector<AttributeDef> attributes,
            VerifyFunction* verify, InferFunction* infer, EvaluateFunction* evaluate) {
  return {
      .name = name,
      .summary = summary,
      .operands = std::move(operands),
      .attributes = std::move(attributes),
      .traits = Trait::pure,
      .verify = verify,
      .infer = infer,
      .evaluate = evaluate,
      .gradient = no_gradient("not provided"),
      .decompose = primitive(),
      .cost = cost_movement,  // what it moves; its arithmetic is not counted
  };
}

// ---- fft ------------------------------------------------------------------------------------------------------------
// fft(x) {fft_type, fft_length}: over the last |fft_length| axes.
//   c1: fft_type is FFT, IFFT, RFFT or IRFFT, and the operand complex (RFFT: real)
//   c2: 1 to 3 lengths, no more than axes;  c3: lengths are the sizes (IRFFT: the last size is length/2 + 1)
//   c4: the result has the operand's sizes (RFFT: length/2 + 1, IRFFT: length in the last)

std::vector<Type> infer_fft(const Operation& op) {
  const Type& x = op.operand(0)->type();
  const auto& kind = op.get<std::string>("fft_type");
  const Ints& lengths = op.get<Ints>("fft_length");
  if (kind != "FFT" && kind != "IFFT" && kind != "RFFT" && kind != "IRFFT") violated(op, "c1", "fft_type is '{}', expected FFT, IFFT, RFFT or IRFFT", kind);
  if (is_complex(x.dtype) == (kind == "RFFT")) violated(op, "c1", "operand of {} has element type {}", kind, name(x.dtype));
  if (lengths.empty() || lengths.size() > 3 || static_cast<int>(lengths.size()) > x.rank()) violated(op, "c2", "{} lengths for rank {}", lengths.size(), x.rank());
  Type result = x;
  const size_t first = x.shape.size() - lengths.size();
  for (size_t i = 0; i < lengths.size(); ++i) {
    const bool halved = kind == "IRFFT" && i + 1 == lengths.size();
    if (!may_equal(x.shape[first + i], halved ? lengths[i] / 2 + 1 : lengths[i])) violated(op, "c3", "axis {} has size {}, and length {}", first + i, x.shape[first + i].str(), lengths[i]);
  }
  if (kind == "RFFT") result = Type::tensor(x.dtype == DType::f32 ? DType::c64 : DType::c128, x.shape);
  if (kind == "RFFT") result.shape.back() = lengths.back() / 2 + 1;
  if (kind == "IRFFT") result = Type::tensor(part_dtype(x.dtype), x.shape);
  if (kind == "IRFFT") result.shape.back() = lengths.back();
  return {result};
}
void verify_fft(const Operation& op) { verify_inferred(op, "c4"); }

// Of every line along an axis: sum over k of line[k] * exp(sign * 2 pi i k t / n), by definition.
void transform(std::vector<Complex>& values, const Ints& sizes, size_t axis, int sign) {
  const int64_t n = sizes[axis], inner = checked_element_count(Ints(sizes.begin() + static_cast<int64_t>(axis) + 1, sizes.end()));
  std::vector<Complex> roots, line(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) roots.push_back(std::polar(1.0, sign * 2 * M_PI * static_cast<double>(k) / static_cast<double>(n)));
  const auto lines = static_cast<int64_t>(values.size()) / std::max<int64_t>(n, 1);
  for (int64_t l = 0; l < lines; ++l) {
    Complex* start = values.data() + l / inner * inner * n + l % inner;
    for (int64_t t = 0; t < n; ++t) {
      line[t] = 0;
      for (int64_t k = 0; k < n; ++k) line[t] += start[k * inner] * roots[k * t % n];
    }
    for (int64_t t = 0; t < n; ++t) start[t * inner] = sign > 0 ? line[t] / static_cast<double>(n) : line[t];
  }
}

// The last axis resized to n: cut, or filled by the symmetry of a real signal's spectrum.
std::vector<Complex> with_last(const std::vector<Complex>& values, int64_t from, int64_t n) {
  std::vector<Complex> resized;
  for (size_t row = 0; row < values.size(); row += static_cast<size_t>(from)) {
    for (int64_t k = 0; k < n; ++k) resized.push_back(k < from ? values[row + k] : std::conj(values[row + n - k]));
  }
  return resized;
}

Tensors evaluate_fft(const Operation& op, const Tensors& operands, EvalContext& context) {
  const auto& kind = op.get<std::string>("fft_type");
  const Ints& lengths = op.get<Ints>("fft_length");
  std::vector<Complex> values = complexes(operands[0]);
  Ints sizes = operands[0].sizes();
  const size_t first = sizes.size() - lengths.size();
  const int sign = kind == "FFT" || kind == "RFFT" ? -1 : 1;
  for (size_t axis = first; axis + 1 < sizes.size(); ++axis) transform(values, sizes, axis, sign);
  if (kind == "IRFFT") values = with_last(values, std::exchange(sizes.back(), lengths.back()), lengths.back());
  transform(values, sizes, sizes.size() - 1, sign);
  if (kind == "RFFT") values = with_last(values, std::exchange(sizes.back(), lengths.back() / 2 + 1), lengths.back() / 2 + 1);
  return {of_complexes(context.widened(op.result()->dtype()), sizes, values)};
}

// ---- cholesky, triangular_solve -------------------------------------------------------------------------------------
// cholesky(a) {lower}: l with l * l^H = a (upper: l^H * l); the other triangle is zero. NaN where a is not positive.
//   c1: a has rank 2 or more, its last dims equal;  c2: the result has a's type

std::vector<Type> infer_cholesky(const Operation& op) {
  const Type& a = op.operand(0)->type();
  if (a.rank() < 2 || !may_equal(a.shape[a.rank() - 1], a.shape[a.rank() - 2])) violated(op, "c1", "operand has type {}, expected square matrices", a.str());
  return {a};
}
void verify_cholesky(const Operation& op) { verify_inferred(op, "c2"); }

void factor(const Complex* a, Complex* l, int64_t n, bool lower) {
  const auto at = [&](int64_t i, int64_t j) -> Complex& { return lower ? l[i * n + j] : l[j * n + i]; };
  const auto given = [&](int64_t i, int64_t j) { return lower ? a[i * n + j] : std::conj(a[j * n + i]); };
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      Complex sum = given(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= (lower ? at(i, k) : std::conj(at(i, k))) * (lower ? std::conj(at(j, k)) : at(j, k));
      const Complex value = i == j ? Complex(std::sqrt(sum.real())) : sum / at(j, j);
      at(i, j) = lower ? value : std::conj(value);
    }
  }
}

Tensors evaluate_cholesky(const Operation& op, const Tensors& operands, EvalContext&) {
  const std::vector<Complex> a = complexes(operands[0]);
  const int64_t n = operands[0].sizes().back();
  std::vector<Complex> l(a.size());
  for (size_t at = 0; at < a.size(); at += static_cast<size_t>(n * n)) factor(a.data() + at, l.data() + at, n, op.get_or<bool>("lower", false));
  return {of_complexes(operands[0].dtype(), operands[0].sizes(), l)};
}

// triangular_solve(a, b) {left_side, lower, unit_diagonal, transpose_a}: x with op(a) x = b (or x op(a) = b).
//   c1: a is square, of b's rank, batch dims and element type, and fits it on the given side
//   c2: transpose_a is NO_TRANSPOSE, TRANSPOSE or ADJOINT;  c3: the result has b's type

std::vector<Type> infer_triangular_solve(const Operation& op) { return {op.operand(1)->type()}; }

void verify_triangular_solve(const Operation& op) {
  const Type &a = op.operand(0)->type(), &b = op.operand(1)->type();
  bool fits = a.dtype == b.dtype && a.rank() == b.rank() && a.rank() >= 2 && may_equal(a.shape[a.rank() - 1], a.shape[a.rank() - 2]);
  for (int i = 0; fits && i + 2 < a.rank(); ++i) fits = may_equal(a.shape[i], b.shape[i]);
  if (fits) fits = may_equal(a.shape.back(), b.shape[b.rank() - (op.get_or<bool>("left_side", true) ? 2 : 1)]);
  if (!fits) violated(op, "c1", "operands have types {} and {}", a.str(), b.str());
  const auto how = op.get_or<std::string>("transpose_a", "NO_TRANSPOSE");
  if (how != "NO_TRANSPOSE" && how != "TRANSPOSE" && how != "ADJOINT") violated(op, "c2", "transpose_a is '{}'", how);
  verify_inferred(op, "c3");
}

struct Solve {
  int64_t n, rows, columns;  // of a; of b
  bool left, lower, unit, transposed, conjugated;
};

// In place: b becomes x. A system on the right is the transposed one on the left.
void solve(const Solve& how, const Complex* a, Complex* b) {
  const bool transposed = how.transposed == how.left, lower = how.lower != transposed;
  const auto element = [&](int64_t i, int64_t j) {
    const Complex z = transposed ? a[j * how.n + i] : a[i * how.n + j];
    return how.conjugated ? std::conj(z) : z;
  };
  for (int64_t c = 0; c < (how.left ? how.columns : how.rows); ++c) {
    const auto x = [&](int64_t i) -> Complex& { return how.left ? b[i * how.columns + c] : b[c * how.columns + i]; };
    for (int64_t step = 0; step < how.n; ++step) {
      const int64_t i = lower ? step : how.n - 1 - step;
      for (int64_t k = 0; k < step; ++k) {
        const int64_t j = lower ? k : how.n - 1 - k;
        x(i) -= element(i, j) * x(j);
      }
      if (!how.unit) x(i) /= element(i, i);
    }
  }
}

Tensors evaluate_triangular_solve(const Operation& op, const Tensors& operands, EvalContext&) {
  const auto how = op.get_or<std::string>("transpose_a", "NO_TRANSPOSE");
  const std::vector<Complex> a = complexes(operands[0]);
  std::vector<Complex> b = complexes(operands[1]);
  const int rank = operands[1].rank();
  const Solve s{operands[0].sizes().back(), operands[1].sizes()[rank - 2], operands[1].sizes()[rank - 1], op.get_or<bool>("left_side", true),
                op.get_or<bool>("lower", false), op.get_or<bool>("unit_diagonal", false), how != "NO_TRANSPOSE", how == "ADJOINT"};
  if (s.n != (s.left ? s.rows : s.columns)) fail("{}: operands have sizes {} and {}", op.describe(), str(operands[0].sizes()), str(operands[1].sizes()));
  const int64_t matrix = s.rows * s.columns, batches = matrix == 0 ? 0 : static_cast<int64_t>(b.size()) / matrix;
  if (static_cast<int64_t>(a.size()) != batches * s.n * s.n && batches > 0) fail("{}: batches of another number", op.describe());
  for (int64_t i = 0; i < batches; ++i) solve(s, a.data() + i * s.n * s.n, b.data() + i * matrix);
  return {of_complexes(operands[1].dtype(), operands[1].sizes(), b)};
}

// ---- top_k ----------------------------------------------------------------------------------------------------------
// chlo.top_k(x) {k}: the k largest along the last axis, largest first in total order, and where they are.
//   c1: x has an axis, of at least k;  c2: results are x's type and i32, with k as the last dim

std::vector<Type> infer_top_k(const Operation& op) {
  const Type& x = op.operand(0)->type();
  const int64_t k = op.get<int64_t>("k");
  if (x.rank() == 0 || k < 0 || (x.shape.back().is_static() && x.shape.back().value() < k)) violated(op, "c1", "k is {}, for operand {}", k, x.str());
  Shape shape = x.shape;
  shape.back() = k;
  return {x.with_shape(shape), Type::tensor(DType::i32, shape)};
}
void verify_top_k(const Operation& op) { verify_inferred(op, "c2"); }

bool is_larger(const Tensor& x, int64_t a, int64_t b) {
  if (is_float(x.dtype())) return elementwise::total_order_key(x.get(a)) > elementwise::total_order_key(x.get(b));
  const int64_t p = x.get_int(a), q = x.get_int(b);
  return is_unsigned_int(x.dtype()) ? static_cast<uint64_t>(p) > static_cast<uint64_t>(q) : p > q;
}

Tensors evaluate_top_k(const Operation& op, const Tensors& operands, EvalContext&) {
  const Tensor& x = operands[0];
  const int64_t k = op.get<int64_t>("k"), length = x.sizes().back();
  if (length < k) fail("{}: k is {}, of {} elements", op.describe(), k, length);
  Ints sizes = x.sizes();
  sizes.back() = k;
  Tensor values(x.dtype(), sizes), places(DType::i32, sizes);
  Ints order(static_cast<size_t>(length));
  for (int64_t row = 0; k > 0 && row < values.elements() / k; ++row) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return is_larger(x, row * length + a, row * length + b); });
    for (int64_t i = 0; i < k; ++i) {
      copy_element(values, row * k + i, x, row * length + order[i]);
      places.set_int(row * k + i, order[i]);
    }
  }
  return {values, places};
}

}  // namespace

std::span<const OpDef> linear_algebra_ops() {
  static const OpDef table[] = {
      plain("stablehlo.fft", "discrete Fourier transform over the last axes", {{"x"}},
            {{"fft_type", "FFT, IFFT, RFFT or IRFFT", true}, {"fft_length", "ints", true}}, verify_fft, infer_fft, evaluate_fft),
      plain("stablehlo.cholesky", "triangular factor of positive matrices", {{"a"}}, {{"lower", "bool, default false"}}, verify_cholesky,
            infer_cholesky, evaluate_cholesky),
      plain("stablehlo.triangular_solve", "solve triangular systems", {{"a"}, {"b"}},
            {{"left_side", "bool, default true"}, {"lower", "bool, default false"}, {"unit_diagonal", "bool, default false"}, {"transpose_a", "NO_TRANSPOSE, TRANSPOSE or ADJOINT"}},
            verify_triangular_solve, infer_triangular_solve, evaluate_triangular_solve),
      plain("chlo.top_k", "the largest along the last axis, and where they are", {{"x"}}, {{"k", "i64", true}}, verify_top_k, infer_top_k, evaluate_top_k),
  };
  return table;
}

}  // namespace stele
