// Binary elementwise ops. The float function of each works in double, the integer function in 64 bits.
// Of every one:  c1: operands and result have one type;  c2: the element type is one the op has a meaning on.
#include <bit>
#include <cmath>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/elementwise.h"

namespace stele {
namespace {

using elementwise::binary;
using elementwise::IntKind;
using elementwise::none;
using Values = std::vector<Value*>;

uint64_t u(int64_t v) { return static_cast<uint64_t>(v); }
int64_t s(uint64_t v) { return static_cast<int64_t>(v); }

// Integer division: by zero gives all ones (-1), the least value by -1 wraps to itself.
int64_t int_divide(int64_t a, int64_t b, IntKind kind) {
  if (b == 0) return -1;
  if (!kind.is_signed) return s(u(a) / u(b));
  return b == -1 ? s(0 - u(a)) : a / b;
}

int64_t int_remainder(int64_t a, int64_t b, IntKind kind) {
  if (b == 0) return a;
  if (!kind.is_signed) return s(u(a) % u(b));
  return b == -1 ? 0 : a % b;
}

int64_t int_power(int64_t base, int64_t exponent, IntKind kind) {
  if (kind.is_signed && exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 != 0 ? -1 : 1) : 0;
  uint64_t result = 1, square = u(base);
  for (uint64_t left = u(exponent); left != 0; left >>= 1, square *= square) {
    if (left & 1) result *= square;
  }
  return s(result);
}

bool int_less(int64_t a, int64_t b, IntKind kind) { return kind.is_signed ? a < b : u(a) < u(b); }

// NaN where one is NaN; +0 is more than -0.
double float_maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double float_minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

bool shifts_out(int64_t by, IntKind kind) { return u(by) >= u(kind.bits) || by < 0; }

int64_t shift_left(int64_t a, int64_t by, IntKind kind) { return shifts_out(by, kind) ? 0 : s(u(a) << by); }
int64_t shift_right_logical(int64_t a, int64_t by, IntKind kind) {
  if (shifts_out(by, kind)) return 0;
  const uint64_t mask = kind.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << kind.bits) - 1;
  return s((u(a) & mask) >> by);
}
int64_t shift_right_arithmetic(int64_t a, int64_t by, IntKind kind) {
  // An unsigned value is shifted as the signed one of the same bits.
  const int64_t value = kind.is_signed || kind.bits == 64 ? a : s(u(a) << (64 - kind.bits)) >> (64 - kind.bits);
  return shifts_out(by, kind) ? (value < 0 ? -1 : 0) : value >> by;
}

// ---- gradients: x, y are the operands, g the gradient of the result -------------------------------------------------

Values gradient_add(const Operation&, const Values& g, Builder&) { return {g[0], g[0]}; }
Values gradient_subtract(const Operation&, const Values& g, Builder& b) { return {g[0], build::negate(b, g[0])}; }
Values gradient_multiply(const Operation& op, const Values& g, Builder& b) {
  return {build::multiply(b, g[0], op.operand(1)), build::multiply(b, g[0], op.operand(0))};
}
// d(x/y) = (g/y, -g x / y^2)
Values gradient_divide(const Operation& op, const Values& g, Builder& b) {
  Value* dx = build::divide(b, g[0], op.operand(1));
  return {dx, build::negate(b, build::divide(b, build::multiply(b, dx, op.operand(0)), op.operand(1)))};
}
// Where both are equal half the gradient goes to each, as JAX has it.
Values gradient_extremum(const Operation& op, const Values& g, Builder& b) {
  Value* half = build::multiply(b, g[0], build::splat_like(b, g[0], 0.5));
  Value* zero = build::splat_like(b, g[0], 0);
  const char* wins = op.is("stablehlo.maximum") ? "GT" : "LT";
  Value* equal = build::compare(b, "EQ", op.operand(0), op.operand(1));
  const auto part = [&](Value* x, Value* y) {
    return build::select(b, equal, half, build::select(b, build::compare(b, wins, x, y), g[0], zero));
  };
  return {part(op.operand(0), op.operand(1)), part(op.operand(1), op.operand(0))};
}
// d(x^y) = (g y x^(y-1), g x^y log x)
Values gradient_power(const Operation& op, const Values& g, Builder& b) {
  Value *x = op.operand(0), *y = op.operand(1);
  Value* less = build::power(b, x, build::subtract(b, y, build::splat_like(b, y, 1)));
  Value* dx = build::multiply(b, g[0], build::multiply(b, y, less));
  return {dx, build::multiply(b, g[0], build::multiply(b, op.result(), build::log(b, x)))};
}
// d atan2(x, y) = (g y / (x^2 + y^2), -g x / (x^2 + y^2))
Values gradient_atan2(const Operation& op, const Values& g, Builder& b) {
  Value *x = op.operand(0), *y = op.operand(1);
  Value* scaled = build::divide(b, g[0], build::add(b, build::multiply(b, x, x), build::multiply(b, y, y)));
  return {build::multiply(b, scaled, y), build::negate(b, build::multiply(b, scaled, x))};
}

}  // namespace

