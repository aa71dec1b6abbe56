#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/ops/rules.h"
#include "tests/support/single_op.h"

using namespace stele;
using namespace stele::test;

namespace {

const char* const activations[] = {
    "onnx.Neg",      "onnx.Abs",   "onnx.Exp",       "onnx.Erf",  "onnx.Sign",        "onnx.Floor",       "onnx.Ceil", "onnx.Round",
    "onnx.Sin",      "onnx.Cos",   "onnx.Tan",       "onnx.Relu", "onnx.LeakyRelu",   "onnx.ThresholdedRelu", "onnx.Elu",  "onnx.Celu",
    "onnx.Selu",     "onnx.Tanh",  "onnx.Sigmoid",   "onnx.Softplus", "onnx.HardSigmoid", "onnx.HardSwish",   "onnx.Swish", "onnx.Softsign",
    "onnx.Mish",
};

double value_of(const char* name, double x, const Attributes& attributes = {}) {
  return check_decomposition({name, {Tensor::scalar(DType::f64, x)}, attributes}, 1e4)[0].get(0);
}

}  // namespace

TEST_CASE("onnx activations are what they decompose to, in every float type", "[onnx]") {
  for (const char* name : activations) {
    for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
      check_decomposition({name, {random_tensor(dtype, {5, 40}, 11, 3)}});
    }
    check_decomposition({.name = name, .operands = {random_tensor(DType::f32, {3, 2}, 12)}, .free_dims = {"batch"}});
    check_decomposition({name, {Tensor(DType::f32, {0, 4})}});
  }
}

TEST_CASE("onnx activations at NaN, infinities and zeros", "[onnx]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor edges = Tensor::of_doubles(DType::f32, {8}, {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, 0.0, -0.0, 1e-40, 3e38, -3e38});
  for (const char* name : activations) check_decomposition({name, {edges}});
  for (const char* name : {"onnx.Log", "onnx.Sqrt", "onnx.Reciprocal"}) check_decomposition({name, {edges}});
}

TEST_CASE("onnx activations, value by value", "[onnx]") {
  CHECK(value_of("onnx.LeakyRelu", -2, {{"alpha", 0.5}}) == -1);
  CHECK(value_of("onnx.Elu", -1, {{"alpha", 2.0}}) == Approx(2 * (std::exp(-1.0) - 1)));
  CHECK(value_of("onnx.Celu", -1, {{"alpha", 2.0}}) == Approx(2 * (std::exp(-0.5) - 1)));
  CHECK(value_of("onnx.Selu", -1) == Approx(1.05070102214813 * 1.67326319217681 * (std::exp(-1.0) - 1)));
  CHECK(value_of("onnx.ThresholdedRelu", 1) == 0);
  CHECK(value_of("onnx.ThresholdedRelu", 1.5) == 1.5);
  CHECK(value_of("onnx.HardSigmoid", 1) == Approx(0.7));
  CHECK(value_of("onnx.HardSigmoid", 9) == 1);
  CHECK(value_of("onnx.HardSwish", 3) == 3);
  CHECK(value_of("onnx.HardSwish", -3) == 0);
  CHECK(value_of("onnx.Swish", 2, {{"alpha", 1.5}}) == Approx(2 / (1 + std::exp(-3.0))));
  CHECK(value_of("onnx.Softplus", 800) == 800);
  CHECK(value_of("onnx.Softplus", -40) == Approx(std::exp(-40.0)));
  CHECK(value_of("onnx.Sigmoid", -800) == 0);
  CHECK(value_of("onnx.Round", 2.5) == 2);
  CHECK(value_of("onnx.Round", -1.5) == -2);
  CHECK(value_of("onnx.Sqrt", 2) == Approx(std::sqrt(2.0)));
  CHECK(value_of("onnx.Reciprocal", 4) == 0.25);
  CHECK(value_of("onnx.Log", 1) == 0);
  CHECK_THROWS_WITH(single_op({"onnx.Exp", {Tensor::of_ints(DType::i32, {1}, {1})}}), Catch::Contains("Exp_c1"));
}
