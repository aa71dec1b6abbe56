// ONNX ops of several operands that compute element by element, under NumPy's broadcasting: arithmetic, comparison, logic,
// selection (https://onnx.ai/onnx/operators/).
#include <cmath>
#include <limits>

#include "core/ops/all_ops.h"
#include "core/ops/onnx_pointwise.h"

namespace stele {
namespace {

using namespace onnx_op;
using D = double;
using I = int64_t;
using U = uint64_t;
using B = Builder&;
using V = Value*;
using O = const Operation&;

// ---- integers: exact, wrapping; u is whether they are unsigned -------------------------------------------------------

I add(I x, I y, bool) { return static_cast<I>(static_cast<U>(x) + static_cast<U>(y)); }
I subtract(I x, I y, bool) { return static_cast<I>(static_cast<U>(x) - static_cast<U>(y)); }
I multiply(I x, I y, bool) { return static_cast<I>(static_cast<U>(x) * static_cast<U>(y)); }
bool less(I x, I y, bool u) { return u ? static_cast<U>(x) < static_cast<U>(y) : x < y; }

// Truncates. ONNX leaves division by zero open; here it is all ones, and the remainder x, as the tensor level has it.
I divide(I x, I y, bool u) {
  if (y == 0) return -1;
  if (u) return static_cast<I>(static_cast<U>(x) / static_cast<U>(y));
  return y == -1 ? subtract(0, x, false) : x / y;
}

I remainder(I x, I y, bool u) {
  if (y == 0) return x;
  if (u) return static_cast<I>(static_cast<U>(x) % static_cast<U>(y));
  return y == -1 ? 0 : x % y;
}

// The sign of the divisor, as Python's %.
I modulo(I x, I y, bool u) {
  const I r = remainder(x, y, u);
  return !u && r != 0 && y != 0 && (r < 0) != (y < 0) ? r + y : r;
}

D float_modulo(D x, D y) {
  const D r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

// NaN wins, as numpy.maximum has it.
D float_max(D x, D y) { return std::isnan(x) || std::isnan(y) ? std::numeric_limits<D>::quiet_NaN() : x < y ? y : x; }
D float_min(D x, D y) { return std::isnan(x) || std::isnan(y) ? std::numeric_limits<D>::quiet_NaN() : y < x ? y : x; }

bool is_fmod(O op) { return op.get_or<I>("fmod", 0) != 0; }

V build_modulo(O op, B b, V x, V y) {
  V r = build::remainder(b, x, y);
  if (is_fmod(op) || is_unsigned_int(x->dtype())) return r;
  V zero = build::splat_like(b, x, 0);
  V apart = build::logical_xor(b, build::compare(b, "LT", r, zero), build::compare(b, "LT", y, zero));
  V wrong = build::logical_and(b, apart, build::compare(b, "NE", r, zero));
  if (!is_float(x->dtype())) wrong = build::logical_and(b, wrong, build::compare(b, "NE", y, zero));
  return build::select(b, wrong, build::add(b, r, y), r);
}

std::vector<OpDef> arithmetic() {
  return {
      binary<[](D x, D y) { return x + y; }, add, build::add>("onnx.Add", "A + B"),
      binary<[](D x, D y) { return x - y; }, subtract, build::subtract>("onnx.Sub", "A - B"),
      binary<[](D x, D y) { return x * y; }, multiply, build::multiply>("onnx.Mul", "A * B"),
      binary<[](D x, D y) { return x / y; }, divide, build::divide>("onnx.Div", "A / B, integers truncate"),
      binary<[](O op) { return is_fmod(op) ? [](D x, D y) { return std::fmod(x, y); } : float_modulo; },
             [](O op) { return is_fmod(op) ? remainder : modulo; },
             [](O op) { return [&op](B b, V x, V y) { return build_modulo(op, b, x, y); }; }>(
          "onnx.Mod", "remainder with the sign of B, or of A with fmod", {{"fmod", "i64, default 0"}}),
      binary<[](D x, D slope) { return x < 0 ? slope * x : x; }, [](I x, I slope, bool u) { return !u && x < 0 ? multiply(x, slope, u) : x; },
             [](B b, V x, V slope) {
               V below = build::compare(b, "LT", x, build::splat_like(b, x, 0));
               return build::select(b, below, build::multiply(b, slope, x), x);
             }>("onnx.PRelu", "x where not negative, else slope * x"),
  };
}

template <auto Float, auto Integer, auto Direction>
OpDef comparison(std::string_view name, std::string_view summary) {
  return binary<Float, Integer, [](B b, V x, V y) { return build::compare(b, Direction(), x, y); }, Gives::boolean>(name, summary);
}

std::vector<OpDef> comparisons() {
  return {
      comparison<[](D x, D y) { return x == y; }, [](I x, I y, bool) { return x == y; }, [] { return "EQ"; }>("onnx.Equal", "A == B"),
      comparison<[](D x, D y) { return x < y; }, less, [] { return "LT"; }>("onnx.Less", "A < B"),
      comparison<[](D x, D y) { return x <= y; }, [](I x, I y, bool u) { return !less(y, x, u); }, [] { return "LE"; }>(
          "onnx.LessOrEqual", "A <= B"),
      comparison<[](D x, D y) { return y < x; }, [](I x, I y, bool u) { return less(y, x, u); }, [] { return "GT"; }>(
          "onnx.Greater", "A > B"),
      comparison<[](D x, D y) { return y <= x; }, [](I x, I y, bool u) { return !less(x, y, u); }, [] { return "GE"; }>(
          "onnx.GreaterOrEqual", "A >= B"),
  };
}

std::vector<OpDef> logic() {
  return {
      binary<refused, [](I x, I y, bool) { return x & y; }, build::logical_and>("onnx.And", "A and B"),
      binary<refused, [](I x, I y, bool) { return x | y; }, build::logical_or>("onnx.Or", "A or B"),
      binary<refused, [](I x, I y, bool) { return x ^ y; }, build::logical_xor>("onnx.Xor", "A or B, not both"),
      binary<refused, [](I x, I y, bool) { return x & y; }, build::logical_and>("onnx.BitwiseAnd", "A & B"),
      binary<refused, [](I x, I y, bool) { return x | y; }, build::logical_or>("onnx.BitwiseOr", "A | B"),
      binary<refused, [](I x, I y, bool) { return x ^ y; }, build::logical_xor>("onnx.BitwiseXor", "A ^ B"),
  };
}

// ---- Min, Max, Sum, Mean: any number of operands --------------------------------------------------------------------

template <auto Float, auto Integer, bool mean>
std::vector<Tensor> evaluate_variadic(O op, const std::vector<Tensor>& operands, EvalContext&) {
  std::vector<Ints> all;
  for (const Tensor& x : operands) all.push_back(x.sizes());
  const Ints sizes = broadcast(op, "c2", all);
  const DType dtype = operands[0].dtype();
  if (!is_float(dtype)) {
    std::vector<I> sum = broadcast_ints(operands[0], sizes);
    for (size_t k = 1; k < operands.size(); ++k) {
      const std::vector<I> next = broadcast_ints(operands[k], sizes);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] = Integer(sum[i], next[i], is_unsigned_int(dtype));
    }
    return {tensor_of(dtype, sizes, sum)};
  }
  std::vector<D> sum = broadcast_doubles(operands[0], sizes);
  for (size_t k = 1; k < operands.size(); ++k) {
    const std::vector<D> next = broadcast_doubles(operands[k], sizes);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] = Float(sum[i], next[i]);
  }
  if (mean) {
    for (D& value : sum) value /= static_cast<D>(operands.size());
  }
  return {tensor_of(dtype, sizes, sum)};
}

template <auto Lower, bool mean>
std::vector<V> decompose_variadic(O op, B b) {
  const Shape& shape = op.result()->shape();
  V sum = build::broadcast_to(b, op.operand(0), shape);
  for (unsigned k = 1; k < op.operand_count(); ++k) sum = Lower(b, sum, build::broadcast_to(b, op.operand(k), shape));
  if (mean && op.operand_count() > 1) sum = build::divide(b, sum, build::splat_like(b, sum, op.operand_count()));
  return {sum};
}

template <auto Float, auto Integer, auto Lower, bool mean = false>
OpDef variadic(std::string_view name, std::string_view summary) {
  OpDef def = binary<Float, Integer, Lower>(name, summary);
  def.operands = {{"first"}, {"more", OperandDef::variadic}};
  def.evaluate = evaluate_variadic<Float, Integer, mean>;
  def.decompose = decompose_variadic<Lower, mean>;
  return def;
}

std::vector<OpDef> variadics() {
  return {
      variadic<float_max, [](I x, I y, bool u) { return less(x, y, u) ? y : x; }, build::maximum>("onnx.Max", "largest of the operands"),
      variadic<float_min, [](I x, I y, bool u) { return less(y, x, u) ? y : x; }, build::minimum>("onnx.Min", "smallest of the operands"),
      variadic<[](D x, D y) { return x + y; }, add, build::add>("onnx.Sum", "sum of the operands"),
      variadic<[](D x, D y) { return x + y; }, add, build::add, true>("onnx.Mean", "mean of the operands"),
  };
}

// ---- Pow: the exponent may be of another type; the result has the base's ---------------------------------------------

// base^exponent, wrapping; below zero the fraction is cut off: only 1 and -1 have anything left.
I integer_power(I base, I exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  U result = 1, square = static_cast<U>(base);
  for (U left = static_cast<U>(exponent); left != 0; left >>= 1, square *= square) {
    if (left & 1) result *= square;
  }
  return static_cast<I>(result);
}

std::vector<Type> infer_pow(O op) {
  if (!types_known(op)) return unknown_results(op);
  return {Type::tensor(op.operand(0)->dtype(), broadcast(op, "c1", {op.operand(0)->shape(), op.operand(1)->shape()}))};
}

std::vector<Tensor> evaluate_pow(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor &x = operands[0], &y = operands[1];
  const Ints sizes = broadcast(op, "c1", {x.sizes(), y.sizes()});
  if (!is_float(x.dtype()) && !is_float(y.dtype())) {
    std::vector<I> base = broadcast_ints(x, sizes);
    const std::vector<I> exponent = broadcast_ints(y, sizes);
    for (size_t i = 0; i < base.size(); ++i) base[i] = integer_power(base[i], exponent[i]);
    return {tensor_of(x.dtype(), sizes, base)};
  }
  std::vector<D> base = broadcast_doubles(x, sizes);
  const std::vector<D> exponent = broadcast_doubles(y, sizes);
  for (size_t i = 0; i < base.size(); ++i) base[i] = std::pow(base[i], exponent[i]);
  return {tensor_of(DType::f64, sizes, base).converted(x.dtype())};
}

// Whether every value of a constant stays what it is in `dtype`.
bool fits(V value, DType dtype) {
  const Tensor* constant = constant_of(value);
  if (!constant) return false;
  const Tensor there = constant->converted(dtype);
  for (I i = 0; i < there.elements(); ++i) {
    if (there.get(i) != constant->get(i)) return false;
  }
  return true;
}

// Different types meet in the base's where nothing is lost, else in f64.
std::vector<V> decompose_pow(O op, B b) {
  V x = op.operand(0);
  V y = op.operand(1);
  const DType dtype = x->dtype();
  const bool integers = !is_float(dtype) && !is_float(y->dtype());
  const bool here = dtype == y->dtype() || integers || (is_float(dtype) && fits(y, dtype));
  const DType meet = integers ? (size_bytes(dtype) == 8 ? dtype : DType::i64) : here ? dtype : DType::f64;
  const Shape& shape = op.result()->shape();
  x = build::broadcast_to(b, build::convert(b, x, meet), shape);
  y = build::broadcast_to(b, build::convert(b, y, meet), shape);
  return {build::convert(b, build::power(b, x, y), dtype)};
}

// ---- Where, Clip ----------------------------------------------------------------------------------------------------

// c1: condition is boolean. c2: X and Y have one element type. c3: all three broadcast together.
void verify_where(O op) {
  const V condition = operand(op, 0);
  if (condition->type().is_tensor() && condition->dtype() != DType::boolean) {
    violated(op, "c1", "condition has element type {}, expected i1", name(condition->dtype()));
  }
  verify_same_dtype(op, "c2", 1, 2);
}

std::vector<Type> infer_where(O op) {
  if (!types_known(op)) return unknown_results(op);
  const Shape shape = broadcast(op, "c3", {op.operand(0)->shape(), op.operand(1)->shape(), op.operand(2)->shape()});
  return {Type::tensor(op.operand(1)->dtype(), shape)};
}

std::vector<Tensor> evaluate_where(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Ints sizes = broadcast(op, "c3", {operands[0].sizes(), operands[1].sizes(), operands[2].sizes()});
  const std::vector<I> condition = broadcast_ints(operands[0], sizes);
  if (is_float(operands[1].dtype())) {
    std::vector<D> yes = broadcast_doubles(operands[1], sizes);
    const std::vector<D> no = broadcast_doubles(operands[2], sizes);
    for (size_t i = 0; i < yes.size(); ++i) yes[i] = condition[i] ? yes[i] : no[i];
    return {tensor_of(operands[1].dtype(), sizes, yes)};
  }
  std::vector<I> yes = broadcast_ints(operands[1], sizes);
  const std::vector<I> no = broadcast_ints(operands[2], sizes);
  for (size_t i = 0; i < yes.size(); ++i) yes[i] = condition[i] ? yes[i] : no[i];
  return {tensor_of(operands[1].dtype(), sizes, yes)};
}

std::vector<V> decompose_where(O op, B b) {
  const Shape& shape = op.result()->shape();
  return {build::select(b, build::broadcast_to(b, op.operand(0), shape), build::broadcast_to(b, op.operand(1), shape),
                        build::broadcast_to(b, op.operand(2), shape))};
}

// c1: the bounds have the element type of X. Bounds are operands from opset 11 on, attributes before.
void verify_clip(O op) {
  verify_same_dtype(op, "c1", 0, 1);
  verify_same_dtype(op, "c1", 0, 2);
}

std::vector<Type> infer_clip(O op) { return types_known(op) ? std::vector<Type>{op.operand(0)->type()} : unknown_results(op); }

std::vector<Tensor> evaluate_clip(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor& x = operands[0];
  const bool has_low = given(operands, 1) || op.has("min"), has_high = given(operands, 2) || op.has("max");
  if (!is_float(x.dtype())) {
    const bool u = is_unsigned_int(x.dtype());
    std::vector<I> values = ints(x);
    for (I& value : values) {
      if (has_low && less(value, operands[1].get_int(0), u)) value = operands[1].get_int(0);
      if (has_high && less(operands[2].get_int(0), value, u)) value = operands[2].get_int(0);
    }
    return {tensor_of(x.dtype(), x.sizes(), values)};
  }
  const D low = given(operands, 1) ? operands[1].get(0) : op.get_or<D>("min", 0);
  const D high = given(operands, 2) ? operands[2].get(0) : op.get_or<D>("max", 0);
  std::vector<D> values = doubles(x);
  for (D& value : values) {
    if (has_low) value = float_max(value, low);
    if (has_high) value = float_min(value, high);
  }
  return {tensor_of(x.dtype(), x.sizes(), values)};
}

V clip_bound(O op, B b, unsigned i, std::string_view attribute) {
  V x = op.operand(0);
  if (V bound = operand(op, i)) return build::broadcast_to(b, build::reshape(b, bound, {}), x->shape());
  return op.has(attribute) ? build::splat_like(b, x, op.get<D>(attribute)) : nullptr;
}

std::vector<V> decompose_clip(O op, B b) {
  V x = op.operand(0);
  if (V low = clip_bound(op, b, 1, "min")) x = build::maximum(b, x, low);
  if (V high = clip_bound(op, b, 2, "max")) x = build::minimum(b, x, high);
  return {x};
}

std::vector<OpDef> others() {
  OpDef pow = {.name = "onnx.Pow", .summary = "X to the Y, in the type of X", .level = Level::framework, .operands = {{"X"}, {"Y"}}};
  pow.infer = infer_pow, pow.evaluate = evaluate_pow, pow.decompose = decompose_pow;
  OpDef where = {.name = "onnx.Where", .summary = "X where the condition holds, else Y", .level = Level::framework};
  where.operands = {{"condition"}, {"X"}, {"Y"}};
  where.verify = verify_where, where.infer = infer_where, where.evaluate = evaluate_where, where.decompose = decompose_where;
  OpDef clip = {.name = "onnx.Clip", .summary = "X kept within min and max", .level = Level::framework};
  clip.operands = {{"X"}, {"min", OperandDef::optional}, {"max", OperandDef::optional}};
  clip.attributes = {{"min", "f32, before opset 11"}, {"max", "f32, before opset 11"}};
  clip.verify = verify_clip, clip.infer = infer_clip, clip.evaluate = evaluate_clip, clip.decompose = decompose_clip;
  std::vector<OpDef> all = {pow, where, clip};
  for (OpDef& op : all) op.gradient = gradient_of_decomposition(), op.cost = onnx_op::cost_elementwise;
  return all;
}

}  // namespace

std::span<const OpDef> onnx_elementwise_ops() {
  static const std::vector<OpDef> table = [] {
    std::vector<OpDef> all;
    for (auto family : {arithmetic, comparisons, logic, variadics, others}) {
      for (OpDef& op : family()) all.push_back(std::move(op));
    }
    return all;
  }();
  return table;
}

}  // namespace stele
