#include "tests/support/single_op.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "core/eval/interpreter.h"
#include "core/ops/op_def.h"
#include "core/pass/rewriter.h"

namespace stele::test {
namespace {

Type argument_type(const SingleOp& op, size_t i, Module& module) {
  Type type = op.operands[i].type();
  for (size_t axis = 0; i == 0 && axis < op.free_dims.size(); ++axis) {
    if (op.free_dims[axis].empty()) continue;
    module.symbols[op.free_dims[axis]] = SymbolBounds{};
    type.shape[axis] = Dim::symbol(op.free_dims[axis]);
  }
  return type;
}

bool is_constant(const SingleOp& op, size_t i) { return std::count(op.constants.begin(), op.constants.end(), i) != 0; }

std::vector<Tensor> arguments(const SingleOp& op) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (op.operands[i].present() && !is_constant(op, i)) inputs.push_back(op.operands[i]);
  }
  return inputs;
}

void check_equal(const std::vector<Tensor>& own, const std::vector<Tensor>& other, double bound, bool in_ulps) {
  REQUIRE(own.size() == other.size());
  for (size_t i = 0; i < own.size(); ++i) {
    INFO("result " << i << (in_ulps ? "" : ", in f64"));
    REQUIRE(own[i].dtype() == other[i].dtype());
    REQUIRE(own[i].sizes() == other[i].sizes());
    const double unit = in_ulps ? epsilon(own[i].dtype()) : 1;
    CHECK(relative_error(other[i], own[i]) <= (is_float(own[i].dtype()) ? bound * unit : 0.0));
  }
}

}  // namespace

std::unique_ptr<Module> single_op(const SingleOp& op) {
  auto module = std::make_unique<Module>();
  module->attributes["opset"] = op.opset;
  Builder builder(*module);
  Function& main = builder.add_function("main");
  builder.at_end(main.body());
  std::vector<Value*> operands;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Tensor& value = op.operands[i];
    if (value.present() && is_constant(op, i)) {
      operands.push_back(builder.create_value("stablehlo.constant", {}, value.type(), {{"value", value}}));
    } else if (value.present()) {
      operands.push_back(builder.add_argument(main.body(), argument_type(op, i, *module), "x" + std::to_string(i)));
    } else {
      operands.push_back(builder.create_value("onnx.None", {}, Type::none()));
    }
  }
  Operation* made = create_inferred(builder, op.name, operands, op.results, op.attributes);
  std::vector<Type> types;
  for (Value* result : made->results()) types.push_back(result->type());
  builder.create("func.return", made->results(), {});
  builder.set_results(main, types);
  verify(*module);
  return module;
}

std::unique_ptr<Module> decomposed(const Module& module) {
  std::unique_ptr<Module> copy = module.clone();
  Rewriter rewriter(*copy);
  for (Operation* op : copy->main().body().ops()) {
    const OpDef& def = op_def(*op);
    if (def.level != Level::framework || op->is("onnx.None")) continue;
    if (!def.decompose.function()) fail("{}: has no decomposition", op->describe());
    rewriter.apply("decompose", {op}, [&](Rewrite& rewrite) { rewrite.replace(op, def.decompose.function()(*op, rewrite)); });
  }
  verify(*copy);
  return copy;
}

std::vector<Tensor> check_decomposition(const SingleOp& op, double ulps, double wide) {
  INFO(op.name);
  const std::unique_ptr<Module> module = single_op(op), lowered = decomposed(*module);
  const std::vector<Tensor> inputs = arguments(op);
  const std::vector<Tensor> own = run(*module, inputs);
  check_equal(own, run(*lowered, inputs), ulps, true);
  EvalOptions in_f64;
  in_f64.wide = true;
  check_equal(run(*module, inputs, in_f64), run(*lowered, inputs, in_f64), wide, false);
  for (size_t i = 0; i < own.size(); ++i) {
    const Type& type = module->main().result_types()[i];
    CHECK(type.dtype == own[i].dtype());
    CHECK(evaluate(type.shape, stele::bind(module->main(), inputs)) == own[i].sizes());
    CHECK(lowered->main().body().terminator()->operand(static_cast<unsigned>(i))->type() == type);
  }
  return own;
}

Tensor random_tensor(DType dtype, const std::vector<int64_t>& sizes, std::uint64_t seed, double scale) {
  std::mt19937_64 random(seed);
  // Box and Muller's method by hand: std::normal_distribution differs between libraries.
  const auto uniform = [&] { return static_cast<double>((random() >> 11) + 1) * 0x1p-53; };
  Tensor tensor(dtype, sizes);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.set(i, scale * std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.14159265358979 * uniform()));
  }
  return tensor;
}

double relative_error(const Tensor& a, const Tensor& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.sizes() != b.sizes()) return infinity;
  double largest = 0, error = 0;
  for (int64_t i = 0; i < b.elements(); ++i) {
    const double x = a.get(i), y = b.get(i);
    if (std::isnan(y) || std::isinf(y)) {
      if (!(std::isnan(x) && std::isnan(y)) && x != y) return infinity;
      continue;
    }
    if (!std::isfinite(x)) return infinity;
    largest = std::max(largest, std::fabs(y));
    error = std::max(error, std::fabs(x - y));
  }
  return error == 0 ? 0 : error / largest;
}

}  // namespace stele::test
