#include "core/ops/onnx_slice.h"

#include <algorithm>
#include <limits>

#include "core/ops/build.h"
#include "core/ops/onnx_common.h"
#include "core/ops/shape_values.h"

// onnx.Slice(data, starts, ends, axes, steps):
//   c1: axes are in range, none twice
//   c2: as many starts, ends, axes and steps
//   c3: no step is 0
// Starts and ends count from the end where negative, and are clamped to the axis. A symbolic start or end is taken to lie
// within its axis, and a free dim to be at least 1, so that x[1:] has n - 1 elements rather than n - min(1, n): exporters
// count so too. No clamping is written for either, and a run that is otherwise is refused by the slice's bounds.
namespace stele::onnx_op {
namespace {

struct Window {  // elements start, start + step, … before (or, going down, after) end
  Dim start, end;
  int64_t step = 1;
  Dim length;
};

// The least value of an expression that only grows with its symbols; nullopt where that is not plain to see.
std::optional<int64_t> least(const Operation& op, const Dim& dim) {
  if (dim.is_static()) return dim.value();
  const std::string text = dim.str();
  if (text.find('-') != std::string::npos || text.find("mod") != std::string::npos) return std::nullopt;
  std::set<std::string> symbols;
  dim.collect_symbols(symbols);
  Binding binding;
  for (const std::string& symbol : symbols) {
    const auto& bounds = op.function()->module().symbols;
    const auto found = bounds.find(symbol);
    binding[symbol] = found == bounds.end() ? 1 : std::max<int64_t>(1, found->second.min);
  }
  return dim.evaluate(binding);
}

// `at`, counted from the end where negative and kept within [low, size - room].
Dim clamped(const Operation& op, const Dim& at, const Dim& size, int64_t low, int64_t room) {
  if (!at.is_static()) return at;
  const Dim high = size - room;
  if (size.is_static()) {
    const int64_t from_front = at.value() < 0 ? std::max(at.value(), -size.value() - 1) + size.value() : at.value();
    return std::max(low, std::min(from_front, high.value()));
  }
  const auto sure = least(op, size);
  if (at.value() < 0) {
    if (at.value() < -(int64_t{1} << 31)) return low;  // how exporters write "to the front"
    const Dim from_front = size + at;
    return sure && *sure + at.value() >= low ? from_front : Dim::max(from_front, low);
  }
  if (at.value() >= (int64_t{1} << 31) - 1) return high;  // how exporters write "to the end"
  return sure && at.value() <= *sure - room ? at : Dim::min(at, high);
}

// Whether a distance along an axis of that size is plainly not below zero.
bool not_negative(const Operation& op, const Dim& distance, const Dim& size) {
  if (least(op, distance)) return true;
  const Dim offset = distance - size;
  const auto sure = least(op, size);
  return offset.is_static() && sure && *sure + offset.value() >= 0;
}

// ceil(distance / step), where distance + step may not fit.
Dim steps_between(const Dim& distance, int64_t step) {
  if (!distance.is_static()) return Dim::ceil_div(distance, step);
  return distance.value() <= 0 ? 0 : (distance.value() - 1) / step + 1;
}

Window window_of(const Operation& op, const Dim& start, const Dim& end, int64_t step, const Dim& size) {
  if (step == 0) violated(op, "c3", "a step is 0");
  step = std::max(step, -std::numeric_limits<int64_t>::max());
  if (size.is(0)) return {0, 0, step, 0};
  const bool down = step < 0;
  Window w;
  w.step = step;
  w.start = clamped(op, start, size, 0, down ? 1 : 0);
  w.end = clamped(op, end, size, down ? -1 : 0, down ? 1 : 0);
  const Dim distance = down ? w.start - w.end : w.end - w.start;
  const bool clamps = start.is_static() && end.is_static();
  if (clamps && !not_negative(op, distance, size)) w.end = down ? Dim::min(w.end, w.start) : Dim::max(w.end, w.start);
  w.length = steps_between(down ? w.start - w.end : w.end - w.start, down ? -step : step);
  return w;
}

// A window an axis; axes that are not named are whole. nullopt where something needed is not known before the run.
std::optional<std::vector<Window>> windows(const Operation& op, const Shape& data, const std::optional<Shape>& starts,
                                           const std::optional<Shape>& ends, std::optional<Ints> axes, std::optional<Ints> steps) {
  if (!starts || !ends || !axes || !steps) return std::nullopt;
  if (axes->empty()) {
    for (size_t i = 0; i < starts->size(); ++i) axes->push_back(static_cast<int64_t>(i));
  }
  if (steps->empty()) steps->assign(starts->size(), 1);
  if (ends->size() != starts->size() || axes->size() != starts->size() || steps->size() != starts->size()) {
    violated(op, "c2", "{} starts, {} ends, {} axes and {} steps", starts->size(), ends->size(), axes->size(), steps->size());
  }
  std::vector<Window> all;
  for (const Dim& size : data) all.push_back({0, size, 1, size});
  const Ints in_range = axes_in(op, "c1", *axes, static_cast<int64_t>(data.size()));
  for (size_t i = 0; i < in_range.size(); ++i) {
    const size_t axis = static_cast<size_t>(in_range[i]);
    all[axis] = window_of(op, (*starts)[i], (*ends)[i], (*steps)[i], data[axis]);
  }
  return all;
}

std::optional<Shape> known_or_attribute(const Operation& op, unsigned i, std::string_view attribute) {
  if (const Value* value = operand(op, i)) return known_dims(value);
  return make_shape(op.get<Ints>(attribute));
}

std::optional<std::vector<Window>> static_windows(const Operation& op) {
  return windows(op, op.operand(0)->shape(), known_or_attribute(op, 1, "starts"), known_or_attribute(op, 2, "ends"),
                 static_ints(op, 3, "axes", {}), static_ints(op, 4, "steps", {}));
}

}  // namespace

std::vector<Type> infer_slice(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  const auto all = static_windows(op);
  if (!all) return unknown_results(op);
  Shape shape;
  for (const Window& w : *all) shape.push_back(w.length);
  return {op.operand(0)->type().with_shape(shape)};
}

std::vector<Tensor> evaluate_slice(const Operation& op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor& x = operands[0];
  const auto all = windows(op, make_shape(x.sizes()), make_shape(run_ints(op, operands, 1, "starts", {})),
                           make_shape(run_ints(op, operands, 2, "ends", {})), run_ints(op, operands, 3, "axes", {}),
                           run_ints(op, operands, 4, "steps", {}));
  Ints sizes, steps;
  int64_t start = 0;
  const Ints strides = x.strides();
  for (size_t i = 0; i < all->size(); ++i) {
    const Window& w = (*all)[i];
    sizes.push_back(w.length.value());
    steps.push_back(w.length.value() > 1 ? w.step * strides[i] : 0);
    start += w.start.value() * strides[i];
  }
  return {pick(x, sizes, affine_index(sizes, steps, start))};
}

// Going down is going up through the reversed axis.
std::vector<Value*> decompose_slice(const Operation& op, Builder& b) {
  Value* x = op.operand(0);
  const auto all = static_windows(op);
  if (!all) fail("{}: the bounds are not known before the run: not supported below the framework level", op.describe());
  Ints reversed, strides;
  Shape starts, limits;
  for (size_t i = 0; i < all->size(); ++i) {
    const Window& w = (*all)[i];
    const Dim& size = x->shape()[i];
    const bool down = w.step < 0;
    if (down) reversed.push_back(static_cast<int64_t>(i));
    const bool stays = w.length.is(0) || w.length.is(1);  // a huge step over one element must not overflow
    const Dim start = w.length.is(0) ? Dim(0) : down ? size - 1 - w.start : w.start;
    starts.push_back(start);
    limits.push_back(stays ? start + w.length : down ? size - 1 - w.end : w.end);
    strides.push_back(stays ? 1 : down ? -w.step : w.step);
  }
  if (!reversed.empty()) x = build::reverse(b, x, reversed);
  return {build::slice(b, x, starts, limits, strides)};
}

}  // namespace stele::onnx_op
