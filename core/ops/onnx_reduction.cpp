// ONNX ops that reduce axes, ArgMax and ArgMin, CumSum (https://onnx.ai/onnx/operators/).
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/onnx_common.h"

namespace stele {
namespace {

using namespace onnx_op;
using O = const Operation&;
using D = double;
using I = int64_t;
using U = uint64_t;
constexpr D infinity = std::numeric_limits<D>::infinity();
constexpr I int_max = std::numeric_limits<I>::max(), int_min = std::numeric_limits<I>::min();

// ---- Reduce*: c1: axes are in range, none twice. c2: an element type that the op takes ------------------------------

// finish(combine(… combine(start, map(x0)) …, map(xn)), n)
struct Reduction {
  std::string_view name, summary;
  std::string_view kind;  // of build::reduce
  D start;
  D (*map)(D x);
  D (*combine)(D sum, D x);
  D (*finish)(D sum, D count);
  // Integers wrap; null where the op takes none.
  I int_start;
  I (*int_map)(I x);
  I (*int_combine)(I sum, I x, bool is_unsigned);
};

D same(D x) { return x; }
I int_same(I x) { return x; }
D keep(D sum, D) { return sum; }
D plus(D a, D b) { return a + b; }
I int_plus(I a, I b, bool) { return static_cast<I>(static_cast<U>(a) + static_cast<U>(b)); }
I int_times(I a, I b, bool) { return static_cast<I>(static_cast<U>(a) * static_cast<U>(b)); }
I int_square(I x) { return int_times(x, x, false); }
I int_abs(I x) { return x < 0 ? static_cast<I>(-static_cast<U>(x)) : x; }
I int_max_of(I a, I b, bool u) { return (u ? static_cast<U>(a) < static_cast<U>(b) : a < b) ? b : a; }
I int_min_of(I a, I b, bool u) { return (u ? static_cast<U>(b) < static_cast<U>(a) : b < a) ? b : a; }
D max_of(D a, D b) { return std::isnan(a) || std::isnan(b) ? a + b : a < b ? b : a; }
D min_of(D a, D b) { return std::isnan(a) || std::isnan(b) ? a + b : b < a ? b : a; }
D square(D x) { return x * x; }
D mean(D sum, D count) { return sum / count; }
D root(D sum, D) { return std::sqrt(sum); }
D logarithm(D sum, D) { return std::log(sum); }

const Reduction reductions[] = {
    {"onnx.ReduceSum", "sum", "add", 0, same, plus, keep, 0, int_same, int_plus},
    {"onnx.ReduceMean", "mean", "add", 0, same, plus, mean, 0, int_same, int_plus},
    {"onnx.ReduceProd", "product", "multiply", 1, same, [](D a, D b) { return a * b; }, keep, 1, int_same, int_times},
    {"onnx.ReduceMax", "largest", "maximum", -infinity, same, max_of, keep, int_min, int_same, int_max_of},
    {"onnx.ReduceMin", "smallest", "minimum", infinity, same, min_of, keep, int_max, int_same, int_min_of},
    {"onnx.ReduceL1", "sum of magnitudes", "add", 0, [](D x) { return std::fabs(x); }, plus, keep, 0, int_abs, int_plus},
    {"onnx.ReduceL2", "root of the sum of squares", "add", 0, square, plus, root, 0, nullptr, nullptr},
    {"onnx.ReduceSumSquare", "sum of squares", "add", 0, square, plus, keep, 0, int_square, int_plus},
    {"onnx.ReduceLogSum", "logarithm of the sum", "add", 0, same, plus, logarithm, 0, nullptr, nullptr},
    {"onnx.ReduceLogSumExp", "logarithm of the sum of exponentials", "add", 0, [](D x) { return std::exp(x); }, plus, logarithm, 0,
     nullptr, nullptr},
};

const Reduction& reduction_of(O op) {
  return *std::find_if(std::begin(reductions), std::end(reductions), [&](const Reduction& r) { return op.is(r.name); });
}

void verify_reduction(O op) {
  const Value* x = operand(op, 0);
  if (!x || !x->type().is_tensor() || is_float(x->dtype()) || (is_int(x->dtype()) && reduction_of(op).int_map)) return;
  if (x->dtype() == DType::boolean && (op.is("onnx.ReduceMax") || op.is("onnx.ReduceMin"))) return;
  violated(op, "c2", "data has element type {}, which the op does not take", name(x->dtype()));
}

// No axes: all of them, or with noop_with_empty_axes none.
Ints reduced_axes(O op, const Ints& given_axes, int64_t rank) {
  if (!given_axes.empty()) return axes_in(op, "c1", given_axes, rank);
  Ints all;
  for (int64_t i = 0; i < rank && op.get_or<I>("noop_with_empty_axes", 0) == 0; ++i) all.push_back(i);
  return all;
}

bool keeps(O op) { return op.get_or<I>("keepdims", 1) != 0; }

template <typename Sizes>
Sizes reduced_sizes(const Sizes& data, const Ints& axes, bool keep_dims) {
  Sizes result;
  for (size_t i = 0; i < data.size(); ++i) {
    const bool gone = std::count(axes.begin(), axes.end(), static_cast<I>(i)) != 0;
    if (!gone) result.push_back(data[i]);
    if (gone && keep_dims) result.push_back(1);
  }
  return result;
}

std::vector<Type> infer_reduction(O op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& x = op.operand(0)->type();
  const auto axes = static_ints(op, 1, "axes", {});
  if (!axes) return unknown_results(op);
  return {x.with_shape(reduced_sizes(x.shape, reduced_axes(op, *axes, x.rank()), keeps(op)))};
}

// For each element of the data in order, the element of the result it goes to.
std::vector<int64_t> destinations(const Ints& data, const Ints& axes) {
  Ints steps = row_major_strides(reduced_sizes(data, axes, true));
  for (int64_t axis : axes) steps[static_cast<size_t>(axis)] = 0;
  return affine_index(data, steps);
}

Tensor reduce_ints(O op, const Tensor& x, const Ints& axes, const std::vector<int64_t>& to) {
  const Reduction& how = reduction_of(op);
  const bool u = is_unsigned_int(x.dtype()) || x.dtype() == DType::boolean;
  Tensor result(x.dtype(), reduced_sizes(x.sizes(), axes, keeps(op)));
  const bool least = u && how.int_start == int_min, most = u && how.int_start == int_max;
  std::vector<I> sums(static_cast<size_t>(result.elements()), least ? 0 : most ? -1 : how.int_start);
  for (size_t i = 0; i < to.size(); ++i) {
    I& sum = sums[static_cast<size_t>(to[i])];
    sum = how.int_combine(sum, how.int_map(x.get_int(static_cast<I>(i))), u);
  }
  const I count = result.elements() == 0 ? 0 : x.elements() / result.elements();
  for (I& sum : sums) {
    if (how.finish == mean) sum = count == 0 ? -1 : sum / count;
  }
  return tensor_of(x.dtype(), result.sizes(), sums);
}

std::vector<D> reduce_doubles(const Reduction& how, const std::vector<D>& values, const std::vector<int64_t>& to, I results) {
  std::vector<D> sums(static_cast<size_t>(results), how.start);
  for (size_t i = 0; i < to.size(); ++i) {
    D& sum = sums[static_cast<size_t>(to[i])];
    sum = how.combine(sum, how.map(values[i]));
  }
  const D count = results == 0 ? 0 : static_cast<D>(values.size()) / static_cast<D>(results);
  for (D& sum : sums) sum = how.finish(sum, count);
  return sums;
}

std::vector<Tensor> evaluate_reduction(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor& x = operands[0];
  const Ints axes = reduced_axes(op, run_ints(op, operands, 1, "axes", {}), x.rank());
  const std::vector<int64_t> to = destinations(x.sizes(), axes);
  if (!is_float(x.dtype())) return {reduce_ints(op, x, axes, to)};
  const Ints sizes = reduced_sizes(x.sizes(), axes, keeps(op));
  const I results = checked_element_count(sizes);
  std::vector<D> values = doubles(x);
  if (!op.is("onnx.ReduceLogSumExp")) return {tensor_of(x.dtype(), sizes, reduce_doubles(reduction_of(op), values, to, results))};
  // The largest is taken out first, so that no exponential overflows.
  std::vector<D> largest = reduce_doubles(reductions[3], values, to, results);
  for (D& value : largest) value = std::isfinite(value) ? value : 0;
  for (size_t i = 0; i < to.size(); ++i) values[i] -= largest[static_cast<size_t>(to[i])];
  std::vector<D> sums = reduce_doubles(reduction_of(op), values, to, results);
  for (size_t i = 0; i < sums.size(); ++i) sums[i] += largest[i];
  return {tensor_of(x.dtype(), sizes, sums)};
}

// ---- decomposition --------------------------------------------------------------------------------------------------

// The number of elements that go into one.
Value* count_like(Builder& b, Value* like, const Shape& data, const Ints& axes) {
  Dim count = 1;
  for (I axis : axes) count = count * data[static_cast<size_t>(axis)];
  if (count.is_static()) return build::splat_like(b, like, static_cast<D>(count.value()));
  return build::broadcast_to(b, build::convert(b, build::dim_value(b, DType::i64, count), like->dtype()), like->shape());
}

Value* build_log_sum_exp(Builder& b, Value* x, const Ints& axes, const Shape& result) {
  Value* largest = build::reduce(b, x, "maximum", axes, true);
  Value* finite = build::unary(b, "stablehlo.is_finite", largest);
  largest = build::select(b, finite, largest, build::splat_like(b, largest, 0));
  Value* powers = build::exponential(b, build::subtract(b, x, build::broadcast_to(b, largest, x->shape())));
  Value* sum = build::log(b, build::reduce(b, powers, "add", axes, true));
  return build::reshape(b, build::add(b, sum, largest), result);
}

Value* mapped(O op, Builder& b, Value* x) {
  if (op.is("onnx.ReduceL1") && !is_unsigned_int(x->dtype())) return build::abs(b, x);
  if (op.is("onnx.ReduceL2") || op.is("onnx.ReduceSumSquare")) return build::multiply(b, x, x);
  return x;
}

std::vector<Value*> decompose_reduction(O op, Builder& b) {
  Value* x = op.operand(0);
  const auto given_axes = static_ints(op, 1, "axes", {});
  if (!given_axes) fail("{}: the axes are not known before the run: not supported below the framework level", op.describe());
  const Ints axes = reduced_axes(op, *given_axes, x->rank());
  const Reduction& how = reduction_of(op);
  const Type& type = op.result()->type();
  // A sum that is worked on further may pass what 16 bits hold: it is kept in f32.
  const bool narrow = is_float(type.dtype) && size_bytes(type.dtype) == 2 && how.finish != keep;
  if (narrow) x = build::convert(b, x, DType::f32);
  if (op.is("onnx.ReduceLogSumExp")) return {build::convert(b, build_log_sum_exp(b, x, axes, type.shape), type.dtype)};
  Value* sum = mapped(op, b, x);
  if (!axes.empty()) sum = build::reduce(b, sum, x->dtype() == DType::boolean ? (how.start < 0 ? "or" : "and") : how.kind, axes, keeps(op));
  if (how.finish == mean) sum = build::divide(b, sum, count_like(b, sum, x->shape(), axes));
  if (how.finish == root) sum = build::sqrt(b, sum);
  if (how.finish == logarithm) sum = build::log(b, sum);
  return {build::convert(b, sum, type.dtype)};
}

// ---- ArgMax, ArgMin: c1: axis in range. NaN is the largest and the smallest, as numpy has it ------------------------

std::vector<Type> infer_arg(O op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& x = op.operand(0)->type();
  const Ints axes = {axis_in(op, "c1", op.get_or<I>("axis", 0), x.rank())};
  return {Type::tensor(DType::i64, reduced_sizes(x.shape, axes, keeps(op)))};
}

std::vector<Tensor> evaluate_arg(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor& x = operands[0];
  const I axis = axis_in(op, "c1", op.get_or<I>("axis", 0), x.rank());
  const bool largest = op.is("onnx.ArgMax"), last = op.get_or<I>("select_last_index", 0) != 0;
  const I step = x.strides()[static_cast<size_t>(axis)], count = x.sizes()[static_cast<size_t>(axis)];
  if (count == 0) violated(op, "c1", "axis {} has size 0", axis);
  Tensor result(DType::i64, reduced_sizes(x.sizes(), {axis}, keeps(op)));
  const bool floats = is_float(x.dtype());
  auto beats = [&](I a, I b) {  // element a against the best so far
    if (!floats) return largest ? x.get_int(a) > x.get_int(b) || (last && x.get_int(a) == x.get_int(b))
                                : x.get_int(a) < x.get_int(b) || (last && x.get_int(a) == x.get_int(b));
    const D p = x.get(a), q = x.get(b);
    if (std::isnan(q)) return last && std::isnan(p);
    return std::isnan(p) || (largest ? p > q : p < q) || (last && p == q);
  };
  for (I i = 0; i < result.elements(); ++i) {
    const I start = i / step * step * count + i % step;
    I best = 0;
    for (I k = 1; k < count; ++k) best = beats(start + k * step, start + best * step) ? k : best;
    result.set_int(i, best);
  }
  return {std::move(result)};
}

// The first (or last) place where the element is the extreme one.
std::vector<Value*> decompose_arg(O op, Builder& b) {
  Value* x = op.operand(0);
  const I axis = axis_in(op, "c1", op.get_or<I>("axis", 0), x->rank());
  const bool last = op.get_or<I>("select_last_index", 0) != 0;
  Value* best = build::reduce(b, x, op.is("onnx.ArgMax") ? "maximum" : "minimum", {axis}, true);
  Value* hit = build::compare(b, "EQ", x, build::broadcast_to(b, best, x->shape()));
  if (is_float(x->dtype())) hit = build::logical_or(b, hit, build::compare(b, "NE", x, x));
  const Type places = Type::tensor(DType::i64, x->shape());
  Value* none = last ? build::splat(b, places, -1) : build::broadcast_to(b, build::int_constant(b, DType::i64, int_max), x->shape());
  Value* place = build::select(b, hit, build::iota(b, places, axis), none);
  return {build::reduce(b, place, last ? "maximum" : "minimum", {axis}, keeps(op))};
}

// ---- CumSum: c1: the axis, a scalar, is in range --------------------------------------------------------------------

std::vector<Type> infer_same(O op) { return types_known(op) ? std::vector<Type>{op.operand(0)->type()} : unknown_results(op); }

std::vector<Tensor> evaluate_cumsum(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor& x = operands[0];
  const I axis = axis_in(op, "c1", operands[1].get_int(0), x.rank());
  const bool exclusive = op.get_or<I>("exclusive", 0) != 0, reverse = op.get_or<I>("reverse", 0) != 0;
  const I step = x.strides()[static_cast<size_t>(axis)], count = x.sizes()[static_cast<size_t>(axis)];
  Tensor result(x.dtype(), x.sizes());
  for (I row = 0; count > 0 && row < x.elements() / count; ++row) {
    const I start = row / step * step * count + row % step;
    D sum = 0;
    I int_sum = 0;
    for (I k = 0; k < count; ++k) {
      const I at = start + (reverse ? count - 1 - k : k) * step;
      const D before = sum;
      const I int_before = int_sum;
      sum += x.get(at);
      int_sum = is_float(x.dtype()) ? 0 : int_plus(int_sum, x.get_int(at), false);
      if (is_float(x.dtype())) {
        result.set(at, exclusive ? before : sum);
      } else {
        result.set_int(at, exclusive ? int_before : int_sum);
      }
    }
  }
  return {std::move(result)};
}

// A window that reaches back (or on) over the whole axis; exclusive is that, moved by one.
Value* build_running_window(Builder& b, Value* x, size_t axis, bool exclusive, bool reverse) {
  const I count = x->shape()[axis].value();
  const size_t rank = x->shape().size();
  build::Window window{.dimensions = Ints(rank, 1), .padding = Ints(2 * rank, 0)};
  window.dimensions[axis] = std::max<I>(count, 1);
  window.padding[2 * axis + (reverse ? 1 : 0)] = std::max<I>(count, 1) - 1;
  Value* sum = build::reduce_window(b, x, "add", window);
  if (!exclusive || count == 0) return sum;
  Shape low(rank, Dim(0)), high(rank, Dim(0));
  low[axis] = reverse ? -1 : 1;
  high[axis] = reverse ? 1 : -1;
  return build::pad(b, sum, build::scalar_constant(b, x->dtype(), 0), low, high);
}

// Where the size is symbolic a window cannot say it: sums over a copy of the axis, of the elements that count for each place.
Value* build_running_mask(Builder& b, Value* x, size_t axis, bool exclusive, bool reverse) {
  Shape pairs = x->shape();
  pairs.insert(pairs.begin() + static_cast<long>(axis), pairs[axis]);
  const Type places = Type::tensor(DType::i64, pairs), values = x->type().with_shape(pairs);
  Ints source;
  for (I i = 0; i < static_cast<I>(pairs.size()); ++i) {
    if (i != static_cast<I>(axis)) source.push_back(i);
  }
  Value* at = build::iota(b, places, static_cast<I>(axis));
  Value* from = build::iota(b, places, static_cast<I>(axis) + 1);
  const std::string_view direction = reverse ? (exclusive ? "GT" : "GE") : exclusive ? "LT" : "LE";
  Value* counts = build::compare(b, direction, from, at);
  Value* kept = build::select(b, counts, build::broadcast_in_dim(b, x, values, source), build::splat(b, values, 0));
  return build::reduce(b, kept, "add", {static_cast<I>(axis) + 1});
}

std::vector<Value*> decompose_cumsum(O op, Builder& b) {
  Value* x = op.operand(0);
  const auto given_axis = static_ints(op, 1, "", {});
  if (!given_axis || given_axis->size() != 1) fail("{}: the axis is not known before the run: not supported below the framework level", op.describe());
  const size_t axis = static_cast<size_t>(axis_in(op, "c1", given_axis->front(), x->rank()));
  const bool exclusive = op.get_or<I>("exclusive", 0) != 0, reverse = op.get_or<I>("reverse", 0) != 0;
  return {(x->shape()[axis].is_static() ? build_running_window : build_running_mask)(b, x, axis, exclusive, reverse)};
}

std::vector<OpDef> records() {
  std::vector<OpDef> all;
  auto add = [&](std::string_view name, std::string_view summary, VerifyFunction* verify, InferFunction* infer, EvaluateFunction* evaluate,
                 DecomposeFunction* decompose) {
    OpDef def = {.name = name, .summary = summary, .level = Level::framework, .operands = {{"data"}}};
    def.verify = verify, def.infer = infer, def.evaluate = evaluate, def.decompose = decompose;
    def.gradient = gradient_of_decomposition(), def.cost = onnx_op::cost_touching;
    all.push_back(std::move(def));
  };
  for (const Reduction& r : reductions) {
    add(r.name, r.summary, verify_reduction, infer_reduction, evaluate_reduction, decompose_reduction);
    all.back().operands = {{"data"}, {"axes", OperandDef::optional}};
    all.back().traits = Trait::pure | Trait::reduction;
    all.back().attributes = {{"axes", "ints, older opsets"}, {"keepdims", "i64, default 1"}, {"noop_with_empty_axes", "i64, default 0"}};
  }
  for (auto [name, summary] : {std::pair{"onnx.ArgMax", "place of the largest"}, std::pair{"onnx.ArgMin", "place of the smallest"}}) {
    add(name, summary, nullptr, infer_arg, evaluate_arg, decompose_arg);
    all.back().traits = Trait::pure | Trait::reduction;
    all.back().attributes = {{"axis", "i64, default 0"}, {"keepdims", "i64, default 1"}, {"select_last_index", "i64, default 0"}};
  }
  add("onnx.CumSum", "sums of all up to each", nullptr, infer_same, evaluate_cumsum, decompose_cumsum);
  all.back().operands = {{"x"}, {"axis"}};
  all.back().attributes = {{"exclusive", "i64, default 0"}, {"reverse", "i64, default 0"}};
  for (OpDef& def : all) def.cost = [](O op) { return op.operand(0)->type().is_tensor() && op.result()->type().is_tensor() ? one_kernel(op, op.operand(0)->type().elements()) : Cost{}; };
  return all;
}

}  // namespace

std::span<const OpDef> onnx_reduction_ops() {
  static const std::vector<OpDef> table = records();
  return table;
}

}  // namespace stele
