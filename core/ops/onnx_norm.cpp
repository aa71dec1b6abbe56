// ONNX's normalisations: BatchNormalization (inference), InstanceNormalization, GroupNormalization, LayerNormalization,
// RMSNormalization.
#include <algorithm>
#include <cmath>

#include "core/ops/all_ops.h"
#include "core/ops/onnx_nn.h"

namespace stele {
namespace {

using namespace onnx_op;
using namespace onnx_nn;
using Tensors = std::vector<Tensor>;
using Types = std::vector<Type>;
using Values = std::vector<Value*>;

double epsilon_of(const Operation& op) { return op.get_or<double>("epsilon", static_cast<double>(1e-5f)); }

void check_channels(const Operation& op, std::string_view constraint, unsigned i, const Dim& channels) {
  const Value* value = operand(op, i);
  if (!value) return;
  if (value->rank() != 1 || !may_equal(value->shape()[0], channels)) {
    violated(op, constraint, "operand {} has shape {}, expected [{}]", i, str(value->shape()), channels.str());
  }
}

// ---- LayerNormalization, RMSNormalization ---------------------------------------------------------------------------

// onnx.LayerNormalization(X, Scale, B?) {axis, epsilon, stash_type} -> Y, Mean?, InvStdDev?
// onnx.RMSNormalization(X, scale) {axis, epsilon, stash_type} -> Y
//   c1: axis is in range;  c2: Scale and B broadcast to X;  c3: one element type, a float
int64_t first_axis(const Operation& op, int64_t rank) { return axis_in(op, "c1", op.get_or<int64_t>("axis", -1), rank); }

// The type of Mean and InvStdDev, and the least that is computed in.
DType stash_dtype(const Operation& op) {
  const int64_t number = op.get_or<int64_t>("stash_type", 1);
  if (number == 1) return DType::f32;
  if (number == 10) return DType::f16;
  if (number == 11) return DType::f64;
  if (number == 16) return DType::bf16;
  violated(op, "c3", "stash_type is {}, expected a float type", number);
}

DType stage_dtype(const Operation& op, DType dtype) {
  const DType stash = stash_dtype(op);
  return size_bytes(stash) > size_bytes(dtype) ? stash : compute_dtype(dtype);
}

Types infer_layer_norm(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& x = op.operand(0)->type();
  if (!is_float(x.dtype)) violated(op, "c3", "operand has element type {}, expected a float", name(x.dtype));
  const int64_t first = first_axis(op, x.rank());
  for (unsigned i = 1; i < op.operand_count(); ++i) {
    const Value* value = operand(op, i);
    if (!value) continue;
    if (value->rank() > x.rank() || !may_equal(broadcast(op, "c2", {value->shape(), x.shape}), x.shape)) {
      violated(op, "c2", "operand {} has shape {}, which does not broadcast to {}", i, str(value->shape()), str(x.shape));
    }
  }
  Shape statistics = x.shape;
  for (int64_t i = first; i < x.rank(); ++i) statistics[static_cast<size_t>(i)] = 1;
  const Type type = Type::tensor(stash_dtype(op), statistics);
  Types types = {x, type, type};
  types.resize(std::min<size_t>(op.result_count(), types.size()));
  return types;
}

struct Rows {
  std::vector<double> normalised, means, inverse_deviations;
};

// Each row of `count` values: less its mean where centred, over the root of its mean square.
Rows normalise_rows(std::vector<double> x, int64_t rows, int64_t count, double epsilon, bool centred) {
  Rows result{std::move(x), {}, {}};
  for (int64_t r = 0; r < rows; ++r) {
    double* row = result.normalised.data() + r * count;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; ++i) sum += row[i];
    const double mean = centred ? sum / static_cast<double>(count) : 0;
    for (int64_t i = 0; i < count; ++i) squares += (row[i] - mean) * (row[i] - mean);
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(count) + epsilon);
    for (int64_t i = 0; i < count; ++i) row[i] = (row[i] - mean) * inverse;
    result.means.push_back(mean);
    result.inverse_deviations.push_back(inverse);
  }
  return result;
}

