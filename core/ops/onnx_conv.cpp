// ONNX's convolution: Conv over one to three spatial axes.
#include <algorithm>

#include "core/ops/all_ops.h"
#include "core/ops/onnx_nn.h"

namespace stele {
namespace {

using namespace onnx_op;
using namespace onnx_nn;
using Tensors = std::vector<Tensor>;
using Types = std::vector<Type>;
using Values = std::vector<Value*>;

struct Conv {
  SlidingWindow window;
  int64_t groups;
  Shape result;
};

Ints kernel_of(const Operation& op, const Shape& weights) {
  const Shape spatial(weights.begin() + 2, weights.end());
  const Ints stated = op.get_or<Ints>("kernel_shape", {});
  if (!stated.empty() && !may_equal(make_shape(stated), spatial)) {
    violated(op, "c3", "kernel_shape is {}, expected the weights' {}", str(stated), str(spatial));
  }
  if (is_static(spatial)) return static_sizes(spatial);
  if (stated.empty()) violated(op, "c3", "kernel of free size {} is not supported", str(spatial));
  return stated;
}

// onnx.Conv(X [N, C, spatial…], W [M, C/group, kernel…], B [M]?) {strides, dilations, pads, auto_pad, group, kernel_shape}
//   c1: X and W have one rank, 3 to 5;  c2: channels are the weights' times group, M divides by group
//   c3: kernel_shape is the weights';  c4: B has one element a feature;  c5: one element type;  w1 to w4: the window
Conv conv_of(const Operation& op, const Shape& x, const Shape& w) {
  if (x.size() != w.size() || x.size() < 3 || x.size() > 5) violated(op, "c1", "operands have rank {} and {}, expected the same, 3 to 5", x.size(), w.size());
  const int64_t groups = op.get_or<int64_t>("group", 1);
  if (groups < 1) violated(op, "c2", "group is {}, expected at least 1", groups);
  if (!may_equal(x[1], w[1] * groups)) violated(op, "c2", "X has {} channels, expected {} of the weights in {} groups", x[1].str(), w[1].str(), groups);
  if (w[0].is_static() && w[0].value() % groups != 0) violated(op, "c2", "{} features do not divide into {} groups", w[0].str(), groups);
  Conv conv{sliding_window(op, Shape(x.begin() + 2, x.end()), kernel_of(op, w)), groups, {x[0], w[0]}};
  conv.result.insert(conv.result.end(), conv.window.positions.begin(), conv.window.positions.end());
  return conv;
}

Types infer_conv(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  verify_same_dtype(op, "c5", 0, 1);
  const Type &x = op.operand(0)->type(), &w = op.operand(1)->type();
  const Conv conv = conv_of(op, x.shape, w.shape);
  if (const Value* bias = operand(op, 2)) {
    verify_same_dtype(op, "c5", 0, 2);
    if (bias->rank() != 1 || !may_equal(bias->shape()[0], w.shape[0])) violated(op, "c4", "B has shape {}, expected [{}]", str(bias->shape()), w.shape[0].str());
  }
  return {x.with_shape(conv.result)};
}

// One spatial axis, with sizes. Fewer than three axes are padded in front with axes of one position.
struct Axis {
  int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, low = 0;
  // The positions where kernel element k is on the input: [first, last).
  std::pair<int64_t, int64_t> range(int64_t k) const {
    const int64_t shift = k * dilation - low;  // element = position * stride + shift
    const int64_t first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    const int64_t room = in - 1 - shift;
    return {first, room < 0 ? 0 : std::min(out, room / stride + 1)};
  }
};

std::vector<Axis> three_axes(const Conv& conv, const Ints& x) {
  std::vector<Axis> axes(3);
  const SlidingWindow& w = conv.window;
  const size_t n = w.kernel.size();
  for (size_t i = 0; i < n; ++i) {
    axes[3 - n + i] = {x[2 + i], w.positions[i].value(), w.kernel[i], w.strides[i], w.dilations[i], w.low[i]};
  }
  return axes;
}

// sums += weight * the plane of x that kernel element (d, h, w) sees.
void add_tap(double weight, const double* x, double* sums, const std::vector<Axis>& axes, const int64_t (&tap)[3]) {
  const auto [d0, d1] = axes[0].range(tap[0]);
  const auto [h0, h1] = axes[1].range(tap[1]);
  const auto [w0, w1] = axes[2].range(tap[2]);
  const auto place = [&](size_t axis, int64_t at) { return at * axes[axis].stride + tap[axis] * axes[axis].dilation - axes[axis].low; };
  const int64_t stride = axes[2].stride;
  for (int64_t d = d0; d < d1; ++d) {
    for (int64_t h = h0; h < h1; ++h) {
      const double* row = x + (place(0, d) * axes[1].in + place(1, h)) * axes[2].in + place(2, 0);
      double* sum = sums + (d * axes[1].out + h) * axes[2].out;
      if (stride == 1) {
        for (int64_t w = w0; w < w1; ++w) sum[w] += weight * row[w];
      } else {
        for (int64_t w = w0; w < w1; ++w) sum[w] += weight * row[w * stride];
      }
    }
  }
}

std::vector<double> convolve(const Conv& conv, const Ints& x_sizes, const std::vector<double>& x, const std::vector<double>& weights,
                             const std::vector<double>& bias) {
  const std::vector<Axis> axes = three_axes(conv, x_sizes);
  const int64_t batch = x_sizes[0], channels = x_sizes[1], features = conv.result[1].value(), each = channels / conv.groups;
  const int64_t plane = axes[0].in * axes[1].in * axes[2].in, positions = axes[0].out * axes[1].out * axes[2].out;
  const int64_t taps = axes[0].kernel * axes[1].kernel * axes[2].kernel;
  std::vector<double> result(static_cast<size_t>(batch * features * positions));
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t f = 0; f < features; ++f) {
      double* sums = result.data() + (n * features + f) * positions;
      const int64_t group = f / (features / conv.groups);
      for (int64_t c = 0; c < each; ++c) {
        const double* from = x.data() + (n * channels + group * each + c) * plane;
        for (int64_t t = 0; t < taps; ++t) {
          const int64_t tap[3] = {t / (axes[1].kernel * axes[2].kernel), t / axes[2].kernel % axes[1].kernel, t % axes[2].kernel};
          add_tap(weights[static_cast<size_t>((f * each + c) * taps + t)], from, sums, axes, tap);
        }
      }
      for (int64_t i = 0; i < positions && !bias.empty(); ++i) sums[i] += bias[static_cast<size_t>(f)];
    }
  }
  return result;
}

