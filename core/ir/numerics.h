// Conversions between the 16-bit float formats and f32/f64, rounding to nearest even (IEEE 754-2019; bf16 as in
// the bfloat16 whitepaper: the upper half of an f32).
#pragma once

#include <cstdint>

namespace stele {

double f16_to_double(uint16_t bits);
uint16_t double_to_f16(double value);  // one rounding, overflow to infinity
double bf16_to_double(uint16_t bits);
uint16_t double_to_bf16(double value);  // one rounding

}  // namespace stele
