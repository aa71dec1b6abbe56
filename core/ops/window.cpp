#include "core/ops/window.h"

namespace stele {

Dim window_positions(const Dim& size, const WindowAxis& axis) {
  const Dim dilated = size.is(0) ? Dim(0) : (size - 1) * axis.base_dilation + 1;
  const Dim window = axis.size.is(0) ? Dim(0) : (axis.size - 1) * axis.window_dilation + 1;
  const Dim room = dilated + axis.low + axis.high - window;
  if (room.is_static() && room.value() < 0) return 0;
  return Dim::floor_div(room, axis.stride) + 1;
}

StaticWindow at_run(const WindowAxis& axis, int64_t extent, const Binding& binding) {
  return {axis.size.evaluate(binding), axis.stride, axis.low.evaluate(binding), axis.base_dilation, axis.window_dilation, extent};
}

Shape padding_of(const Operation& op, size_t axes) {
  Shape padding = dims_attribute_or(op, "padding", Shape(2 * axes, 0));
  if (padding.size() != 2 * axes) fail("{}: padding has {} values, expected {}", op.describe(), padding.size(), 2 * axes);
  return padding;
}

}  // namespace stele
