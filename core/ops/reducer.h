// The regions of reductions that are one commutative op.
#pragma once

#include <string_view>

#include "core/ir/ir.h"

namespace stele {

// "add" "multiply" "maximum" "minimum" "and" "or" "xor" where the region is that op of its two arguments; else empty.
std::string_view reducer_of(const Region& region);

struct Reducer {
  enum Kind : uint8_t { add, multiply, maximum, minimum, bit_and, bit_or, bit_xor } kind = add;
  bool is_unsigned;
  Reducer(std::string_view kind, DType dtype);
  double operator()(double a, double b) const;
  int64_t operator()(int64_t a, int64_t b) const;
};

}  // namespace stele
