// ONNX's activations over a whole axis, and Gelu: Softmax, LogSoftmax, Gelu.
#include <cmath>
#include <limits>
#include <numbers>

#include "core/ops/all_ops.h"
#include "core/ops/onnx_nn.h"

namespace stele {
namespace {

using namespace onnx_op;
using namespace onnx_nn;
using Tensors = std::vector<Tensor>;
using Types = std::vector<Type>;
using Values = std::vector<Value*>;

// ---- Softmax, LogSoftmax --------------------------------------------------------------------------------------------

// The axes that sum to one, [first, last): one axis; before opset 13 all from it on.
//   c1: axis is in range;  c2: a float type
std::pair<int64_t, int64_t> softmax_axes(const Operation& op, int64_t rank) {
  const bool to_the_end = opset_of(op) < 13;
  if (rank == 0) violated(op, "c1", "operand has rank 0, expected 1 or more");
  const int64_t axis = axis_in(op, "c1", op.get_or<int64_t>("axis", to_the_end ? 1 : -1), rank);
  return {axis, to_the_end ? rank : axis + 1};
}

Types infer_softmax(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& x = op.operand(0)->type();
  if (!is_float(x.dtype)) violated(op, "c2", "operand has element type {}, expected a float", name(x.dtype));
  softmax_axes(op, x.rank());
  return {x};
}

// Over `count` values that stand `step` apart.
void softmax_along(double* x, int64_t count, int64_t step, bool logarithm) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::isnan(x[i * step]) ? x[i * step] : std::max(largest, x[i * step]);
  for (int64_t i = 0; i < count; ++i) sum += std::exp(x[i * step] - largest);
  const double log_sum = std::log(sum);
  for (int64_t i = 0; i < count; ++i) {
    const double shifted = x[i * step] - largest;
    x[i * step] = logarithm ? shifted - log_sum : std::exp(shifted) / sum;
  }
}

Tensors evaluate_either(const Operation& op, const Tensor& x, EvalContext& context, bool logarithm) {
  const auto [first, last] = softmax_axes(op, x.rank());
  const Split split = split_at(x.sizes(), first, last);
  std::vector<double> values = doubles(x);
  for (int64_t i = 0; i < split.outer; ++i) {
    for (int64_t j = 0; j < split.inner; ++j) {
      softmax_along(values.data() + i * split.count * split.inner + j, split.count, split.inner, logarithm);
    }
  }
  return {tensor_of(context.widened(x.dtype()), x.sizes(), values)};
}

Tensors evaluate_softmax(const Operation& op, const Tensors& operands, EvalContext& context) {
  return evaluate_either(op, operands[0], context, false);
}
Tensors evaluate_log_softmax(const Operation& op, const Tensors& operands, EvalContext& context) {
  return evaluate_either(op, operands[0], context, true);
}

Values decompose_either(const Operation& op, Builder& b, bool logarithm) {
  const DType dtype = op.operand(0)->dtype();
  Value* x = build::convert(b, op.operand(0), compute_dtype(dtype));
  const auto [first, last] = softmax_axes(op, x->rank());
  const Ints axes = axes_from(first, last);
  Value* shifted = with(b, "stablehlo.subtract", x, build::reduce(b, x, "maximum", axes, true));
  Value* powers = build::exponential(b, shifted);
  Value* sum = build::reduce(b, powers, "add", axes, true);
  Value* result = logarithm ? with(b, "stablehlo.subtract", shifted, build::log(b, sum)) : with(b, "stablehlo.divide", powers, sum);
  return {build::convert(b, result, dtype)};
}

Values decompose_softmax(const Operation& op, Builder& b) { return decompose_either(op, b, false); }
Values decompose_log_softmax(const Operation& op, Builder& b) { return decompose_either(op, b, true); }
Cost cost_softmax(const Operation& op) { return cost_an_element(op, 5); }  // max, subtract, exp, add, divide

// ---- Gelu -----------------------------------------------------------------------------------------------------------

// onnx.Gelu(X) {approximate}: x times the normal distribution's share below x
//   c1: approximate is none or tanh;  c2: a float type
bool uses_tanh(const Operation& op) {
  const std::string how = op.get_or<std::string>("approximate", "none");
  if (how != "none" && how != "tanh") violated(op, "c1", "approximate is '{}', expected none or tanh", how);
  return how == "tanh";
}

Types infer_gelu(const Operation& op) {
  uses_tanh(op);
  if (!types_known(op)) return unknown_results(op);
  const Type& x = op.operand(0)->type();
  if (!is_float(x.dtype)) violated(op, "c2", "operand has element type {}, expected a float", name(x.dtype));
  return {x};
}

// 1 + tanh(u) = 2 / (1 + exp(-2u)): as exact where tanh(u) is near -1.
double gelu_tanh(double x) {
  const double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * u));
}