std::span<const OpDef> elementwise_binary_ops() {
  constexpr Trait commutative = Trait::commutative;
  const auto no_ints = no_gradient("integer result");
  static const OpDef table[] = {
      binary<[](double a, double b) { return a + b; }, [](int64_t a, int64_t b, IntKind) { return s(u(a) + u(b)); }>(
          "stablehlo.add", "sum; or of booleans", gradient_add, commutative),
      binary<[](double a, double b) { return a - b; }, [](int64_t a, int64_t b, IntKind) { return s(u(a) - u(b)); }>(
          "stablehlo.subtract", "difference", gradient_subtract),
      binary<[](double a, double b) { return a * b; }, [](int64_t a, int64_t b, IntKind) { return s(u(a) * u(b)); }>(
          "stablehlo.multiply", "product; and of booleans", gradient_multiply, commutative),
      binary<[](double a, double b) { return a / b; }, int_divide>(
          "stablehlo.divide", "quotient; integers truncate", gradient_divide),
      binary<[](double a, double b) { return std::fmod(a, b); }, int_remainder>(
          "stablehlo.remainder", "remainder with the sign of the dividend", no_gradient("not provided")),
      binary<[](double a, double b) { return std::pow(a, b); }, int_power>("stablehlo.power", "x to the power y", gradient_power),
      binary<float_maximum, [](int64_t a, int64_t b, IntKind k) { return int_less(a, b, k) ? b : a; }>(
          "stablehlo.maximum", "the larger; NaN where one is NaN", gradient_extremum, commutative),
      binary<float_minimum, [](int64_t a, int64_t b, IntKind k) { return int_less(b, a, k) ? b : a; }>(
          "stablehlo.minimum", "the smaller; NaN where one is NaN", gradient_extremum, commutative),
      binary<[](double a, double b) { return std::atan2(a, b); }, none>("stablehlo.atan2", "angle of the point (y, x)", gradient_atan2),
      binary<none, [](int64_t a, int64_t b, IntKind) { return a & b; }>("stablehlo.and", "bitwise and", no_ints, commutative),
      binary<none, [](int64_t a, int64_t b, IntKind) { return a | b; }>("stablehlo.or", "bitwise or", no_ints, commutative),
      binary<none, [](int64_t a, int64_t b, IntKind) { return a ^ b; }>("stablehlo.xor", "bitwise exclusive or", no_ints, commutative),
      binary<none, shift_left>("stablehlo.shift_left", "shift to the left; 0 from the width on", no_ints),
      binary<none, shift_right_logical>("stablehlo.shift_right_logical", "shift to the right, zeros come in", no_ints),
      binary<none, shift_right_arithmetic>("stablehlo.shift_right_arithmetic", "shift to the right, the sign comes in", no_ints),
  };
  return table;
}

}  // namespace stele
