#include "core/ops/onnx_nn.h"

#include <algorithm>
#include <numeric>

#include "core/ops/window.h"

namespace stele::onnx_nn {

using namespace onnx_op;

int64_t opset_of(const Operation& op) {
  const Function* function = op.function();
  if (!function) return 23;
  const Attributes& attributes = function->module().attributes;
  const auto found = attributes.find("opset");
  const int64_t* opset = found == attributes.end() ? nullptr : found->second.get<int64_t>();
  return opset ? *opset : 23;
}

DType compute_dtype(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype; }

void verify_by_inference(const Operation& op) {
  if (types_known(op)) op_def(op).infer(op);
}

Cost cost_an_element(const Operation& op, int64_t flops) {
  if (!types_known(op) || op.operand_count() == 0) return {};
  for (const Value* result : op.results()) {
    if (!result->type().is_tensor()) return {};
  }
  return one_kernel(op, op.operand(0)->type().elements() * flops);
}

Split split_at(const Ints& sizes, int64_t first, int64_t last) {
  Split split;
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i) {
    int64_t& part = i < first ? split.outer : i < last ? split.count : split.inner;
    part *= sizes[static_cast<size_t>(i)];
  }
  return split;
}

Ints axes_from(int64_t first, int64_t rank) {
  Ints axes(static_cast<size_t>(std::max<int64_t>(rank - first, 0)));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

Value* mean(Builder& b, Value* x, const Ints& axes) {
  Dim count = 1;
  for (int64_t axis : axes) count = count * x->shape()[static_cast<size_t>(axis)];
  Value* sum = build::reduce(b, x, "add", axes, true);
  if (count.is_static()) return with(b, "stablehlo.divide", sum, static_cast<double>(count.value()));
  return with(b, "stablehlo.divide", sum, build::dim_value(b, x->dtype(), count));
}

Value* with(Builder& b, std::string_view name, Value* x, Value* y) {
  return build::binary(b, name, x, build::broadcast_to(b, y, x->shape()));
}

Value* with(Builder& b, std::string_view name, Value* x, double y) {
  return build::binary(b, name, x, build::splat_like(b, x, y));
}

Value* along_channels(Builder& b, Value* y, const Type& type) {
  return build::broadcast_in_dim(b, y, type.with_dtype(y->dtype()), {1});
}

Ints SlidingWindow::padding() const {
  Ints both;
  for (size_t i = 0; i < low.size(); ++i) {
    both.push_back(low[i]);
    both.push_back(high[i]);
  }
  return both;
}

int64_t SlidingWindow::elements() const { return checked_element_count(kernel); }

bool SlidingWindow::has_padding() const {
  const auto set = [](int64_t pad) { return pad != 0; };
  return std::any_of(low.begin(), low.end(), set) || std::any_of(high.begin(), high.end(), set);
}

namespace {

Ints axis_attribute(const Operation& op, std::string_view name, size_t count, int64_t otherwise, int64_t least) {
  const Ints values = op.get_or<Ints>(name, Ints(count, otherwise));
  if (values.size() != count) violated(op, "w1", "{} has {} entries, expected {}", name, values.size(), count);
  for (int64_t value : values) {
    if (value < least) violated(op, "w2", "{} has the entry {}, expected at least {}", name, value, least);
    if (value > int64_t{1} << 31) violated(op, "w2", "{} has the entry {}, which is too large", name, value);
  }
  return values;
}

int64_t extent(const SlidingWindow& w, size_t axis) { return (w.kernel[axis] - 1) * w.dilations[axis] + 1; }

// SAME: as many positions as strides fit in the axis; what padding that needs, half on either side.
void pad_same(const Operation& op, SlidingWindow& w, size_t axis, const Dim& size, bool upper) {
  int64_t total = extent(w, axis) - w.strides[axis];
  if (size.is_static()) {
    const int64_t positions = (size.value() + w.strides[axis] - 1) / w.strides[axis];
    total = (positions - 1) * w.strides[axis] + extent(w, axis) - size.value();
  } else if (w.strides[axis] != 1) {
    violated(op, "w4", "auto_pad with a stride of {} over the free dim {} is not supported", w.strides[axis], size.str());
  }
  total = std::max<int64_t>(total, 0);
  w.low[axis] = upper ? total / 2 : total - total / 2;
  w.high[axis] = total - w.low[axis];
}

// ceil_mode: one more position where the window would overlap the end, unless it would begin in the padding there.
void pad_ceil(const Operation& op, SlidingWindow& w, size_t axis, const Dim& size) {
  if (w.strides[axis] == 1) return;
  if (!size.is_static()) violated(op, "w4", "ceil_mode with a stride of {} over the free dim {} is not supported", w.strides[axis], size.str());
  const int64_t room = size.value() + w.low[axis] + w.high[axis] - extent(w, axis);
  if (room < 0) return;
  int64_t positions = (room + w.strides[axis] - 1) / w.strides[axis] + 1;
  if ((positions - 1) * w.strides[axis] >= size.value() + w.low[axis]) --positions;
  w.high[axis] = std::max(w.high[axis], (positions - 1) * w.strides[axis] + extent(w, axis) - size.value() - w.low[axis]);
}

Dim positions_of(const Operation& op, const SlidingWindow& w, size_t axis, const Dim& size) {
  if (size.is_static() && size.value() + w.low[axis] + w.high[axis] < extent(w, axis)) {
    violated(op, "w3", "window spans {} elements of spatial axis {}, which has {} with padding", extent(w, axis), axis,
             size.value() + w.low[axis] + w.high[axis]);
  }
  return window_positions(size, {.size = w.kernel[axis], .stride = w.strides[axis], .low = w.low[axis], .high = w.high[axis],
                                 .base_dilation = 1, .window_dilation = w.dilations[axis]});
}

}  // namespace

SlidingWindow sliding_window(const Operation& op, const Shape& spatial, const Ints& kernel) {
  const size_t n = spatial.size();
  SlidingWindow w{kernel, axis_attribute(op, "strides", n, 1, 1), axis_attribute(op, "dilations", n, 1, 1), Ints(n, 0), Ints(n, 0), {}, {}};
  if (kernel.size() != n) violated(op, "w1", "kernel has {} spatial axes, expected {}", kernel.size(), n);
  for (int64_t size : kernel) {
    if (size < 1 || size > int64_t{1} << 20) violated(op, "w2", "kernel has the size {}, expected 1 to 2^20", size);
  }
  if (checked_element_count(kernel) > int64_t{1} << 31) violated(op, "w2", "kernel has {} elements, which are too many", w.elements());
  const std::string mode = op.get_or<std::string>("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) {
    const Ints pads = axis_attribute(op, "pads", 2 * n, 0, 0);
    w.low.assign(pads.begin(), pads.begin() + static_cast<long>(n));
    w.high.assign(pads.begin() + static_cast<long>(n), pads.end());
  } else if (mode != "SAME_UPPER" && mode != "SAME_LOWER" && mode != "VALID") {
    violated(op, "w1", "auto_pad is '{}', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", mode);
  }
  if (mode.starts_with("SAME")) {
    for (size_t i = 0; i < n; ++i) pad_same(op, w, i, spatial[i], mode == "SAME_UPPER");
  }
  w.stated_high = w.high;
  for (size_t i = 0; i < n; ++i) {
    if (op.get_or<int64_t>("ceil_mode", 0) != 0) pad_ceil(op, w, i, spatial[i]);
    w.positions.push_back(positions_of(op, w, i, spatial[i]));
  }
  return w;
}

}  // namespace stele::onnx_nn
