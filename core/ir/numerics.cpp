#include "core/ir/numerics.h"

#include <bit>
#include <cmath>

namespace stele {
namespace {

// Rounds a double to a format of `mantissa` stored bits, least exponent `min_exponent` (of normals) and largest
// exponent `max_exponent`, and packs it with `exponent_bits`.
uint16_t pack(double value, int mantissa, int exponent_bits, int min_exponent, int max_exponent) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const uint16_t infinity = static_cast<uint16_t>(((1 << exponent_bits) - 1) << mantissa);
  if (std::isnan(value)) return sign | infinity | static_cast<uint16_t>(1 << (mantissa - 1));
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return sign | infinity;
  if (magnitude == 0) return sign;
  int exponent = std::ilogb(magnitude);
  if (exponent < min_exponent) exponent = min_exponent;
  // In units of the last place: exact in double, then rounded to nearest even by the current (default) mode.
  const double units = std::nearbyint(std::ldexp(magnitude, mantissa - exponent));
  const auto integer = static_cast<uint32_t>(units);  // at most 2^(mantissa+1): carries into the exponent by itself
  const uint32_t bits = (static_cast<uint32_t>(exponent - min_exponent) << mantissa) + integer;
  const uint32_t limit = static_cast<uint32_t>(max_exponent - min_exponent + 2) << mantissa;
  return sign | (bits >= limit ? infinity : static_cast<uint16_t>(bits));
}

double unpack(uint16_t bits, int mantissa, int exponent_bits, int min_exponent) {
  const double sign = (bits & 0x8000) ? -1.0 : 1.0;
  const int exponent = (bits >> mantissa) & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << mantissa) - 1);
  if (exponent == (1 << exponent_bits) - 1) return fraction != 0 ? std::copysign(NAN, sign) : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, min_exponent - mantissa);
  return sign * std::ldexp((1 << mantissa) + fraction, exponent - 1 + min_exponent - mantissa);
}

}  // namespace

double f16_to_double(uint16_t bits) { return unpack(bits, 10, 5, -14); }
uint16_t double_to_f16(double value) { return pack(value, 10, 5, -14, 15); }
double bf16_to_double(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
uint16_t double_to_bf16(double value) { return pack(value, 7, 8, -126, 127); }

}  // namespace stele
