#include "core/ir/dtype.h"

#include <array>
#include <cmath>
#include <limits>

namespace stele {
namespace {

enum class Family : uint8_t { floating, signed_int, unsigned_int, boolean, complex };

struct DTypeInfo {
  std::string_view name;
  int bytes;
  Family family;
  double epsilon;
  double max_finite;
};

const std::array<DTypeInfo, 18> table = {{
    {"f64", 8, Family::floating, 0x1p-52, std::numeric_limits<double>::max()},
    {"f32", 4, Family::floating, 0x1p-23, std::numeric_limits<float>::max()},
    {"f16", 2, Family::floating, 0x1p-10, 65504.0},
    {"bf16", 2, Family::floating, 0x1p-7, 0x1.fep127},
    {"i64", 8, Family::signed_int, 0, 0x1p63},
    {"i32", 4, Family::signed_int, 0, 2147483647.0},
    {"i16", 2, Family::signed_int, 0, 32767},
    {"i8", 1, Family::signed_int, 0, 127},
    {"ui64", 8, Family::unsigned_int, 0, 0x1p64},
    {"ui32", 4, Family::unsigned_int, 0, 4294967295.0},
    {"ui16", 2, Family::unsigned_int, 0, 65535},
    {"ui8", 1, Family::unsigned_int, 0, 255},
    {"i1", 1, Family::boolean, 0, 1},
    {"index", 8, Family::signed_int, 0, 0x1p63},
    {"f8E4M3FN", 1, Family::floating, 0x1p-3, 448},
    {"f8E5M2", 1, Family::floating, 0x1p-2, 57344},
    {"complex<f32>", 8, Family::complex, 0x1p-23, std::numeric_limits<float>::max()},
    {"complex<f64>", 16, Family::complex, 0x1p-52, std::numeric_limits<double>::max()},
}};

const DTypeInfo& info(DType dtype) { return table[static_cast<size_t>(dtype)]; }

}  // namespace

std::string_view name(DType dtype) { return info(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

int size_bytes(DType dtype) { return info(dtype).bytes; }
bool is_float(DType dtype) { return info(dtype).family == Family::floating; }
bool is_signed_int(DType dtype) { return info(dtype).family == Family::signed_int; }
bool is_unsigned_int(DType dtype) { return info(dtype).family == Family::unsigned_int; }
bool is_int(DType dtype) { return is_signed_int(dtype) || is_unsigned_int(dtype); }
bool is_complex(DType dtype) { return info(dtype).family == Family::complex; }
double epsilon(DType dtype) { return info(dtype).epsilon; }
double max_finite(DType dtype) { return info(dtype).max_finite; }

}  // namespace stele
