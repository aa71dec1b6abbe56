#include <catch2/catch.hpp>

#include "core/ir/text.h"
#include "core/pass/pipeline.h"
#include "passes/represent/passes.h"
#include "tests/support/pass_checks.h"

using namespace stele;
using namespace stele::test;

namespace {

std::string error_of(std::string_view text) {
  const auto module = parse(text);
  try {
    run_prefix(*module, decompose, unlimited_fuel, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("decompose/onnx-add makes broadcasting explicit", "[pass]") {
  check_rewrite(decompose, R"(func.func @main(%x: tensor<?x3xf32, #stele.dims<n>>, %y: tensor<3xf32>) -> tensor<?x3xf32, #stele.dims<n>> {
  %0 = "onnx.Add"(%x, %y) : (tensor<?x3xf32, #stele.dims<n>>, tensor<3xf32>) -> tensor<?x3xf32, #stele.dims<n>>
  return %0 : tensor<?x3xf32, #stele.dims<n>>
}
)",
                R"(func.func @main(%x: tensor<?x3xf32, #stele.dims<n>>, %y: tensor<3xf32>) -> tensor<?x3xf32, #stele.dims<n>> {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<?x3xf32, #stele.dims<n>>
  %1 = stablehlo.add %x, %0 : tensor<?x3xf32, #stele.dims<n>>
  return %1 : tensor<?x3xf32, #stele.dims<n>>
}
)");
}

TEST_CASE("decompose/onnx-constant shares the bytes", "[pass]") {
  const auto module = parse(R"(func.func @main() -> tensor<4xf32> {
  %0 = "onnx.Constant"() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
)");
  const Tensor* before = constant_of(module->main().body().terminator()->operand(0));
  const auto after = run_prefix(*module, decompose, unlimited_fuel, {});
  const Value* result = after->main().body().terminator()->operand(0);
  REQUIRE(result->definition()->is("stablehlo.constant"));
  CHECK(constant_of(result)->data() == before->data());
}

TEST_CASE("decompose/erase-unused drops the computation of a shape", "[pass]") {
  check_rewrite(decompose, R"(func.func @main(%x: tensor<?x8xf32, #stele.dims<n>>) -> tensor<?x2x4xf32, #stele.dims<n>> {
  %s = "onnx.Shape"(%x) {end = 1 : i64} : (tensor<?x8xf32, #stele.dims<n>>) -> tensor<1xi64>
  %h = "onnx.Constant"() {value = dense<[2, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %c = "onnx.Concat"(%s, %h) {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %r = "onnx.Reshape"(%x, %c) : (tensor<?x8xf32, #stele.dims<n>>, tensor<3xi64>) -> tensor<?x2x4xf32, #stele.dims<n>>
  return %r : tensor<?x2x4xf32, #stele.dims<n>>
}
)",
                R"(func.func @main(%x: tensor<?x8xf32, #stele.dims<n>>) -> tensor<?x2x4xf32, #stele.dims<n>> {
  %r = stablehlo.reshape %x : (tensor<?x8xf32, #stele.dims<n>>) -> tensor<?x2x4xf32, #stele.dims<n>>
  return %r : tensor<?x2x4xf32, #stele.dims<n>>
}
)");
}

TEST_CASE("decompose leaves the tensor level alone", "[pass]") {
  check_unchanged(decompose, R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tanh %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
)");
}

TEST_CASE("decompose mixes levels at every prefix, within its contract", "[pass]") {
  // Every kind of activation, one after the other, so that each prefix runs both sides.
  for (const char* name : {"HardSwish", "HardSigmoid", "Mish", "Softplus", "Elu", "Celu", "Selu", "LeakyRelu", "Swish", "Softsign", "Tanh", "Erf", "Reciprocal"}) {
    INFO(name);
    const std::string op = std::string("\"onnx.") + name + "\"";
    const std::string text = "func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {\n  %0 = " + op +
                             "(%x) : (tensor<64xf32>) -> tensor<64xf32>\n  %1 = \"onnx.Neg\"(%0) : (tensor<64xf32>) -> tensor<64xf32>\n  return %1 : tensor<64xf32>\n}\n";
    const auto module = parse(text);
    const auto lowered = run_prefix(*module, decompose, unlimited_fuel, {});
    check_rewrite(decompose, text, print(*lowered));
  }
}

TEST_CASE("decompose says what it cannot take apart, and where", "[pass]") {
  CHECK_THAT(error_of(R"(func.func @main(%x: tensor<2xf32>) -> !stele.unknown {
  %0 = "onnx.Frobnicate"(%x) {domain = "com.example"} : (tensor<2xf32>) -> !stele.unknown
  %1 = "onnx.Relu"(%0) : (!stele.unknown) -> !stele.unknown
  return %1 : !stele.unknown
}
)"),
             Catch::Contains("onnx.Frobnicate") && Catch::Contains("com.example"));
  CHECK_THAT(error_of(R"(func.func @main(%x: tensor<6xf32>, %s: tensor<2xi64>) -> !stele.unknown {
  %0 = "onnx.Reshape"(%x, %s) : (tensor<6xf32>, tensor<2xi64>) -> !stele.unknown
  %1 = "onnx.Relu"(%0) : (!stele.unknown) -> !stele.unknown
  return %1 : !stele.unknown
}
)"),
             Catch::Contains("onnx.Reshape: the type") && Catch::Contains("not known"));
}

TEST_CASE("every framework op has a rule of its own, or says why not", "[pass]") {
  std::set<std::string_view> names;
  for (const RuleDef& rule : rules_of(decompose)) CHECK(names.insert(rule.name).second);
  for (const char* rule : {"onnx-layer-normalization", "onnx-is-nan", "onnx-gather-nd", "onnx-reduce-l1", "onnx-add", "erase-unused"}) {
    INFO(rule);
    CHECK(names.count(rule) == 1);
  }
  for (const OpDef* op : all_ops()) {
    if (op->level != Level::framework) continue;
    INFO(op->name);
    CHECK((op->decompose.function() || !op->decompose.reason().empty()));
  }
}