Tensors evaluate_over_last_axes(const Operation& op, const Tensors& operands, EvalContext& context, bool centred) {
  const Tensor& x = operands[0];
  const int64_t first = first_axis(op, x.rank());
  const Split split = split_at(x.sizes(), first, x.rank());
  Rows rows = normalise_rows(doubles(x), split.outer, split.count, epsilon_of(op), centred);
  const std::vector<double> scale = broadcast_doubles(operands[1], x.sizes());
  const std::vector<double> bias = given(operands, 2) ? broadcast_doubles(operands[2], x.sizes()) : std::vector<double>();
  for (size_t i = 0; i < rows.normalised.size(); ++i) {
    rows.normalised[i] = rows.normalised[i] * scale[i] + (bias.empty() ? 0 : bias[i]);
  }
  Ints sizes = x.sizes();
  for (int64_t i = first; i < x.rank(); ++i) sizes[static_cast<size_t>(i)] = 1;
  const DType stash = context.widened(stash_dtype(op));
  Tensors results = {tensor_of(context.widened(x.dtype()), x.sizes(), rows.normalised)};
  if (op.result_count() > 1) results.push_back(tensor_of(stash, sizes, rows.means));
  if (op.result_count() > 2) results.push_back(tensor_of(stash, sizes, rows.inverse_deviations));
  return results;
}

Tensors evaluate_layer_norm(const Operation& op, const Tensors& operands, EvalContext& context) {
  return evaluate_over_last_axes(op, operands, context, true);
}
Tensors evaluate_rms_norm(const Operation& op, const Tensors& operands, EvalContext& context) {
  return evaluate_over_last_axes(op, operands, context, false);
}

struct Normalised {
  Value* value;
  Value* mean;
  Value* inverse_deviation;
};

// Two passes, the mean taken away before squaring: the mean of squares less the square of the mean cancels.
Normalised normalise(Builder& b, Value* x, const Ints& axes, double epsilon) {
  Value* middle = mean(b, x, axes);
  Value* centred = with(b, "stablehlo.subtract", x, middle);
  Value* variance = mean(b, build::multiply(b, centred, centred), axes);
  Value* inverse = build::rsqrt(b, with(b, "stablehlo.add", variance, epsilon));
  return {with(b, "stablehlo.multiply", centred, inverse), middle, inverse};
}

Values decompose_layer_norm(const Operation& op, Builder& b) {
  Value* const x = op.operand(0);
  Value* staged = build::convert(b, x, stage_dtype(op, x->dtype()));
  const Normalised n = normalise(b, staged, axes_from(first_axis(op, x->rank()), x->rank()), epsilon_of(op));
  // Rounded to X's type once, at the end: the specification rounds before the scale too.
  Value* y = with(b, "stablehlo.multiply", n.value, build::convert(b, op.operand(1), staged->dtype()));
  if (Value* bias = operand(op, 2)) y = with(b, "stablehlo.add", y, build::convert(b, bias, staged->dtype()));
  Values results = {build::convert(b, y, x->dtype())};
  if (op.result_count() > 1) results.push_back(build::convert(b, n.mean, stash_dtype(op)));
  if (op.result_count() > 2) results.push_back(build::convert(b, n.inverse_deviation, stash_dtype(op)));
  return results;
}

Values decompose_rms_norm(const Operation& op, Builder& b) {
  Value* const x = op.operand(0);
  Value* staged = build::convert(b, x, stage_dtype(op, x->dtype()));
  Value* square = mean(b, build::multiply(b, staged, staged), axes_from(first_axis(op, x->rank()), x->rank()));
  Value* inverse = build::rsqrt(b, with(b, "stablehlo.add", square, epsilon_of(op)));
  Value* normalised = with(b, "stablehlo.multiply", staged, inverse);
  Value* y = with(b, "stablehlo.multiply", normalised, build::convert(b, op.operand(1), staged->dtype()));
  return {build::convert(b, y, x->dtype())};
}

Cost cost_layer_norm(const Operation& op) { return cost_an_element(op, 8); }
Cost cost_rms_norm(const Operation& op) { return cost_an_element(op, 4); }

// ---- InstanceNormalization, GroupNormalization ----------------------------------------------------------------------

// onnx.InstanceNormalization(X, scale [C], B [C]) {epsilon}: each channel of each sample
// onnx.GroupNormalization(X, scale, bias) {num_groups, epsilon}: scale and bias [C]; before opset 21 [num_groups]
//   c1: rank 3 or more (groups: 2);  c2: channels divide into groups;  c3: scale and bias have one element each
bool is_group(const Operation& op) { return op.is("onnx.GroupNormalization"); }
bool scales_groups(const Operation& op) { return is_group(op) && opset_of(op) < 21; }

