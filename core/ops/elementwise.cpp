// Elementwise ops of other shapes than unary and binary: compare, select, clamp, convert …; and what the families share.
#include "core/ops/elementwise.h"

#include <cmath>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/complex.h"

namespace stele {
namespace elementwise {

IntKind int_kind(DType dtype) {
  if (dtype == DType::boolean) return {1, false, true};
  return {8 * size_bytes(dtype), !is_unsigned_int(dtype), false};
}

void unsupported(const Operation& op, DType dtype) { fail("{}: element type {} is not supported", op.describe(), name(dtype)); }

void check_sizes(const Operation& op, const Tensor& x, const Tensor& y) {
  if (x.sizes() != y.sizes() || x.dtype() != y.dtype()) {
    fail("{}: operands have types {} and {}, expected equal ones", op.describe(), x.type().str(), y.type().str());
  }
}

Tensor complex_map(const Operation& op, const std::vector<Tensor>& operands, EvalContext& context) {
  std::vector<Complex> values = complexes(operands[0]);
  const Ints& sizes = operands[0].sizes();
  if (op.is("stablehlo.abs")) {
    std::vector<double> sizes_of_values;
    for (const Complex& z : values) sizes_of_values.push_back(std::abs(z));
    return tensor_of(context.widened(op.result()->dtype()), sizes, sizes_of_values);
  }
  if (const auto f = complex_unary(op.name()); f && operands.size() == 1) {
    for (Complex& z : values) z = f(z);
  } else if (const auto g = complex_binary(op.name()); g && operands.size() == 2) {
    const std::vector<Complex> others = complexes(operands[1]);
    for (size_t i = 0; i < values.size(); ++i) values[i] = g(values[i], others[i]);
  } else {
    unsupported(op, operands[0].dtype());
  }
  return tensor_of(operands[0].dtype(), sizes, values);
}

void verify_same(const Operation& op, bool floats, bool integers) {
  if (is_complex(op.operand(0)->dtype()) && op.is("stablehlo.abs")) return verify_inferred(op, "c1");
  const Type& type = op.result()->type();
  for (const Value* operand : op.operands()) {
    const Type& other = operand->type();
    if (other.kind != type.kind || other.dtype != type.dtype || !may_equal(other.shape, type.shape)) {
      violated(op, "c1", "operand has type {}, expected the result's {}", other.str(), type.str());
    }
  }
  const bool fits = is_complex(type.dtype) || (is_float(type.dtype) ? floats : integers);
  if (!fits) violated(op, "c2", "element type is {}, expected {}", name(type.dtype), floats ? "a float" : "an integer or boolean");
}

// The first operand's type; its sizes that only the run tells give way to the other operand's.
std::vector<Type> infer_first(const Operation& op) {
  Type type = op.operand(0)->type();
  for (const Value* operand : op.operands()) {
    if (operand->type().kind != type.kind || !may_equal(operand->shape(), type.shape)) {
      violated(op, "c1", "operands have types {} and {}, expected equal ones", type.str(), operand->type().str());
    }
    for (size_t axis = 0; axis < type.shape.size(); ++axis) {
      if (is_unknown_size(type.shape[axis])) type.shape[axis] = operand->shape()[axis];
    }
  }
  if (is_complex(type.dtype) && op.is("stablehlo.abs")) type.dtype = part_dtype(type.dtype);
  return {type};
}

}  // namespace elementwise

namespace {

using elementwise::check_sizes;

// ---- compare --------------------------------------------------------------------------------------------------------
// compare(lhs, rhs) {comparison_direction, compare_type}
//   c1: operands have one type; the result has their shape and element type boolean
//   c2: comparison_direction is one of EQ NE GE GT LE LT

enum class Direction { eq, ne, ge, gt, le, lt };

Direction direction_of(const Operation& op) {
  constexpr std::string_view names[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  const auto& given = op.get<std::string>("comparison_direction");
  for (size_t i = 0; i < 6; ++i) {
    if (given == names[i]) return static_cast<Direction>(i);
  }
  violated(op, "c2", "comparison_direction is '{}', expected one of EQ NE GE GT LE LT", given);
}

std::vector<Type> infer_compare(const Operation& op) { return {elementwise::infer_first(op)[0].with_dtype(DType::boolean)}; }

void verify_compare(const Operation& op) {
  if (op.operand(0)->dtype() != op.operand(1)->dtype()) {
    violated(op, "c1", "operands have types {} and {}, expected equal ones", op.operand(0)->type().str(), op.operand(1)->type().str());
  }
  verify_inferred(op, "c1");
  direction_of(op);
}

template <typename Number>
bool holds(Direction direction, Number a, Number b) {
  switch (direction) {
    case Direction::eq: return a == b;
    case Direction::ne: return a != b;
    case Direction::ge: return a >= b;
    case Direction::gt: return a > b;
    case Direction::le: return a <= b;
    case Direction::lt: return a < b;
  }
  return false;
}

std::vector<Tensor> evaluate_compare(const Operation& op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor &x = operands[0], &y = operands[1];
  check_sizes(op, x, y);
  const Direction direction = direction_of(op);
  if (is_complex(x.dtype())) {
    if (direction != Direction::eq && direction != Direction::ne) elementwise::unsupported(op, x.dtype());
    const std::vector<Complex> a = complexes(x), b = complexes(y);
    std::vector<int64_t> equal;
    for (size_t i = 0; i < a.size(); ++i) equal.push_back((a[i] == b[i]) == (direction == Direction::eq));
    return {tensor_of(DType::boolean, x.sizes(), equal)};
  }
  if (is_float(x.dtype()) && op.get_or<std::string>("compare_type", "FLOAT") == "TOTALORDER") {
    return {elementwise::map2<double>(x, y, DType::boolean, [direction](double a, double b) -> double {
      return holds(direction, elementwise::total_order_key(a), elementwise::total_order_key(b));
    })};
  }
  if (is_float(x.dtype())) {
    return {elementwise::map2<double>(x, y, DType::boolean, [direction](double a, double b) -> double { return holds(direction, a, b); })};
  }
  const bool is_unsigned = is_unsigned_int(x.dtype());
  return {elementwise::map2<int64_t>(x, y, DType::boolean, [=](int64_t a, int64_t b) -> int64_t {
    return is_unsigned ? holds(direction, static_cast<uint64_t>(a), static_cast<uint64_t>(b)) : holds(direction, a, b);
  })};
}

const OpDef compare_def = {
    .name = "stablehlo.compare",
    .summary = "compare element by element",
    .operands = {{"lhs"}, {"rhs"}},
    .attributes = {{"comparison_direction", "EQ, NE, GE, GT, LE or LT", true},
                   {"compare_type", "FLOAT, TOTALORDER, SIGNED or UNSIGNED; default by element type"}},
    .traits = Trait::pure | Trait::elementwise,
    .verify = verify_compare,
    .infer = infer_compare,
    .evaluate = evaluate_compare,
    .gradient = no_gradient("boolean result"),
    .decompose = primitive(),
    .cost = cost_elementwise,
};

// ---- select ---------------------------------------------------------------------------------------------------------
// select(pred, on_true, on_false)
//   c1: pred is boolean, of rank 0 or of the result's shape
//   c2: on_true, on_false and the result have one type

std::vector<Type> infer_select(const Operation& op) { return {op.operand(1)->type()}; }

void verify_select(const Operation& op) {
  const Type& pred = op.operand(0)->type();
  if (pred.dtype != DType::boolean || (pred.rank() != 0 && !may_equal(pred.shape, op.result()->shape()))) {
    violated(op, "c1", "pred has type {}, expected booleans of rank 0 or shape {}", pred.str(), str(op.result()->shape()));
  }
  for (unsigned i : {1u, 2u}) {
    const Type& type = op.operand(i)->type();
    if (type.dtype != op.result()->dtype() || !may_equal(type.shape, op.result()->shape())) {
      violated(op, "c2", "operand {} has type {}, expected the result's {}", i, type.str(), op.result()->type().str());
    }
  }
}

std::vector<Tensor> evaluate_select(const Operation& op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor &pred = operands[0], &x = operands[1], &y = operands[2];
  check_sizes(op, x, y);
  if (pred.rank() == 0) return {pred.get_int(0) ? x : y};
  if (pred.sizes() != x.sizes()) fail("{}: pred has sizes {}, expected {}", op.describe(), str(pred.sizes()), str(x.sizes()));
  Tensor result = own_copy(y);
  std::byte* to = result.mutable_data();
  const auto width = static_cast<size_t>(size_bytes(x.dtype()));
  for (int64_t i = 0; i < x.elements(); ++i) {
    if (pred.data()[i] != std::byte{0}) std::copy_n(x.data() + static_cast<size_t>(i) * width, width, to + static_cast<size_t>(i) * width);
  }
  return {result};
}

// d select = (select(pred, g, 0), select(pred, 0, g))
std::vector<Value*> gradient_select(const Operation& op, const std::vector<Value*>& g, Builder& b) {
  Value* zero = build::splat_like(b, g[0], 0);
  return {nullptr, build::select(b, op.operand(0), g[0], zero), build::select(b, op.operand(0), zero, g[0])};
}

const OpDef select_def = {
    .name = "stablehlo.select",
    .summary = "choose element by element",
    .operands = {{"pred"}, {"on_true"}, {"on_false"}},
    .traits = Trait::pure | Trait::elementwise,
    .verify = verify_select,
    .infer = infer_select,
    .evaluate = evaluate_select,
    .gradient = gradient_select,
    .decompose = primitive(),
    .cost = cost_elementwise,
};

// ---- clamp ----------------------------------------------------------------------------------------------------------
// clamp(min, x, max) = minimum(maximum(x, min), max)
//   c1: min and max have rank 0 or x's shape, and its element type
//   c2: the result has x's type

std::vector<Type> infer_clamp(const Operation& op) { return {op.operand(1)->type()}; }

void verify_clamp(const Operation& op) {
  const Type& type = op.operand(1)->type();
  for (unsigned i : {0u, 2u}) {
    const Type& bound = op.operand(i)->type();
    if (bound.dtype != type.dtype || (bound.rank() != 0 && !may_equal(bound.shape, type.shape))) {
      violated(op, "c1", "bound has type {}, expected rank 0 or {}", bound.str(), type.str());
    }
  }
  verify_inferred(op, "c2");
}

double clamped(double x, double low, double high) {
  if (std::isnan(x) || std::isnan(low) || std::isnan(high)) return NAN;
  return std::min(std::max(x, low), high);
}

std::vector<Tensor> evaluate_clamp(const Operation& op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor &low = operands[0], &x = operands[1], &high = operands[2];
  for (const Tensor* bound : {&low, &high}) {
    if (bound->rank() != 0) check_sizes(op, x, *bound);
  }
  Tensor result(x.dtype(), x.sizes());
  const bool is_unsigned = is_unsigned_int(x.dtype());
  for (int64_t i = 0; i < x.elements(); ++i) {
    const int64_t l = low.rank() == 0 ? 0 : i, h = high.rank() == 0 ? 0 : i;
    if (is_float(x.dtype())) {
      result.set(i, clamped(x.get(i), low.get(l), high.get(h)));
    } else if (is_unsigned) {
      const auto value = std::max(static_cast<uint64_t>(x.get_int(i)), static_cast<uint64_t>(low.get_int(l)));
      result.set_int(i, static_cast<int64_t>(std::min(value, static_cast<uint64_t>(high.get_int(h)))));
    } else {
      result.set_int(i, std::min(std::max(x.get_int(i), low.get_int(l)), high.get_int(h)));
    }
  }
  return {result};
}

// The gradient passes where min < x < max.
std::vector<Value*> gradient_clamp(const Operation& op, const std::vector<Value*>& g, Builder& b) {
  Value* x = op.operand(1);
  Value* low = build::broadcast_to(b, op.operand(0), x->shape());
  Value* high = build::broadcast_to(b, op.operand(2), x->shape());
  Value* inside = build::logical_and(b, build::compare(b, "GT", x, low), build::compare(b, "LT", x, high));
  return {nullptr, build::select(b, inside, g[0], build::splat_like(b, g[0], 0)), nullptr};
}

const OpDef clamp_def = {
    .name = "stablehlo.clamp",
    .summary = "bring every element between two bounds",
    .operands = {{"min"}, {"x"}, {"max"}},
    .traits = Trait::pure | Trait::elementwise,
    .verify = verify_clamp,
    .infer = infer_clamp,
    .evaluate = evaluate_clamp,
    .gradient = gradient_clamp,
    .decompose = primitive(),
    .cost = cost_elementwise,
};

// ---- convert, is_finite, reduce_precision ---------------------------------------------------------------------------
// convert(x): to the result's element type
//   c1: the result has x's shape

void verify_convert(const Operation& op) {
  if (!may_equal(op.operand(0)->shape(), op.result()->shape())) {
    violated(op, "c1", "result has shape {}, expected {}", str(op.result()->shape()), str(op.operand(0)->shape()));
  }
}

std::vector<Tensor> evaluate_convert(const Operation& op, const std::vector<Tensor>& operands, EvalContext& context) {
  const DType to = context.widened(op.result()->dtype());
  if (!is_complex(to) && !is_complex(operands[0].dtype())) return {operands[0].converted(to)};
  const std::vector<Complex> values = complexes(operands[0]);
  if (is_complex(to)) return {tensor_of(to, operands[0].sizes(), values)};
  std::vector<double> parts;  // the imaginary ones go
  for (const Complex& z : values) parts.push_back(z.real());
  return {tensor_of(DType::f64, operands[0].sizes(), parts).converted(to)};
}

std::vector<Value*> gradient_convert(const Operation& op, const std::vector<Value*>& g, Builder& b) {
  if (!is_float(op.operand(0)->dtype())) return {nullptr};
  return {build::convert(b, g[0], op.operand(0)->dtype())};
}

const OpDef convert_def = {
    .name = "stablehlo.convert",
    .summary = "convert to the result's element type: to nearest even, floats to integers truncate",
    .operands = {{"x"}},
    .traits = Trait::pure | Trait::elementwise,
    .verify = verify_convert,
    .infer = declared_result_types,
    .evaluate = evaluate_convert,
    .gradient = gradient_convert,
    .decompose = primitive(),
    .cost = cost_elementwise,
};

// is_finite(x)
//   c1: the result has x's shape and element type boolean
std::vector<Type> infer_is_finite(const Operation& op) { return {op.operand(0)->type().with_dtype(DType::boolean)}; }
void verify_is_finite(const Operation& op) { verify_inferred(op, "c1"); }

std::vector<Tensor> evaluate_is_finite(const Operation&, const std::vector<Tensor>& operands, EvalContext&) {
  return {elementwise::map2<double>(operands[0], operands[0], DType::boolean, [](double a, double) -> double { return std::isfinite(a); })};
}

const OpDef is_finite_def = {
    .name = "stablehlo.is_finite",
    .summary = "whether elements are neither infinite nor NaN",
    .operands = {{"x"}},
    .traits = Trait::pure | Trait::elementwise,
    .verify = verify_is_finite,
    .infer = infer_is_finite,
    .evaluate = evaluate_is_finite,
    .gradient = no_gradient("boolean result"),
    .decompose = primitive(),
    .cost = cost_elementwise,
};

// reduce_precision(x) {exponent_bits, mantissa_bits}: round to a smaller format and back
//   c1: exponent_bits >= 1; c2: mantissa_bits >= 0; c3: the result has x's type
void verify_reduce_precision(const Operation& op) {
  if (op.get<int64_t>("exponent_bits") < 1) violated(op, "c1", "exponent_bits is {}, expected at least 1", op.get<int64_t>("exponent_bits"));
  if (op.get<int64_t>("mantissa_bits") < 0) violated(op, "c2", "mantissa_bits is {}, expected at least 0", op.get<int64_t>("mantissa_bits"));
  verify_inferred(op, "c3");
}

// Rounds to nearest even with `mantissa` stored bits; what is too large for `exponent` bits goes to infinity, what is
// subnormal there to zero.
double rounded_to(double x, int exponent, int mantissa) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int bias = exponent >= 11 ? 1023 : (1 << (exponent - 1)) - 1;
  const int shift = std::min(mantissa, 52) - std::ilogb(x);
  const double rounded = mantissa >= 52 ? x : std::ldexp(std::nearbyint(std::ldexp(x, shift)), -shift);
  if (std::ilogb(rounded) > bias) return std::copysign(INFINITY, x);
  if (std::ilogb(rounded) < 1 - bias) return std::copysign(0.0, x);
  return rounded;
}

std::vector<Tensor> evaluate_reduce_precision(const Operation& op, const std::vector<Tensor>& operands, EvalContext& context) {
  if (context.wide()) return {operands[0]};  // as for every other rounding
  const auto exponent = static_cast<int>(std::min<int64_t>(op.get<int64_t>("exponent_bits"), 11));
  const auto mantissa = static_cast<int>(std::min<int64_t>(op.get<int64_t>("mantissa_bits"), 52));
  return {elementwise::map1<double>(operands[0], [=](double x) { return rounded_to(x, exponent, mantissa); })};
}

const OpDef reduce_precision_def = {
    .name = "stablehlo.reduce_precision",
    .summary = "round to a format of fewer bits, and back",
    .operands = {{"x"}},
    .attributes = {{"exponent_bits", "i64", true}, {"mantissa_bits", "i64", true}},
    .traits = Trait::pure | Trait::elementwise,
    .verify = verify_reduce_precision,
    .infer = elementwise::infer_first,
    .evaluate = evaluate_reduce_precision,
    .gradient = no_gradient("not differentiable"),
    .decompose = primitive(),
    .cost = cost_elementwise,
};

}  // namespace

std::span<const OpDef> elementwise_ops() {
  static const OpDef table[] = {compare_def, select_def, clamp_def, convert_def, is_finite_def, reduce_precision_def};
  return table;
}

}  // namespace stele