Tensors evaluate_conv(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Conv conv = conv_of(op, make_shape(operands[0].sizes()), make_shape(operands[1].sizes()));
  const std::vector<double> bias = given(operands, 2) ? doubles(operands[2]) : std::vector<double>();
  const std::vector<double> result = convolve(conv, operands[0].sizes(), doubles(operands[0]), doubles(operands[1]), bias);
  return {tensor_of(context.widened(operands[0].dtype()), static_sizes(conv.result), result)};
}

Values decompose_conv(const Operation& op, Builder& b) {
  const Conv conv = conv_of(op, op.operand(0)->shape(), op.operand(1)->shape());
  build::Convolution how;
  how.window_strides = conv.window.strides;
  how.padding = conv.window.padding();
  how.rhs_dilation = conv.window.dilations;
  how.feature_group_count = conv.groups;
  Value* result = build::convolution(b, op.operand(0), op.operand(1), how);
  if (Value* bias = operand(op, 2)) result = build::add(b, result, along_channels(b, bias, result->type()));
  return {result};
}

Cost cost_conv(const Operation& op) {
  if (!types_known(op) || !op.result()->type().is_tensor()) return {};
  const Shape& w = op.operand(1)->shape();
  const Dim elements = op.result()->type().elements();
  return one_kernel(op, elements * element_count(Shape(w.begin() + 1, w.end())) * 2 + (operand(op, 2) ? elements : Dim(0)));
}

}  // namespace

std::span<const OpDef> onnx_conv_ops() {
  static const OpDef table[] = {
      {.name = "onnx.Conv",
       .summary = "convolution over the spatial axes",
       .level = Level::framework,
       .operands = {{"X"}, {"W"}, {"B", OperandDef::optional}},
       .attributes = {{"auto_pad", "NOTSET, SAME_UPPER, SAME_LOWER or VALID; default NOTSET"},
                      {"dilations", "i64s, default 1"},
                      {"group", "i64, default 1"},
                      {"kernel_shape", "i64s, default the weights'"},
                      {"pads", "i64s: all lows, then all highs; default 0"},
                      {"strides", "i64s, default 1"}},
       .traits = Trait::pure | Trait::contraction,
       .verify = verify_by_inference,
       .infer = infer_conv,
       .evaluate = evaluate_conv,
       .gradient = gradient_of_decomposition(),
       .decompose = decompose_conv,
       .cost = cost_conv},
  };
  return table;
}

}  // namespace stele