Dim groups_of(const Operation& op, const Shape& x) {
  if (x.size() < (is_group(op) ? 2u : 3u)) violated(op, "c1", "operand has rank {}, expected {} or more", x.size(), is_group(op) ? 2 : 3);
  if (!is_group(op)) return x[1];
  const int64_t groups = op.get<int64_t>("num_groups");
  if (groups < 1 || !Dim::exact_div(x[1], groups)) violated(op, "c2", "{} channels do not divide into {} groups", x[1].str(), groups);
  return groups;
}

Types infer_channel_norm(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& x = op.operand(0)->type();
  const Dim groups = groups_of(op, x.shape);
  for (unsigned i = 1; i < op.operand_count(); ++i) check_channels(op, "c3", i, scales_groups(op) ? groups : x.shape[1]);
  return {x};
}

Tensors evaluate_channel_norm(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Tensor& x = operands[0];
  const Split split = split_at(x.sizes(), 2, x.rank());
  const int64_t channels = x.sizes()[1], groups = groups_of(op, make_shape(x.sizes())).value();
  const int64_t rows = x.sizes()[0] * groups, each = groups == 0 ? 0 : channels / groups;
  std::vector<double> y = normalise_rows(doubles(x), rows, each * split.count, epsilon_of(op), true).normalised;
  const std::vector<double> scale = doubles(operands[1]), bias = doubles(operands[2]);
  for (int64_t i = 0; i < split.outer; ++i) {
    const auto place = static_cast<size_t>(scales_groups(op) ? i % channels / each : i % channels);
    for (int64_t j = 0; j < split.count; ++j) {
      double& value = y[static_cast<size_t>(i * split.count + j)];
      value = value * scale[place] + bias[place];
    }
  }
  return {tensor_of(context.widened(x.dtype()), x.sizes(), y)};
}

Value* scale_and_shift(const Operation& op, Builder& b, Value* x) {
  Value* scale = build::convert(b, op.operand(1), x->dtype());
  Value* bias = build::convert(b, op.operand(2), x->dtype());
  return build::add(b, build::multiply(b, x, along_channels(b, scale, x->type())), along_channels(b, bias, x->type()));
}

Values decompose_channel_norm(const Operation& op, Builder& b) {
  const Shape shape = op.operand(0)->shape();
  const DType dtype = op.operand(0)->dtype();
  Value* x = build::convert(b, op.operand(0), compute_dtype(dtype));
  if (is_group(op)) {
    const Dim groups = groups_of(op, shape);
    Shape grouped = {shape[0], groups, *Dim::exact_div(shape[1], groups)};
    grouped.insert(grouped.end(), shape.begin() + 2, shape.end());
    x = build::reshape(b, x, grouped);
  }
  Value* y = normalise(b, x, axes_from(2, x->rank()), epsilon_of(op)).value;
  if (scales_groups(op)) y = scale_and_shift(op, b, y);
  y = build::reshape(b, y, shape);
  if (!scales_groups(op)) y = scale_and_shift(op, b, y);
  return {build::convert(b, y, dtype)};
}

// ---- BatchNormalization ---------------------------------------------------------------------------------------------

// onnx.BatchNormalization(X, scale [C], B [C], mean [C], var [C]) {epsilon}
//   c1: rank 2 or more;  c2: five operands of which four have one element a channel
Types infer_batch_norm(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& x = op.operand(0)->type();
  if (x.rank() < 2) violated(op, "c1", "operand has rank {}, expected 2 or more", x.rank());
  for (unsigned i = 1; i < op.operand_count(); ++i) check_channels(op, "c2", i, x.shape[1]);
  Types types = unknown_results(op);
  types[0] = x;
  return types;
}

void refuse_batch_training(const Operation& op) {
  bool uses_statistics = false;
  for (unsigned i = 1; i < op.result_count(); ++i) uses_statistics |= !op.result(i)->unused();
  if (op.get_or<int64_t>("training_mode", 0) != 0 || uses_statistics) fail("{}: training mode is not supported", op.describe());
  if (op.get_or<int64_t>("spatial", 1) == 0) fail("{}: spatial = 0 is not supported", op.describe());
}

