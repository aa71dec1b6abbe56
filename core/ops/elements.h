// Single elements of a tensor as rank-0 tensors, for ops that run a region on each.
#pragma once

#include <cstring>

#include "core/ops/rules.h"

namespace stele {

inline void copy_element(Tensor& to, int64_t i, const Tensor& from, int64_t k) {
  const auto width = static_cast<size_t>(size_bytes(to.dtype()));
  if (to.dtype() != from.dtype()) fail("an element of type {} where {} is expected", name(from.dtype()), name(to.dtype()));
  std::memcpy(to.mutable_data() + static_cast<size_t>(i) * width, from.data() + static_cast<size_t>(k) * width, width);
}

inline Tensor element(const Tensor& x, int64_t i) {
  Tensor scalar(x.dtype(), Ints{});
  copy_element(scalar, 0, x, i);
  return scalar;
}

inline void set_element(Tensor& to, int64_t i, const Tensor& scalar) { copy_element(to, i, scalar, 0); }

inline bool among(const Ints& values, int64_t value) {
  for (int64_t other : values) {
    if (other == value) return true;
  }
  return false;
}

}  // namespace stele
