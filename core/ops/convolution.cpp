// convolution: any number of spatial axes, dilations, groups. Sums are in double and rounded once.
#include <algorithm>

#include "core/ops/all_ops.h"
#include "core/ops/strided.h"
#include "core/ops/window.h"

namespace stele {
namespace {

using Tensors = std::vector<Tensor>;

// Which axis of an operand or of the result is what.
struct Axes {
  int64_t first, second;  // batch and feature; of the kernel: output feature and input feature
  Ints spatial;
};

int64_t axis_attribute(const Operation& op, std::string_view name) { return op.get<int64_t>(name); }

Axes checked(const Operation& op, Axes axes, int rank) {
  Ints all = axes.spatial;
  all.push_back(axes.first);
  all.push_back(axes.second);
  if (static_cast<int>(all.size()) != rank) violated(op, "c1", "{} dimension numbers, expected {}", all.size(), rank);
  verify_axes(op, "c1", all, rank);
  return axes;
}

Axes input_axes(const Operation& op) {
  return checked(op, {axis_attribute(op, "input_batch_dimension"), axis_attribute(op, "input_feature_dimension"), op.get<Ints>("input_spatial_dimensions")}, op.operand(0)->rank());
}
Axes kernel_axes(const Operation& op) {
  return checked(op, {axis_attribute(op, "kernel_output_feature_dimension"), axis_attribute(op, "kernel_input_feature_dimension"), op.get<Ints>("kernel_spatial_dimensions")}, op.operand(1)->rank());
}
Axes output_axes(const Operation& op) {
  return checked(op, {axis_attribute(op, "output_batch_dimension"), axis_attribute(op, "output_feature_dimension"), op.get<Ints>("output_spatial_dimensions")}, op.operand(0)->rank());
}

std::vector<WindowAxis> window_of(const Operation& op, const Axes& kernel) {
  const size_t n = kernel.spatial.size();
  const Ints strides = ints_attribute_or(op, "window_strides", Ints(n, 1)), ones(n, 1);
  const Ints lhs = ints_attribute_or(op, "lhs_dilation", ones), rhs = ints_attribute_or(op, "rhs_dilation", ones);
  const Shape padding = padding_of(op, n);
  if (strides.size() != n || lhs.size() != n || rhs.size() != n) violated(op, "c2", "strides or dilations of another number of axes than {}", n);
  std::vector<WindowAxis> window;
  for (size_t i = 0; i < n; ++i) {
    if (strides[i] < 1 || lhs[i] < 1 || rhs[i] < 1) violated(op, "c2", "a stride or dilation of axis {} is not positive", i);
    window.push_back({op.operand(1)->shape()[kernel.spatial[i]], strides[i], padding[2 * i], padding[2 * i + 1], lhs[i], rhs[i]});
  }
  return window;
}

// convolution(lhs, rhs) {window, dimension numbers, feature_group_count, batch_group_count}
//   c1: dimension numbers name each axis once;  c2: strides and dilations are positive, one a spatial axis
//   c3: input features = kernel input features * feature_group_count
//   c4: output features and batch divide by the group counts, of which one is 1
//   c5: the result has the shape described
//   c6: window_reversal is not set (not supported)

std::vector<Type> infer_convolution(const Operation& op) {
  const Type &x = op.operand(0)->type(), &w = op.operand(1)->type();
  if (w.rank() != x.rank() || x.rank() < 2) violated(op, "c1", "operands have ranks {} and {}", x.rank(), w.rank());
  const Axes in = input_axes(op), kernel = kernel_axes(op), out = output_axes(op);
  const int64_t feature_groups = op.get_or<int64_t>("feature_group_count", 1), batch_groups = op.get_or<int64_t>("batch_group_count", 1);
  if (feature_groups < 1 || batch_groups < 1 || (feature_groups > 1 && batch_groups > 1)) {
    violated(op, "c4", "feature_group_count {} and batch_group_count {}: one is to be 1", feature_groups, batch_groups);
  }
  if (!may_equal(x.shape[in.second], w.shape[kernel.second] * feature_groups)) {
    violated(op, "c3", "input has {} features, expected {} in each of {} groups", x.shape[in.second].str(), w.shape[kernel.second].str(), feature_groups);
  }
  const auto divides = [](const Dim& dim, int64_t by) { return !dim.is_static() || dim.value() % by == 0; };
  if (!divides(w.shape[kernel.first], feature_groups * batch_groups) || !divides(x.shape[in.first], batch_groups)) {
    violated(op, "c4", "{} output features and batch {} do not divide into {} and {} groups", w.shape[kernel.first].str(), x.shape[in.first].str(), feature_groups, batch_groups);
  }
  Shape shape(x.shape.size());
  shape[out.first] = Dim::floor_div(x.shape[in.first], batch_groups);
  shape[out.second] = w.shape[kernel.first];
  const std::vector<WindowAxis> window = window_of(op, kernel);
  for (size_t i = 0; i < window.size(); ++i) shape[out.spatial[i]] = window_positions(x.shape[in.spatial[i]], window[i]);
  const Type declared = op.result()->type();
  return {Type::tensor(declared.is_tensor() ? declared.dtype : x.dtype, shape)};
}

void verify_convolution(const Operation& op) {
  if (const Attribute* reversal = op.attribute("window_reversal")) {
    const auto* flags = reversal->get<Ints>();
    if (!flags || std::any_of(flags->begin(), flags->end(), [](int64_t f) { return f != 0; })) violated(op, "c6", "window_reversal is not supported");
  }
  verify_inferred(op, "c5");
}

// x with its axes ordered first, second, spatial.
Tensor ordered(const Tensor& x, const Axes& axes) {
  Ints order = {axes.first, axes.second}, sizes, strides;
  order.insert(order.end(), axes.spatial.begin(), axes.spatial.end());
  for (int64_t axis : order) {
    sizes.push_back(x.sizes()[axis]);
    strides.push_back(x.strides()[axis]);
  }
  return gather_strided(x, sizes, 0, strides);
}

// For each pair of a window position and a window element that lies on an element of the input: all three as offsets.
struct Tap {
  int64_t position, weight, element;
};

std::vector<Tap> taps_of(const std::vector<StaticWindow>& window, const Ints& positions) {
  Ints kernel_sizes, extents;
  for (const StaticWindow& axis : window) {
    kernel_sizes.push_back(axis.size);
    extents.push_back(axis.extent);
  }
  const Ints strides = row_major_strides(extents);
  std::vector<Tap> taps;
  for (Subscripts k(kernel_sizes); !k.done(); k.next()) {
    for (Subscripts at(positions); !at.done(); at.next()) {
      int64_t element = 0;
      for (size_t i = 0; i < window.size() && element >= 0; ++i) {
        const int64_t on = window[i].element(at[i], k[i]);
        element = on < 0 ? -1 : element + on * strides[i];
      }
      if (element >= 0) taps.push_back({at.linear(), k.linear(), element});
    }
  }
  return taps;
}

// Sums of one output plane (batch n, feature o): over the group's input features, then the taps in window order.
struct Problem {
  int64_t batch, features, outputs, group_features, positions, elements, weights;
  int64_t feature_groups, batch_groups;
};

template <typename Number>
std::vector<Number> convolve(const std::vector<Number>& x, const std::vector<Number>& w, const std::vector<Tap>& taps, const Problem& p) {
  const int64_t batch = p.batch / p.batch_groups;
  std::vector<Number> out(static_cast<size_t>(batch * p.outputs * p.positions), 0);
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t o = 0; o < p.outputs; ++o) {
      Number* to = out.data() + (n * p.outputs + o) * p.positions;
      const int64_t feature_group = o / std::max<int64_t>(p.outputs / p.feature_groups, 1);
      const int64_t batch_group = p.batch_groups == 1 ? 0 : o / (p.outputs / p.batch_groups);
      for (int64_t c = 0; c < p.group_features; ++c) {
        const Number* from = x.data() + ((batch_group * batch + n) * p.features + feature_group * p.group_features + c) * p.elements;
        const Number* weight = w.data() + (o * p.group_features + c) * p.weights;
        for (const Tap& tap : taps) to[tap.position] += from[tap.element] * weight[tap.weight];
      }
    }
  }
  return out;
}