Tensors evaluate_gelu(const Operation& op, const Tensors& operands, EvalContext& context) {
  const bool tanh = uses_tanh(op);
  std::vector<double> values = doubles(operands[0]);
  for (double& x : values) x = tanh ? gelu_tanh(x) : 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
  return {tensor_of(context.widened(operands[0].dtype()), operands[0].sizes(), values)};
}

// erfc(-x/sqrt 2) rather than 1 + erf(x/sqrt 2), which loses every digit of the negative tail.
Value* build_gelu(Builder& b, Value* x) {
  Value* share = build::unary(b, "chlo.erfc", with(b, "stablehlo.multiply", x, -1 / std::numbers::sqrt2));
  return build::multiply(b, with(b, "stablehlo.multiply", x, 0.5), share);
}

Value* build_gelu_tanh(Builder& b, Value* x) {
  Value* cube = build::multiply(b, build::multiply(b, x, x), x);
  Value* inner = build::add(b, x, with(b, "stablehlo.multiply", cube, 0.044715));
  // logistic(2u) is (1 + tanh(u)) / 2
  return build::multiply(b, x, build::logistic(b, with(b, "stablehlo.multiply", inner, 2 * std::sqrt(2 / std::numbers::pi))));
}

Values decompose_gelu(const Operation& op, Builder& b) {
  const DType dtype = op.operand(0)->dtype();
  Value* x = build::convert(b, op.operand(0), compute_dtype(dtype));
  return {build::convert(b, uses_tanh(op) ? build_gelu_tanh(b, x) : build_gelu(b, x), dtype)};
}

Cost cost_gelu(const Operation& op) { return cost_an_element(op, uses_tanh(op) ? 8 : 4); }

OpDef softmax(std::string_view name, std::string_view summary, EvaluateFunction* evaluate, DecomposeFunction* decompose) {
  return {.name = name,
          .summary = summary,
          .level = Level::framework,
          .operands = {{"input"}},
          .attributes = {{"axis", "i64, default -1; before opset 13 default 1, and the axes after it too"}},
          .traits = Trait::pure | Trait::reduction,
          .verify = verify_by_inference,
          .infer = infer_softmax,
          .evaluate = evaluate,
          .gradient = gradient_of_decomposition(),
          .decompose = decompose,
          .cost = cost_softmax};
}

}  // namespace

std::span<const OpDef> onnx_softmax_ops() {
  static const OpDef table[] = {
      softmax("onnx.Softmax", "exponentials over their sum along an axis", evaluate_softmax, decompose_softmax),
      softmax("onnx.LogSoftmax", "logarithm of Softmax", evaluate_log_softmax, decompose_log_softmax),
      {.name = "onnx.Gelu",
       .summary = "x times the normal distribution's share below x",
       .level = Level::framework,
       .operands = {{"X"}},
       .attributes = {{"approximate", "none or tanh, default none"}},
       .traits = Trait::pure | Trait::elementwise,
       .verify = verify_by_inference,
       .infer = infer_gelu,
       .evaluate = evaluate_gelu,
       .gradient = gradient_of_decomposition(),
       .decompose = decompose_gelu,
       .cost = cost_gelu},
  };
  return table;
}

}  // namespace stele
