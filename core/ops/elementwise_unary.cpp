// Unary elementwise ops. The float function of each works in double, the integer function in 64 bits.
// Of every one:  c1: operand and result have one type;  c2: the element type is one the op has a meaning on.
#include <bit>
#include <cmath>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/elementwise.h"

namespace stele {
namespace {

using elementwise::IntKind;
using elementwise::none;
using elementwise::unary;
using Values = std::vector<Value*>;

uint64_t low_bits(int64_t v, IntKind kind) {
  return kind.bits == 64 ? static_cast<uint64_t>(v) : static_cast<uint64_t>(v) & ((uint64_t{1} << kind.bits) - 1);
}

int64_t int_abs(int64_t v, IntKind kind) { return kind.is_signed && v < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(v)) : v; }
int64_t int_negate(int64_t v, IntKind) { return static_cast<int64_t>(0 - static_cast<uint64_t>(v)); }
int64_t int_sign(int64_t v, IntKind kind) { return v == 0 ? 0 : kind.is_signed && v < 0 ? -1 : 1; }
int64_t int_not(int64_t v, IntKind kind) { return kind.boolean ? v == 0 : ~v; }
int64_t int_popcnt(int64_t v, IntKind kind) { return std::popcount(low_bits(v, kind)); }
int64_t int_count_leading_zeros(int64_t v, IntKind kind) { return std::countl_zero(low_bits(v, kind)) - (64 - kind.bits); }

double float_sign(double x) { return std::isnan(x) || x == 0 ? x : x > 0 ? 1.0 : -1.0; }
double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }
// Half away from zero, and half to even (the rounding mode is the default one throughout).
double round_afz(double x) { return std::round(x); }
double round_even(double x) { return std::nearbyint(x); }

// ---- gradients: dx = g * f(x, y), y the result ----------------------------------------------------------------------

using Factor = Value*(Builder& b, Value* x, Value* y);

template <Factor* F>
Values times(const Operation& op, const Values& g, Builder& b) {
  return {build::multiply(b, g[0], F(b, op.operand(0), op.result()))};
}

Value* one(Builder& b, Value* like) { return build::splat_like(b, like, 1); }

Value* d_abs(Builder& b, Value* x, Value*) { return build::sign(b, x); }
Value* d_exponential(Builder&, Value*, Value* y) { return y; }
Value* d_exponential_minus_one(Builder& b, Value*, Value* y) { return build::add(b, y, one(b, y)); }
Value* d_log(Builder& b, Value* x, Value*) { return build::divide(b, one(b, x), x); }
Value* d_log_plus_one(Builder& b, Value* x, Value*) { return build::divide(b, one(b, x), build::add(b, x, one(b, x))); }
Value* d_logistic(Builder& b, Value*, Value* y) { return build::multiply(b, y, build::subtract(b, one(b, y), y)); }
Value* d_tanh(Builder& b, Value*, Value* y) { return build::subtract(b, one(b, y), build::multiply(b, y, y)); }
Value* d_sine(Builder& b, Value* x, Value*) { return build::cosine(b, x); }
Value* d_cosine(Builder& b, Value* x, Value*) { return build::negate(b, build::sine(b, x)); }
Value* d_tan(Builder& b, Value*, Value* y) { return build::add(b, one(b, y), build::multiply(b, y, y)); }
Value* d_sqrt(Builder& b, Value*, Value* y) { return build::divide(b, build::splat_like(b, y, 0.5), y); }
Value* d_rsqrt(Builder& b, Value* x, Value* y) { return build::multiply(b, build::splat_like(b, y, -0.5), build::divide(b, y, x)); }
Value* d_cbrt(Builder& b, Value*, Value* y) {
  return build::divide(b, one(b, y), build::multiply(b, build::splat_like(b, y, 3), build::multiply(b, y, y)));
}
Value* d_square(Builder& b, Value* x, Value*) { return build::multiply(b, build::splat_like(b, x, 2), x); }
// d erf = 2/sqrt(pi) exp(-x^2)
Value* d_erf(Builder& b, Value* x, Value*) {
  return build::multiply(b, build::splat_like(b, x, M_2_SQRTPI), build::exponential(b, build::negate(b, build::multiply(b, x, x))));
}
Value* d_erfc(Builder& b, Value* x, Value* y) { return build::negate(b, d_erf(b, x, y)); }
Values gradient_negate(const Operation&, const Values& g, Builder& b) { return {build::negate(b, g[0])}; }
Values gradient_zero(const Operation&, const Values& g, Builder& b) { return {build::splat_like(b, g[0], 0)}; }

template <auto Float>
OpDef float_unary(std::string_view name, std::string_view summary, Aspect<GradientFunction> gradient) {
  return unary<Float, none>(name, summary, gradient);
}

}  // namespace

