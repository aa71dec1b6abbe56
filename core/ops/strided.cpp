#include "core/ops/strided.h"

#include <cstring>

namespace stele {
namespace {

// Calls visit(offset of a row in the strided side), row by row of the innermost axis.
template <typename Visit>
void each_row(const Ints& sizes, int64_t start, const Ints& strides, Visit visit) {
  const size_t outer = sizes.empty() ? 0 : sizes.size() - 1;
  Ints at(outer, 0);
  int64_t offset = start;
  while (true) {
    visit(offset);
    size_t axis = outer;
    while (axis > 0) {
      --axis;
      offset += strides[axis];
      if (++at[axis] < sizes[axis]) break;
      offset -= strides[axis] * sizes[axis];
      at[axis] = 0;
      if (axis == 0) return;
    }
    if (outer == 0) return;
  }
}

template <typename Word>
void copy_row(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t count) {
  constexpr auto width = static_cast<int64_t>(sizeof(Word));
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count * width));
    return;
  }
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_stride * width, from + i * from_stride * width, sizeof(Word));
}

void copy_row(int width, std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t count) {
  switch (width) {
    case 1: return copy_row<uint8_t>(to, to_stride, from, from_stride, count);
    case 2: return copy_row<uint16_t>(to, to_stride, from, from_stride, count);
    case 4: return copy_row<uint32_t>(to, to_stride, from, from_stride, count);
    case 8: return copy_row<uint64_t>(to, to_stride, from, from_stride, count);
    default: return copy_row<std::pair<uint64_t, uint64_t>>(to, to_stride, from, from_stride, count);
  }
}

}  // namespace

Tensor gather_strided(const Tensor& x, const Ints& sizes, int64_t start, const Ints& strides) {
  Tensor result(x.dtype(), sizes);
  if (result.elements() == 0) return result;
  const int width = size_bytes(x.dtype());
  const int64_t row = sizes.empty() ? 1 : sizes.back(), step = sizes.empty() ? 1 : strides.back();
  std::byte* to = result.mutable_data();
  each_row(sizes, start, strides, [&](int64_t offset) {
    copy_row(width, to, 1, x.data() + offset * width, step, row);
    to += row * width;
  });
  return result;
}

void scatter_strided(const Tensor& from, Tensor& to, int64_t start, const Ints& strides) {
  if (from.elements() == 0) return;
  const int width = size_bytes(from.dtype());
  const int64_t row = from.rank() == 0 ? 1 : from.sizes().back(), step = from.rank() == 0 ? 1 : strides.back();
  const std::byte* source = from.data();
  std::byte* data = to.mutable_data();
  each_row(from.sizes(), start, strides, [&](int64_t offset) {
    copy_row(width, data + offset * width, step, source, 1, row);
    source += row * width;
  });
}

Tensor broadcast_to_sizes(const Operation& op, const Tensor& x, const Ints& sizes, const Ints& dims) {
  Ints strides(sizes.size(), 0);
  const Ints own = x.strides();
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = x.sizes()[i];
    if (size != 1 && size != sizes.at(dims[i])) {
      fail("{}: operand has sizes {}, which do not broadcast to {}", op.describe(), str(x.sizes()), str(sizes));
    }
    if (size != 1) strides[dims[i]] = own[i];
  }
  return gather_strided(x, sizes, 0, strides);
}

Tensor slice_tensor(const Operation& op, const Tensor& x, const Ints& starts, const Ints& limits, const Ints& steps) {
  Ints sizes, strides = x.strides();
  int64_t start = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    if (starts[i] < 0 || limits[i] < starts[i] || limits[i] > x.sizes()[i] || steps[i] < 1) {
      fail("{}: axis {} from {} to {} is not within {}", op.describe(), i, starts[i], limits[i], x.sizes()[i]);
    }
    sizes.push_back((limits[i] - starts[i] + steps[i] - 1) / steps[i]);
    start += starts[i] * strides[i];
    strides[i] *= steps[i];
  }
  return gather_strided(x, sizes, start, strides);
}

Tensor filled(const Tensor& value, const Ints& sizes) { return gather_strided(value, sizes, 0, Ints(sizes.size(), 0)); }

Tensor pad_tensor(const Tensor& x, const Tensor& value, const Ints& low, const Ints& high, const Ints& interior) {
  Ints sizes;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t size = x.sizes()[i];
    sizes.push_back(size + low[i] + high[i] + std::max<int64_t>(size - 1, 0) * interior[i]);
  }
  Tensor result = filled(value, sizes);
  // What stays within the result, an axis: from the first element at or after 0 to the last before its size.
  Ints first, kept, from_strides = x.strides(), to_strides = result.strides();
  int64_t from = 0, to = 0;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t step = interior[i] + 1;
    const int64_t begin = low[i] < 0 ? (-low[i] + step - 1) / step : 0;
    int64_t end = begin;
    while (end < x.sizes()[i] && low[i] + end * step < sizes[i]) ++end;
    kept.push_back(end - begin);
    from += begin * from_strides[i];
    to += (low[i] + begin * step) * to_strides[i];
    to_strides[i] *= step;
  }
  if (checked_element_count(kept) == 0) return result;
  scatter_strided(gather_strided(x, kept, from, from_strides), result, to, to_strides);
  return result;
}

}  // namespace stele
