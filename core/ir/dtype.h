// Element types. Text names are StableHLO's: f32, bf16, i32, ui8, i1, complex<f32>, f8E4M3FN.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stele {

enum class DType : uint8_t {
  f64,
  f32,
  f16,
  bf16,
  i64,
  i32,
  i16,
  i8,
  u64,
  u32,
  u16,
  u8,
  boolean,  // i1; one byte a value in memory, 0 or 1
  index,    // loop level: a 64-bit subscript
  f8e4m3fn,  // room only: no op evaluates the f8 types yet
  f8e5m2,
  c64,  // two f32; room only
  c128,
};

std::string_view name(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);
int size_bytes(DType dtype);  // bytes a value takes in memory

bool is_float(DType dtype);  // f64 … bf16 and f8
bool is_signed_int(DType dtype);
bool is_unsigned_int(DType dtype);
bool is_int(DType dtype);  // signed or unsigned or index; not boolean
bool is_complex(DType dtype);

// Unit roundoff spacing: the distance from 1 to the next larger value. 0 for integers.
double epsilon(DType dtype);
// Largest finite value, as a double.
double max_finite(DType dtype);

}  // namespace stele
