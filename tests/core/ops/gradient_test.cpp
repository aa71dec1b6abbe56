// Gradients against finite differences, for every op that has one.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/op_samples.h"

using namespace stele;
using namespace stele::test;

namespace {

const Binding binding = {{"n", 3}};
constexpr double step = 1e-5;

// Sum of w * result over all elements, w different for each.
double weighted(const Tensor& result) {
  double sum = 0;
  for (int64_t i = 0; i < result.elements(); ++i) sum += (1.0 + 0.1 * static_cast<double>(i % 7)) * result.get(i);
  return sum;
}

Tensor weights_like(const Tensor& result) {
  Tensor weights(result.dtype(), result.sizes());
  for (int64_t i = 0; i < weights.elements(); ++i) weights.set(i, 1.0 + 0.1 * static_cast<double>(i % 7));
  return weights;
}

// The module that returns the gradients of the sample's arguments which `op` has as operands and that are floats.
struct Gradients {
  std::vector<unsigned> arguments;
  std::vector<Tensor> values;
};

Gradients gradients_of(const Sample& sample, std::string_view name, const std::vector<Tensor>& inputs, const Tensor& weights) {
  Gradients gradients;
  std::vector<Type> types = sample.types;
  types.push_back(weights.type());
  auto module = module_of(types, [&](Builder& b, const std::vector<Value*>& x) {
    const std::vector<Value*> results = sample.body(b, {x.begin(), x.end() - 1});
    const Operation* op = results.at(0)->definition();
    REQUIRE(op->is(name));
    Value* g = b.create_value("stablehlo.reshape", {x.back()}, op->result()->type());
    const std::vector<Value*> made = op_def(*op).gradient.function()(*op, {g}, b);
    std::vector<Value*> returned;
    for (unsigned i = 0; i < op->operand_count() && i < made.size(); ++i) {
      Value* operand = op->operand(i);
      if (!made[i] || !operand->is_argument()) continue;
      gradients.arguments.push_back(operand->index());
      returned.push_back(made[i]);
    }
    return returned;
  });
  std::vector<Tensor> all = inputs;
  all.push_back(weights);
  verify(*module);
  gradients.values = run(*module, all);
  return gradients;
}

double evaluated(const Module& module, const std::vector<Tensor>& inputs) { return weighted(run(module, inputs)[0]); }

}  // namespace

TEST_CASE("gradients agree with finite differences", "[gradient]") {
  int checked = 0;
  for (const auto& [name, sample] : op_samples()) {
    const OpDef* def = find_op(name);
    // convert's sample rounds to f32, whose steps are too coarse to difference; it is checked below.
    if (!def->gradient.function() || name == "stablehlo.convert") continue;
    INFO(name);
    const auto module = module_of(sample.types, sample.body);
    std::vector<Tensor> inputs = sample_inputs(*module, binding);
    const Gradients gradients = gradients_of(sample, name, inputs, weights_like(run(*module, inputs)[0]));
    CHECK_FALSE(gradients.arguments.empty());
    for (size_t k = 0; k < gradients.arguments.size(); ++k) {
      Tensor& x = inputs[gradients.arguments[k]];
      if (!is_float(x.dtype())) continue;
      for (int64_t i = 0; i < x.elements(); ++i) {
        const double value = x.get(i);
        x.set(i, value + step);
        const double above = evaluated(*module, inputs);
        x.set(i, value - step);
        const double below = evaluated(*module, inputs);
        x.set(i, value);
        INFO("operand " << k << ", element " << i);
        CHECK(gradients.values[k].get(i) == Approx((above - below) / (2 * step)).epsilon(1e-5).margin(1e-5));
        ++checked;
      }
    }
  }
  CHECK(checked > 100);
}

TEST_CASE("convert's gradient goes back to the operand's type", "[gradient]") {
  const Tensor g = evaluate_one({f32({2}, {1, 2}), Tensor::of_doubles(DType::f64, {2}, {3, 4})}, [](Builder& b, auto& in) {
    Value* y = build::convert(b, in[0], DType::f64);
    return op_def(*y->definition()).gradient.function()(*y->definition(), {in[1]}, b).at(0);
  });
  CHECK(g.dtype() == DType::f32);
  CHECK(values(g) == std::vector<double>{3, 4});
}
