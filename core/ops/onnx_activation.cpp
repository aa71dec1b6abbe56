// ONNX ops of one operand that compute element by element: mathematics and activations. Each row is the formula of
// https://onnx.ai/onnx/operators/ in double, and the tensor-level ops that say the same.
#include <cmath>

#include "core/ops/all_ops.h"
#include "core/ops/onnx_pointwise.h"

namespace stele {
namespace {

using namespace onnx_op;

// A float attribute, read as the f32 it is in the file.
double number(const Operation& op, std::string_view name, float otherwise) {
  return op.get_or<double>(name, static_cast<double>(otherwise));
}

// Bounds that let NaN pass, as numpy.clip does.
double clip(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
double logistic(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
int64_t negative(int64_t x) { return static_cast<int64_t>(-static_cast<uint64_t>(x)); }

Value* times(Builder& b, Value* x, double factor) { return build::multiply(b, x, build::splat_like(b, x, factor)); }
Value* plus(Builder& b, Value* x, double term) { return build::add(b, x, build::splat_like(b, x, term)); }
Value* bounded(Builder& b, Value* x, double low, double high) {
  return build::minimum(b, build::maximum(b, x, build::splat_like(b, x, low)), build::splat_like(b, x, high));
}
Value* if_negative(Builder& b, Value* x, Value* yes, Value* no) {
  return build::select(b, build::compare(b, "LT", x, build::splat_like(b, x, 0)), yes, no);
}
Value* exp_minus_one(Builder& b, Value* x) { return build::unary(b, "stablehlo.exponential_minus_one", x); }
// max(x, 0) + log1p(exp(-|x|)): neither overflows nor loses the tail.
Value* build_softplus(Builder& b, Value* x) {
  Value* tail = build::unary(b, "stablehlo.log_plus_one", build::exponential(b, build::negate(b, build::abs(b, x))));
  return build::add(b, build::maximum(b, x, build::splat_like(b, x, 0)), tail);
}

// One tensor-level op of the same meaning.
template <size_t N>
struct Name {
  char text[N];
  constexpr Name(const char (&from)[N]) { std::copy_n(from, N, text); }  // NOLINT: a literal is a name
};
template <Name name>
constexpr auto same_op = [](Builder& b, Value* x) { return build::unary(b, name.text, x); };

// Several ops in a row round several times, and their constants too: 16-bit floats are taken to f32 and back.
template <auto Lower>
constexpr auto in_f32 = [](const Operation& op) {
  return [&op](Builder& b, Value* x) {
    const DType dtype = x->dtype();
    Value* wide = size_bytes(dtype) == 2 && is_float(dtype) ? build::convert(b, x, DType::f32) : x;
    return build::convert(b, instance<Lower>(op)(b, wide), dtype);
  };
};

// An op on floats that decomposes into several.
template <auto Float, auto Lower>
OpDef composite(std::string_view name, std::string_view summary, std::vector<AttributeDef> attributes = {}) {
  return unary<Float, refused, in_f32<Lower>>(name, summary, std::move(attributes));
}

using D = double;
using B = Builder&;
using V = Value*;
using O = const Operation&;

std::vector<OpDef> mathematics() {
  return {
      unary<[](D x) { return -x; }, negative, same_op<"stablehlo.negate">>("onnx.Neg", "-x"),
      unary<[](D x) { return std::fabs(x); }, [](int64_t x) { return x < 0 ? negative(x) : x; }, same_op<"stablehlo.abs">>(
          "onnx.Abs", "|x|"),
      unary<[](D x) { return std::exp(x); }, refused, same_op<"stablehlo.exponential">>("onnx.Exp", "e to the x"),
      unary<[](D x) { return std::log(x); }, refused, same_op<"stablehlo.log">>("onnx.Log", "natural logarithm"),
      unary<[](D x) { return std::sqrt(x); }, refused, same_op<"stablehlo.sqrt">>("onnx.Sqrt", "square root"),
      unary<[](D x) { return 1 / x; }, refused, [](B b, V x) { return build::divide(b, build::splat_like(b, x, 1), x); }>(
          "onnx.Reciprocal", "1 / x"),
      unary<[](D x) { return std::erf(x); }, refused, same_op<"chlo.erf">>("onnx.Erf", "error function"),
      unary<[](D x) { return 0 < x ? 1.0 : x < 0 ? -1.0 : x; }, [](int64_t x) { return int64_t{(0 < x) - (x < 0)}; },
            same_op<"stablehlo.sign">>("onnx.Sign", "-1, 0 or 1"),
      unary<[](D x) { return std::floor(x); }, refused, same_op<"stablehlo.floor">>("onnx.Floor", "largest integer not above x"),
      unary<[](D x) { return std::ceil(x); }, refused, same_op<"stablehlo.ceil">>("onnx.Ceil", "smallest integer not below x"),
      unary<[](D x) { return std::nearbyint(x); }, refused, same_op<"stablehlo.round_nearest_even">>(
          "onnx.Round", "nearest integer, halves to even"),
      unary<[](D x) { return std::sin(x); }, refused, same_op<"stablehlo.sine">>("onnx.Sin", "sine"),
      unary<[](D x) { return std::cos(x); }, refused, same_op<"stablehlo.cosine">>("onnx.Cos", "cosine"),
      unary<[](D x) { return std::tan(x); }, refused, same_op<"stablehlo.tan">>("onnx.Tan", "tangent"),
      unary<refused, [](int64_t x) { return int64_t{x == 0}; }, same_op<"stablehlo.not">>("onnx.Not", "logical not"),
      unary<[](D x) { return std::isnan(x); }, refused, [](B b, V x) { return build::compare(b, "NE", x, x); }, Gives::boolean>(
          "onnx.IsNaN", "whether x is NaN"),
      unary<[](O op) {
              const bool up = op.get_or<int64_t>("detect_positive", 1) != 0, down = op.get_or<int64_t>("detect_negative", 1) != 0;
              return [=](D x) { return std::isinf(x) && (x > 0 ? up : down); };
            },
            refused,
            [](O op) {
              const bool up = op.get_or<int64_t>("detect_positive", 1) != 0, down = op.get_or<int64_t>("detect_negative", 1) != 0;
              return [=](B b, V x) {
                if (!up && !down) return build::splat(b, Type::tensor(DType::boolean, x->shape()), 0);
                Value* magnitude = up && down ? build::abs(b, x) : down ? build::negate(b, x) : x;
                return build::compare(b, "EQ", magnitude, build::splat_like(b, x, HUGE_VAL));
              };
            },
            Gives::boolean>("onnx.IsInf", "whether x is infinite",
                            {{"detect_positive", "i64, default 1"}, {"detect_negative", "i64, default 1"}}),
  };
}

std::vector<OpDef> rectifiers() {
  return {
      unary<[](D x) { return x < 0 ? 0.0 : x; }, [](int64_t x) { return x < 0 ? 0 : x; },
            [](B b, V x) { return build::maximum(b, x, build::splat_like(b, x, 0)); }>("onnx.Relu", "max(x, 0)"),
      composite<[](O op) { return [a = number(op, "alpha", 0.01f)](D x) { return x < 0 ? a * x : x; }; },
            [](O op) { return [a = number(op, "alpha", 0.01f)](B b, V x) { return if_negative(b, x, times(b, x, a), x); }; }>(
          "onnx.LeakyRelu", "x where not negative, else alpha * x", {{"alpha", "f32, default 0.01"}}),
      composite<[](O op) { return [a = number(op, "alpha", 1)](D x) { return a < x ? x : x <= a ? 0.0 : x; }; },
            [](O op) {
              return [a = number(op, "alpha", 1)](B b, V x) {
                Value* below = build::compare(b, "LE", x, build::splat_like(b, x, a));
                return build::select(b, below, build::splat_like(b, x, 0), x);
              };
            }>("onnx.ThresholdedRelu", "x where above alpha, else 0", {{"alpha", "f32, default 1"}}),
      composite<[](O op) { return [a = number(op, "alpha", 1)](D x) { return x < 0 ? a * std::expm1(x) : x; }; },
            [](O op) {
              return [a = number(op, "alpha", 1)](B b, V x) { return if_negative(b, x, times(b, exp_minus_one(b, x), a), x); };
            }>("onnx.Elu", "x where not negative, else alpha * (exp(x) - 1)", {{"alpha", "f32, default 1"}}),
      composite<[](O op) { return [a = number(op, "alpha", 1)](D x) { return x < 0 ? a * std::expm1(x / a) : x; }; },
            [](O op) {
              return [a = number(op, "alpha", 1)](B b, V x) {
                Value* scaled = build::divide(b, x, build::splat_like(b, x, a));
                return if_negative(b, x, times(b, exp_minus_one(b, scaled), a), x);
              };
            }>("onnx.Celu", "x where not negative, else alpha * (exp(x / alpha) - 1)", {{"alpha", "f32, default 1"}}),
      composite<[](O op) {
              return [a = number(op, "alpha", 1.67326319217681884765625f), g = number(op, "gamma", 1.05070102214813232421875f)](
                         D x) { return g * (x < 0 ? a * std::expm1(x) : x); };
            },
           
            [](O op) {
              return [a = number(op, "alpha", 1.67326319217681884765625f), g = number(op, "gamma", 1.05070102214813232421875f)](
                         B b, V x) { return times(b, if_negative(b, x, times(b, exp_minus_one(b, x), a), x), g); };
            }>("onnx.Selu", "gamma * (x where not negative, else alpha * (exp(x) - 1))",
               {{"alpha", "f32, default 1.6732632"}, {"gamma", "f32, default 1.050701"}}),
  };
}

std::vector<OpDef> sigmoids() {
  return {
      unary<logistic, refused, same_op<"stablehlo.logistic">>("onnx.Sigmoid", "1 / (1 + exp(-x))"),
      unary<[](D x) { return std::tanh(x); }, refused, same_op<"stablehlo.tanh">>("onnx.Tanh", "hyperbolic tangent"),
      composite<[](O op) {
              return [a = number(op, "alpha", 0.2f), c = number(op, "beta", 0.5f)](D x) { return clip(a * x + c, 0, 1); };
            },
           
            [](O op) {
              return [a = number(op, "alpha", 0.2f), c = number(op, "beta", 0.5f)](B b, V x) {
                return bounded(b, plus(b, times(b, x, a), c), 0, 1);
              };
            }>("onnx.HardSigmoid", "alpha * x + beta, kept within 0 and 1",
               {{"alpha", "f32, default 0.2"}, {"beta", "f32, default 0.5"}}),
      composite<[](D x) { return x * clip(x / 6 + 0.5, 0, 1); },
            [](B b, V x) { return build::multiply(b, x, bounded(b, plus(b, build::divide(b, x, build::splat_like(b, x, 6)), 0.5), 0, 1)); }>(
          "onnx.HardSwish", "x * (x / 6 + 1 / 2 kept within 0 and 1)"),
      composite<[](O op) { return [a = number(op, "alpha", 1)](D x) { return x * logistic(a * x); }; },
            [](O op) {
              return [a = number(op, "alpha", 1)](B b, V x) {
                return build::multiply(b, x, build::logistic(b, a == 1 ? x : times(b, x, a)));
              };
            }>("onnx.Swish", "x * sigmoid(alpha * x)", {{"alpha", "f32, default 1"}}),
      composite<softplus, build_softplus>("onnx.Softplus", "log(1 + exp(x))"),
      composite<[](D x) { return x / (1 + std::fabs(x)); },
            [](B b, V x) { return build::divide(b, x, plus(b, build::abs(b, x), 1)); }>("onnx.Softsign", "x / (1 + |x|)"),
      composite<[](D x) { return x * std::tanh(softplus(x)); },
            [](B b, V x) { return build::multiply(b, x, build::tanh(b, build_softplus(b, x))); }>("onnx.Mish", "x * tanh(log(1 + exp(x)))"),
  };
}

}  // namespace

std::span<const OpDef> onnx_activation_ops() {
  static const std::vector<OpDef> table = [] {
    std::vector<OpDef> all = mathematics();
    for (auto family : {rectifiers, sigmoids}) {
      for (OpDef& op : family()) all.push_back(std::move(op));
    }
    return all;
  }();
  return table;
}

}  // namespace stele
