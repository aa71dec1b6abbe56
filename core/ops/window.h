// Windows that slide over axes, as convolution and reduce_window have them.
#pragma once

#include "core/ops/rules.h"

namespace stele {

struct WindowAxis {
  Dim size = 1;             // of the window
  int64_t stride = 1;
  Dim low = 0, high = 0;    // padding, may be negative
  int64_t base_dilation = 1, window_dilation = 1;
};

// How many positions a window has over an axis of that size: 0 where it does not fit.
Dim window_positions(const Dim& size, const WindowAxis& axis);
// The element of the axis that position `at`, window element `k` is on; -1 where it is on padding or between elements.
struct StaticWindow {
  int64_t size, stride, low, base_dilation, window_dilation, extent;  // extent: elements of the axis
  int64_t element(int64_t at, int64_t k) const {
    const int64_t place = at * stride - low + k * window_dilation;
    if (place < 0 || place % base_dilation != 0) return -1;
    const int64_t index = place / base_dilation;
    return index < extent ? index : -1;
  }
};
StaticWindow at_run(const WindowAxis& axis, int64_t extent, const Binding& binding);
// Padding of `axes` axes: Ints or dims, low and high interleaved; default 0.
Shape padding_of(const Operation& op, size_t axes);

}  // namespace stele