std::span<const OpDef> elementwise_unary_ops() {
  const auto no_ints = no_gradient("integer result");
  static const OpDef table[] = {
      unary<[](double x) { return std::fabs(x); }, int_abs>("stablehlo.abs", "absolute value", times<d_abs>),
      unary<[](double x) { return -x; }, int_negate>("stablehlo.negate", "the negative", gradient_negate),
      unary<float_sign, int_sign>("stablehlo.sign", "-1, 0 or 1; zeros and NaN stay", gradient_zero),
      unary<none, int_not>("stablehlo.not", "bitwise not", no_ints),
      unary<none, int_popcnt>("stablehlo.popcnt", "number of one bits", no_ints),
      unary<none, int_count_leading_zeros>("stablehlo.count_leading_zeros", "zero bits above the first one", no_ints),
      float_unary<[](double x) { return std::cbrt(x); }>("stablehlo.cbrt", "cube root", times<d_cbrt>),
      float_unary<[](double x) { return std::ceil(x); }>("stablehlo.ceil", "up to an integer", gradient_zero),
      float_unary<[](double x) { return std::floor(x); }>("stablehlo.floor", "down to an integer", gradient_zero),
      float_unary<round_afz>("stablehlo.round_nearest_afz", "to the nearest integer, halves away from zero", gradient_zero),
      float_unary<round_even>("stablehlo.round_nearest_even", "to the nearest integer, halves to even", gradient_zero),
      float_unary<[](double x) { return std::cos(x); }>("stablehlo.cosine", "cosine", times<d_cosine>),
      float_unary<[](double x) { return std::sin(x); }>("stablehlo.sine", "sine", times<d_sine>),
      float_unary<[](double x) { return std::tan(x); }>("stablehlo.tan", "tangent", times<d_tan>),
      float_unary<[](double x) { return std::tanh(x); }>("stablehlo.tanh", "hyperbolic tangent", times<d_tanh>),
      float_unary<[](double x) { return std::exp(x); }>("stablehlo.exponential", "e to the x", times<d_exponential>),
      float_unary<[](double x) { return std::expm1(x); }>("stablehlo.exponential_minus_one", "e to the x, less 1",
                                                           times<d_exponential_minus_one>),
      float_unary<[](double x) { return std::log(x); }>("stablehlo.log", "natural logarithm", times<d_log>),
      float_unary<[](double x) { return std::log1p(x); }>("stablehlo.log_plus_one", "logarithm of 1 + x", times<d_log_plus_one>),
      float_unary<logistic>("stablehlo.logistic", "1 / (1 + exp(-x))", times<d_logistic>),
      float_unary<[](double x) { return std::sqrt(x); }>("stablehlo.sqrt", "square root", times<d_sqrt>),
      float_unary<[](double x) { return 1.0 / std::sqrt(x); }>("stablehlo.rsqrt", "1 / square root", times<d_rsqrt>),
      float_unary<[](double x) { return std::erf(x); }>("chlo.erf", "error function", times<d_erf>),
      float_unary<[](double x) { return std::erfc(x); }>("chlo.erfc", "1 - error function", times<d_erfc>),
      float_unary<[](double x) { return x * x; }>("chlo.square", "x times x", times<d_square>),
      float_unary<[](double x) { return std::tan(x); }>("chlo.tan", "tangent", times<d_tan>),
      float_unary<[](double x) { return std::sinh(x); }>("chlo.sinh", "hyperbolic sine", no_gradient("not provided")),
      float_unary<[](double x) { return std::cosh(x); }>("chlo.cosh", "hyperbolic cosine", no_gradient("not provided")),
      float_unary<[](double x) { return std::asin(x); }>("chlo.asin", "arc sine", no_gradient("not provided")),
      float_unary<[](double x) { return std::acos(x); }>("chlo.acos", "arc cosine", no_gradient("not provided")),
      float_unary<[](double x) { return std::atan(x); }>("chlo.atan", "arc tangent", no_gradient("not provided")),
      float_unary<[](double x) { return std::asinh(x); }>("chlo.asinh", "inverse hyperbolic sine", no_gradient("not provided")),
      float_unary<[](double x) { return std::acosh(x); }>("chlo.acosh", "inverse hyperbolic cosine", no_gradient("not provided")),
      float_unary<[](double x) { return std::atanh(x); }>("chlo.atanh", "inverse hyperbolic tangent", no_gradient("not provided")),
      float_unary<[](double x) { return std::lgamma(x); }>("chlo.lgamma", "logarithm of the gamma function", no_gradient("not provided")),
  };
  return table;
}

}  // namespace stele