// A result [first, second, spatial…] with its axes where `out` has them.
Tensor in_order(const Tensor& result, const Axes& out) {
  const Ints &shape = result.sizes(), from = result.strides();
  Ints sizes(shape.size()), strides(shape.size());
  const auto put = [&](int64_t axis, size_t at) {
    sizes[axis] = shape[at];
    strides[axis] = from[at];
  };
  put(out.first, 0);
  put(out.second, 1);
  for (size_t i = 0; i < out.spatial.size(); ++i) put(out.spatial[i], i + 2);
  return gather_strided(result, sizes, 0, strides);
}

// padding: low and high of each axis.
Tensors convolved(const Operation& op, const Tensors& operands, const Ints& padding, EvalContext& context) {
  const Axes in = input_axes(op), kernel = kernel_axes(op), out = output_axes(op);
  const Tensor x = ordered(operands[0], in), w = ordered(operands[1], kernel);
  const std::vector<WindowAxis> axes = window_of(op, kernel);
  std::vector<StaticWindow> window;
  Ints positions, shape = {x.sizes()[0], w.sizes()[0]};
  for (size_t i = 0; i < axes.size(); ++i) {
    WindowAxis axis = axes[i];
    axis.size = w.sizes()[i + 2];
    axis.low = padding.at(2 * i);
    axis.high = padding.at(2 * i + 1);
    window.push_back(at_run(axis, x.sizes()[i + 2], context.binding()));
    positions.push_back(window_positions(x.sizes()[i + 2], axis).value());
  }
  Problem p{x.sizes()[0], x.sizes()[1], w.sizes()[0], w.sizes()[1], checked_element_count(positions), 1, 1,
            op.get_or<int64_t>("feature_group_count", 1), op.get_or<int64_t>("batch_group_count", 1)};
  for (const StaticWindow& axis : window) {
    p.elements *= axis.extent;
    p.weights *= axis.size;
  }
  if (p.features != p.group_features * p.feature_groups) fail("{}: input has {} features, expected {}", op.describe(), p.features, p.group_features * p.feature_groups);
  shape[0] /= p.batch_groups;
  shape.insert(shape.end(), positions.begin(), positions.end());
  const std::vector<Tap> taps = taps_of(window, positions);
  const DType dtype = context.widened(op.result()->dtype());
  Tensor result(dtype, shape);
  if (is_float(dtype)) {
    const auto sums = convolve(doubles(x), doubles(w), taps, p);
    write(result, 0, result.elements(), sums.data());
  } else {
    const std::vector<int64_t> a = ints(x), b = ints(w);  // unsigned, where overflow wraps
    const auto sums = convolve(std::vector<uint64_t>(a.begin(), a.end()), std::vector<uint64_t>(b.begin(), b.end()), taps, p);
    write(result, 0, result.elements(), std::vector<int64_t>(sums.begin(), sums.end()).data());
  }
  return {in_order(result, out)};
}

