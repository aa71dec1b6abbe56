// Identities of elementwise ops that hold bit for bit under IEEE 754 and wrapping integers.
#include <cmath>

#include "passes/optimize/canonicalize/rules.h"

namespace stele::canonical {
namespace {

// x op c -> x. Only where x already has the result's type: an ONNX op may broadcast it.
template <typename IsNeutral>
bool drop_neutral(Operation& op, Rewriter& rewriter, std::string_view rule, IsNeutral is_neutral) {
  if (op.operand(0)->type() != op.result()->type() || !is_neutral(op.operand(1))) return false;
  return replace_with(op, op.operand(0), rewriter, rule);
}

bool multiply_by_one(Operation& op, Rewriter& rewriter, std::string_view rule) {
  return drop_neutral(op, rewriter, rule, [](const Value* c) { return is_splat(c, 1); });
}

bool add_zero(Operation& op, Rewriter& rewriter, std::string_view rule) {
  // -0.0 + 0.0 is 0.0, so only -0.0 is neutral among floats.
  return drop_neutral(op, rewriter, rule, [](const Value* c) { return is_splat(c, is_float(c->dtype()) ? -0.0 : 0.0); });
}

bool subtract_zero(Operation& op, Rewriter& rewriter, std::string_view rule) {
  return drop_neutral(op, rewriter, rule, [](const Value* c) { return is_splat(c, 0.0); });
}

// Both quotients round the same real number, as long as the reciprocal itself is exact.
bool divide_by_power_of_two(Operation& op, Rewriter& rewriter, std::string_view rule) {
  const auto divisor = splat_of(op.operand(1));
  if (!is_float(op.result()->dtype()) || !divisor || !std::isfinite(*divisor) || *divisor == 0 || splat_of(op.operand(0))) return false;
  int exponent = 0;
  const double mantissa = std::frexp(*divisor, &exponent);
  if (std::abs(mantissa) != 0.5 || std::abs(exponent) > 13 || exponent == 1) return false;  // 2^14 and 2^-14 are normal in f16
  return rewriter.apply(rule, {&op}, [&](Rewrite& rewrite) {
    Value* reciprocal = make_splat_like(rewrite, op.operand(1), 1 / *divisor);
    rewrite.replace(&op, rewrite.create_value("stablehlo.multiply", {op.operand(0), reciprocal}, op.result()->type()));
  });
}

// f(f(x)) -> x
bool cancel_twice(Operation& op, Rewriter& rewriter, std::string_view rule) {
  const Operation* inner = defined_by(op.operand(0), op.name());
  if (!inner || inner->operand(0)->type() != op.result()->type()) return false;
  return replace_with(op, inner->operand(0), rewriter, rule);
}

// f(f(x)) -> f(x)
bool apply_once(Operation& op, Rewriter& rewriter, std::string_view rule) {
  if (!defined_by(op.operand(0), op.name())) return false;
  return replace_with(op, op.operand(0), rewriter, rule);
}

bool abs_of_negate(Operation& op, Rewriter& rewriter, std::string_view rule) {
  Operation* inner = defined_by(op.operand(0), "stablehlo.negate");
  if (!inner) return false;
  return rewriter.apply(rule, {&op, inner}, [&](Rewrite& rewrite) { rewrite.set_operand(&op, 0, inner->operand(0)); });
}

// f(x, x) -> x
bool same_operands(Operation& op, Rewriter& rewriter, std::string_view rule) {
  if (op.operand(0) != op.operand(1)) return false;
  return replace_with(op, op.operand(0), rewriter, rule);
}

// f(f(x, c), c) -> f(x, c): a relu of a relu
bool same_bound_twice(Operation& op, Rewriter& rewriter, std::string_view rule) {
  const Operation* inner = defined_by(op.operand(0), op.name());
  if (!inner) return false;
  const auto outer_bound = splat_of(op.operand(1));
  const bool same = inner->operand(1) == op.operand(1) || (outer_bound && is_splat(inner->operand(1), *outer_bound));
  return same && replace_with(op, op.operand(0), rewriter, rule);
}

bool select_constant(Operation& op, Rewriter& rewriter, std::string_view rule) {
  const auto predicate = splat_of(op.operand(0));
  if (!predicate) return false;
  return replace_with(op, op.operand(*predicate != 0 ? 1 : 2), rewriter, rule);
}

bool select_same(Operation& op, Rewriter& rewriter, std::string_view rule) {
  if (op.operand(1) != op.operand(2)) return false;
  return replace_with(op, op.operand(1), rewriter, rule);
}

// The square of a float of at most 32 bits is exact in the double that both are computed in.
bool power_two(Operation& op, Rewriter& rewriter, std::string_view rule) {
  Value* base = op.operand(0);
  if (!is_float(base->dtype()) || base->dtype() == DType::f64 || !is_splat(op.operand(1), 2)) return false;
  return rewriter.apply(rule, {&op}, [&](Rewrite& rewrite) {
    rewrite.replace(&op, rewrite.create_value("stablehlo.multiply", {base, base}, op.result()->type()));
  });
}

bool convert_identity(Operation& op, Rewriter& rewriter, std::string_view rule) {
  if (op.operand(0)->type() != op.result()->type()) return false;
  return replace_with(op, op.operand(0), rewriter, rule);
}

int fraction_bits(DType dtype) {
  switch (dtype) {
    case DType::f64: return 53;
    case DType::f32: return 24;
    case DType::f16: return 11;
    case DType::bf16: return 8;
    default: return 0;
  }
}

// Whether every value of `from` is one of `to`.
bool is_lossless(DType from, DType to) {
  if (from == to || from == DType::boolean) return !is_complex(to);
  const int from_bits = size_bytes(from) * 8, to_bits = size_bytes(to) * 8;
  const int fraction = fraction_bits(to);
  if (fraction_bits(from) > 0) return fraction >= fraction_bits(from) && (to == DType::f64 || (to == DType::f32 && from_bits < 32));
  if (!is_int(from)) return false;
  if (fraction > 0) return from_bits <= fraction && to != DType::f16;
  if (!is_int(to)) return false;
  if (is_unsigned_int(to)) return is_unsigned_int(from) && from_bits <= to_bits;
  return is_unsigned_int(from) ? from_bits < to_bits : from_bits <= to_bits;
}

// The middle type holds every value, and leaving it out changes no rounding, wrapping or saturation.
bool convert_of_convert(Operation& op, Rewriter& rewriter, std::string_view rule) {
  Operation* inner = defined_by(op.operand(0), op.name());
  if (!inner) return false;
  const DType first = inner->operand(0)->dtype(), last = op.result()->dtype();
  if (!is_lossless(first, inner->result()->dtype())) return false;
  const bool both_float = fraction_bits(first) > 0 && fraction_bits(last) > 0;
  if (!is_lossless(first, last) && !both_float) return false;
  return rewriter.apply(rule, {&op, inner}, [&](Rewrite& rewrite) { rewrite.set_operand(&op, 0, inner->operand(0)); });
}

bool is_constant_like(const Value* value) { return constant_of(value) || splat_of(value); }

bool constant_to_the_right(Operation& op, Rewriter& rewriter, std::string_view rule) {
  if (op.operand_count() != 2 || !has_trait(op, Trait::commutative)) return false;
  Value* left = op.operand(0);
  Value* right = op.operand(1);
  if (!is_constant_like(left) || is_constant_like(right)) return false;
  return rewriter.apply(rule, {&op}, [&](Rewrite& rewrite) {
    rewrite.set_operand(&op, 0, right);
    rewrite.set_operand(&op, 1, left);
  });
}

constexpr Rule rules[] = {
    {{"constant-to-the-right", "f(c, x) -> f(x, c) where f commutes"}, "", constant_to_the_right},
    {{"multiply-by-one", "multiply(x, 1) -> x"}, "stablehlo.multiply", multiply_by_one},
    {{"add-zero", "add(x, -0.0) -> x; for integers add(x, 0) -> x"}, "stablehlo.add", add_zero},
    {{"subtract-zero", "subtract(x, 0) -> x"}, "stablehlo.subtract", subtract_zero},
    {{"divide-by-one", "divide(x, 1) -> x"}, "stablehlo.divide", multiply_by_one},
    {{"divide-by-power-of-two", "divide(x, 2^n) -> multiply(x, 2^-n)"}, "stablehlo.divide", divide_by_power_of_two},
    {{"negate-of-negate", "negate(negate(x)) -> x"}, "stablehlo.negate", cancel_twice},
    {{"not-of-not", "not(not(x)) -> x"}, "stablehlo.not", cancel_twice},
    {{"abs-of-abs", "abs(abs(x)) -> abs(x)"}, "stablehlo.abs", apply_once},
    {{"abs-of-negate", "abs(negate(x)) -> abs(x)"}, "stablehlo.abs", abs_of_negate},
    {{"maximum-of-same", "maximum(x, x) -> x"}, "stablehlo.maximum", same_operands},
    {{"minimum-of-same", "minimum(x, x) -> x"}, "stablehlo.minimum", same_operands},
    {{"and-of-same", "and(x, x) -> x"}, "stablehlo.and", same_operands},
    {{"or-of-same", "or(x, x) -> x"}, "stablehlo.or", same_operands},
    {{"maximum-twice", "maximum(maximum(x, c), c) -> maximum(x, c)"}, "stablehlo.maximum", same_bound_twice},
    {{"minimum-twice", "minimum(minimum(x, c), c) -> minimum(x, c)"}, "stablehlo.minimum", same_bound_twice},
    {{"select-constant", "select(true, x, y) -> x; select(false, x, y) -> y"}, "stablehlo.select", select_constant},
    {{"select-of-same", "select(p, x, x) -> x"}, "stablehlo.select", select_same},
    {{"power-one", "power(x, 1) -> x"}, "stablehlo.power", multiply_by_one},
    {{"power-two", "power(x, 2) -> multiply(x, x) for f32, f16, bf16"}, "stablehlo.power", power_two},
    {{"convert-identity", "convert(x) -> x where the type stays"}, "stablehlo.convert", convert_identity},
    {{"convert-of-convert", "convert(convert(x)) -> convert(x) where the middle type loses nothing"}, "stablehlo.convert", convert_of_convert},
};

}  // namespace

std::span<const Rule> elementwise_rules() { return rules; }

}  // namespace stele::canonical