Tensors evaluate_batch_norm(const Operation& op, const Tensors& operands, EvalContext& context) {
  refuse_batch_training(op);
  const Tensor& x = operands[0];
  const Split split = split_at(x.sizes(), 2, x.rank());
  std::vector<double> y = doubles(x);
  const std::vector<double> scale = doubles(operands[1]), bias = doubles(operands[2]), mean = doubles(operands[3]), variance = doubles(operands[4]);
  for (int64_t i = 0; i < split.outer; ++i) {
    const auto c = static_cast<size_t>(i % x.sizes()[1]);
    const double deviation = std::sqrt(variance[c] + epsilon_of(op));
    for (int64_t j = 0; j < split.count; ++j) {
      double& value = y[static_cast<size_t>(i * split.count + j)];
      value = (value - mean[c]) / deviation * scale[c] + bias[c];
    }
  }
  Tensors results = {tensor_of(context.widened(x.dtype()), x.sizes(), y)};
  results.resize(op.result_count());
  return results;
}

// (x - mean) * factor + bias: folding the mean into the bias would cancel where both are large.
Values decompose_batch_norm(const Operation& op, Builder& b) {
  refuse_batch_training(op);
  const DType dtype = op.operand(0)->dtype();
  Value* x = build::convert(b, op.operand(0), compute_dtype(dtype));
  const auto channel = [&](unsigned i) { return build::convert(b, op.operand(i), x->dtype()); };
  Value* inverse = build::rsqrt(b, with(b, "stablehlo.add", channel(4), epsilon_of(op)));
  Value* factor = build::multiply(b, channel(1), inverse);
  Value* centred = build::subtract(b, x, along_channels(b, channel(3), x->type()));
  Value* scaled = build::multiply(b, centred, along_channels(b, factor, x->type()));
  Values results = {build::convert(b, build::add(b, scaled, along_channels(b, channel(2), x->type())), dtype)};
  // Statistics that nothing uses; their place has to be filled.
  while (results.size() < op.result_count()) results.push_back(op.operand(results.size() % 2 == 1 ? 3 : 4));
  return results;
}

Cost cost_batch_norm(const Operation& op) {
  if (!types_known(op) || !op.result()->type().is_tensor()) return {};
  return one_kernel(op, op.operand(0)->type().elements() * 4);
}

OpDef norm(std::string_view name, std::string_view summary, std::vector<OperandDef> operands, std::vector<AttributeDef> attributes,
           InferFunction* infer, EvaluateFunction* evaluate, DecomposeFunction* decompose, CostFunction* cost) {
  attributes.push_back({"epsilon", "f32, default 1e-5"});
  return {.name = name,
          .summary = summary,
          .level = Level::framework,
          .operands = std::move(operands),
          .attributes = std::move(attributes),
          .traits = Trait::pure | Trait::reduction,
          .verify = verify_by_inference,
          .infer = infer,
          .evaluate = evaluate,
          .gradient = gradient_of_decomposition(),
          .decompose = decompose,
          .cost = cost};
}

}  // namespace

std::span<const OpDef> onnx_norm_ops() {
  static const AttributeDef axis = {"axis", "i64, default -1: the first axis of the rows"};
  static const AttributeDef stash = {"stash_type", "i64, default 1: least type computed in"};
  static const OpDef table[] = {
      norm("onnx.BatchNormalization", "channels less a given mean over a given deviation; training mode is refused",
           {{"X"}, {"scale"}, {"B"}, {"input_mean"}, {"input_var"}},
           {{"momentum", "f32, of no effect at inference"}, {"training_mode", "i64, default 0"}}, infer_batch_norm, evaluate_batch_norm,
           decompose_batch_norm, cost_batch_norm),
      norm("onnx.InstanceNormalization", "each channel of each sample less its mean over its deviation", {{"input"}, {"scale"}, {"B"}}, {},
           infer_channel_norm, evaluate_channel_norm, decompose_channel_norm, cost_layer_norm),
      norm("onnx.GroupNormalization", "each group of channels of each sample less its mean over its deviation", {{"X"}, {"scale"}, {"bias"}},
           {{"num_groups", "i64", true}, stash}, infer_channel_norm, evaluate_channel_norm, decompose_channel_norm, cost_layer_norm),
      norm("onnx.LayerNormalization", "each row less its mean over its deviation", {{"X"}, {"Scale"}, {"B", OperandDef::optional}}, {axis, stash},
           infer_layer_norm, evaluate_layer_norm, decompose_layer_norm, cost_layer_norm),
      norm("onnx.RMSNormalization", "each row over the root of its mean square", {{"X"}, {"scale"}}, {axis, stash}, infer_layer_norm,
           evaluate_rms_norm, decompose_rms_norm, cost_rms_norm),
  };
  return table;
}

}  // namespace stele