Tensors evaluate_convolution(const Operation& op, const Tensors& operands, EvalContext& context) {
  return convolved(op, operands, evaluate(padding_of(op, kernel_axes(op).spatial.size()), context.binding()), context);
}

// dynamic_conv(lhs, rhs, padding): a convolution whose padding the run tells.
//   c1: dimension numbers name each axis once;  c7: padding has two integers for each spatial axis

void verify_dynamic_conv(const Operation& op) {
  const Type& padding = op.operand(2)->type();
  const auto axes = static_cast<int64_t>(kernel_axes(op).spatial.size());
  input_axes(op);
  output_axes(op);
  if (padding.rank() != 2 || !is_int(padding.dtype) || !may_equal(padding.shape, Shape{axes, 2})) violated(op, "c7", "padding has type {}, expected {} pairs of integers", padding.str(), axes);
}

Tensors evaluate_dynamic_conv(const Operation& op, const Tensors& operands, EvalContext& context) {
  return convolved(op, operands, ints(operands[2]), context);
}

Cost cost_convolution(const Operation& op) {
  const Axes kernel = kernel_axes(op);
  Dim taps = op.operand(1)->shape()[kernel.second];
  for (int64_t axis : kernel.spatial) taps = taps * op.operand(1)->shape()[axis];
  return one_kernel(op, op.result()->type().elements() * taps * 2);
}

const std::vector<AttributeDef> convolution_attributes = {{"window_strides", "ints, default 1"}, {"padding", "ints or dims, low and high of each axis, default 0"},
                   {"lhs_dilation", "ints, default 1"}, {"rhs_dilation", "ints, default 1"},
                   {"input_batch_dimension", "i64", true}, {"input_feature_dimension", "i64", true}, {"input_spatial_dimensions", "ints", true},
                   {"kernel_input_feature_dimension", "i64", true}, {"kernel_output_feature_dimension", "i64", true}, {"kernel_spatial_dimensions", "ints", true},
                   {"output_batch_dimension", "i64", true}, {"output_feature_dimension", "i64", true}, {"output_spatial_dimensions", "ints", true},
                   {"feature_group_count", "i64, default 1"}, {"batch_group_count", "i64, default 1"}};

const OpDef convolution_def = {
    .name = "stablehlo.convolution",
    .summary = "sums of products of a sliding window with a kernel",
    .operands = {{"lhs"}, {"rhs"}},
    .attributes = convolution_attributes,
    .traits = Trait::pure | Trait::contraction,
    .verify = verify_convolution,
    .infer = infer_convolution,
    .evaluate = evaluate_convolution,
    .gradient = no_gradient("not provided"),
    .decompose = primitive(),
    .cost = cost_convolution,
};

const OpDef dynamic_conv_def = {
    .name = "stablehlo.dynamic_conv",
    .summary = "a convolution whose padding the run tells",
    .operands = {{"lhs"}, {"rhs"}, {"padding"}},
    .attributes = convolution_attributes,
    .traits = Trait::pure | Trait::contraction,
    .verify = verify_dynamic_conv,
    .infer = declared_result_types,
    .evaluate = evaluate_dynamic_conv,
    .gradient = no_gradient("not provided"),
    .decompose = primitive(),
    .cost = cost_convolution,
};

}  // namespace

std::span<const OpDef> convolution_ops() {
  static const OpDef table[] = {convolution_def, dynamic_conv_def};
  return table;
}

}  // namespace stele
