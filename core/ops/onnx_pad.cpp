// onnx.Pad(data, pads, value, axes) {mode} (https://onnx.ai/onnx/operators/onnx__Pad.html); negative pads cut.
//   c1: axes are in range, none twice
//   c2: two pads an axis, those at the begin first
//   c3: mode is constant, edge, reflect or wrap
//   c4: no dim falls below 0, and reflect and edge have something to repeat
#include <algorithm>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/onnx_common.h"
#include "core/ops/shape_values.h"

namespace stele {
namespace {

using namespace onnx_op;
using O = const Operation&;

struct Pads {
  Shape low, high;  // an axis of the data each
};

std::string mode_of(O op) { return op.get_or<std::string>("mode", "constant"); }

void verify_pad(O op) {
  const std::string mode = mode_of(op);
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap") violated(op, "c3", "mode is '{}'", mode);
}

Pads pads_of(O op, size_t rank, const Shape& given_pads, Ints axes) {
  if (axes.empty()) {
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  }
  axes = axes_in(op, "c1", axes, static_cast<int64_t>(rank));
  if (given_pads.size() != 2 * axes.size()) violated(op, "c2", "{} pads for {} axes", given_pads.size(), axes.size());
  Pads pads = {Shape(rank, Dim(0)), Shape(rank, Dim(0))};
  for (size_t i = 0; i < axes.size(); ++i) {
    pads.low[static_cast<size_t>(axes[i])] = given_pads[i];
    pads.high[static_cast<size_t>(axes[i])] = given_pads[axes.size() + i];
  }
  return pads;
}

std::optional<Pads> static_pads(O op) {
  const Value* pads = operand(op, 1);
  const std::optional<Shape> given_pads = pads ? known_dims(pads) : make_shape(op.get<Ints>("pads"));
  const auto axes = static_ints(op, 3, "", {});
  if (!given_pads || !axes) return std::nullopt;
  return pads_of(op, op.operand(0)->shape().size(), *given_pads, *axes);
}

Shape padded(O op, const Shape& data, const Pads& pads) {
  Shape shape;
  for (size_t i = 0; i < data.size(); ++i) {
    shape.push_back(pads.low[i] + data[i] + pads.high[i]);
    if (shape[i].is_static() && shape[i].value() < 0) violated(op, "c4", "axis {} of size {} would have size {}", i, data[i].str(), shape[i].str());
  }
  return shape;
}

std::vector<Type> infer_pad(O op) {
  if (!types_known(op)) return unknown_results(op);
  const auto pads = static_pads(op);
  if (!pads) return unknown_results(op);
  return {op.operand(0)->type().with_shape(padded(op, op.operand(0)->shape(), *pads))};
}

// Where position `at` of an axis (its own elements are 0 … size - 1) is read from; -1: it is the pad's value.
int64_t source(O op, const std::string& mode, int64_t at, int64_t size) {
  if (at >= 0 && at < size) return at;
  if (mode == "constant") return -1;
  if (size == 0) violated(op, "c4", "an axis of size 0 has nothing to repeat");
  if (mode == "edge") return std::clamp<int64_t>(at, 0, size - 1);
  const int64_t period = mode == "wrap" ? size : std::max<int64_t>(2 * (size - 1), 1);
  const int64_t within = (at % period + period) % period;
  return within < size ? within : period - within;
}

Ints sources(O op, int64_t low, int64_t size, int64_t result) {
  Ints from;
  const std::string mode = mode_of(op);
  for (int64_t i = 0; i < result; ++i) from.push_back(source(op, mode, i - low, size));
  return from;
}

std::vector<Tensor> evaluate_pad(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor& x = operands[0];
  const Pads pads = pads_of(op, x.sizes().size(), make_shape(run_ints(op, operands, 1, "pads", {})), run_ints(op, operands, 3, "", {}));
  Tensor result(x.dtype(), static_sizes(padded(op, make_shape(x.sizes()), pads)));
  const Ints strides = x.strides(), low = static_sizes(pads.low);
  std::vector<Ints> from;
  for (size_t i = 0; i < low.size(); ++i) from.push_back(sources(op, low[i], x.sizes()[i], result.sizes()[i]));
  const double value = given(operands, 2) ? operands[2].get(0) : op.get_or<double>("value", 0);
  const int64_t int_value = given(operands, 2) && !is_float(x.dtype()) ? operands[2].get_int(0) : 0;
  for (Subscripts s(result.sizes()); !s.done(); s.next()) {
    int64_t at = 0;
    for (size_t i = 0; i < low.size() && at >= 0; ++i) {
      const int64_t place = from[i][static_cast<size_t>(s[i])];
      at = place < 0 ? -1 : at + place * strides[i];
    }
    if (is_float(x.dtype())) {
      result.set(s.linear(), at < 0 ? value : x.get(at));
    } else {
      result.set_int(s.linear(), at < 0 ? int_value : x.get_int(at));
    }
  }
  return {std::move(result)};
}

// Edge, reflect and wrap read each padded axis at indices that are known; a constant is the tensor level's own pad.
std::vector<Value*> decompose_pad(O op, Builder& b) {
  Value* x = op.operand(0);
  const auto pads = static_pads(op);
  if (!pads) fail("{}: the pads are not known before the run: not supported below the framework level", op.describe());
  if (mode_of(op) == "constant") {
    Value* value = operand(op, 2) ? build::reshape(b, op.operand(2), {}) : build::scalar_constant(b, x->dtype(), op.get_or<double>("value", 0));
    return {build::pad(b, x, value, pads->low, pads->high)};
  }
  for (size_t i = 0; i < pads->low.size(); ++i) {
    const Dim &low = pads->low[i], &high = pads->high[i], size = x->shape()[i];
    if (low.is(0) && high.is(0)) continue;
    if (!low.is_static() || !high.is_static() || !size.is_static()) {
      fail("{}: axis {} of size {} is padded in mode {}: a symbolic size is not supported below the framework level", op.describe(), i, size.str(), mode_of(op));
    }
    const Ints from = sources(op, low.value(), size.value(), low.value() + size.value() + high.value());
    Value* indices = build::constant(b, Tensor::of_ints(DType::i64, {static_cast<int64_t>(from.size())}, from));
    x = build::take(b, x, indices, static_cast<int64_t>(i));
  }
  return {x};
}

}  // namespace

std::span<const OpDef> onnx_pad_ops() {
  constexpr auto optional = OperandDef::optional;
  static const std::vector<OpDef> table = {{
      .name = "onnx.Pad",
      .summary = "more elements before and after along axes",
      .level = Level::framework,
      .operands = {{"data"}, {"pads", optional}, {"constant_value", optional}, {"axes", optional}},
      .attributes = {{"mode", "text, default constant"}, {"pads", "ints, before opset 11"}, {"value", "f32, before opset 11"}},
      .traits = Trait::pure | Trait::movement,
      .verify = verify_pad,
      .infer = infer_pad,
      .evaluate = evaluate_pad,
      .gradient = gradient_of_decomposition(),
      .decompose = decompose_pad,
      .cost = onnx_op::cost_movement,
  }};
  return table;
}

}  // namespace stele
