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
    run_prefix(*module, infer_shapes, unlimited_fuel, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("infer-shapes/infer-type gives unknown results their types", "[pass]") {
  check_rewrite(infer_shapes, R"(func.func @main(%x: tensor<?x3xf32, #stele.dims<batch>>) -> !stele.unknown {
  %0 = "onnx.Relu"(%x) : (tensor<?x3xf32, #stele.dims<batch>>) -> !stele.unknown
  %1 = "onnx.Transpose"(%0) : (!stele.unknown) -> !stele.unknown
  return %1 : !stele.unknown
}
)",
                R"(func.func @main(%x: tensor<?x3xf32, #stele.dims<batch>>) -> tensor<3x?xf32, #stele.dims<batch>> {
  %0 = "onnx.Relu"(%x) : (tensor<?x3xf32, #stele.dims<batch>>) -> tensor<?x3xf32, #stele.dims<batch>>
  %1 = "onnx.Transpose"(%0) : (tensor<?x3xf32, #stele.dims<batch>>) -> tensor<3x?xf32, #stele.dims<batch>>
  return %1 : tensor<3x?xf32, #stele.dims<batch>>
}
)");
}

TEST_CASE("infer-shapes/infer-type replaces a name by what is known", "[pass]") {
  check_rewrite(infer_shapes, R"(func.func @main(%x: tensor<2x3xf32>, %y: tensor<?xf32, #stele.dims<what>>) -> tensor<?x2xf32, #stele.dims<what>> {
  %0 = "onnx.Transpose"(%x) : (tensor<2x3xf32>) -> tensor<?x2xf32, #stele.dims<what>>
  return %0 : tensor<?x2xf32, #stele.dims<what>>
}
)",
                R"(func.func @main(%x: tensor<2x3xf32>, %y: tensor<?xf32, #stele.dims<what>>) -> tensor<3x2xf32> {
  %0 = "onnx.Transpose"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
)");
}

TEST_CASE("infer-shapes resolves a reshape whose shape is computed", "[pass]") {
  check_rewrite(infer_shapes, R"(func.func @main(%x: tensor<?x?x8xf32, #stele.dims<batch, seq>>) -> !stele.unknown {
  %s = "onnx.Shape"(%x) {end = 2 : i64} : (tensor<?x?x8xf32, #stele.dims<batch, seq>>) -> tensor<2xi64>
  %h = stablehlo.constant dense<[2, -1]> : tensor<2xi64>
  %c = "onnx.Concat"(%s, %h) {axis = 0 : i64} : (tensor<2xi64>, tensor<2xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%x, %c) : (tensor<?x?x8xf32, #stele.dims<batch, seq>>, tensor<4xi64>) -> !stele.unknown
  return %r : !stele.unknown
}
)",
                R"(func.func @main(%x: tensor<?x?x8xf32, #stele.dims<batch, seq>>) -> tensor<?x?x2x4xf32, #stele.dims<batch, seq>> {
  %s = "onnx.Shape"(%x) {end = 2 : i64} : (tensor<?x?x8xf32, #stele.dims<batch, seq>>) -> tensor<2xi64>
  %h = stablehlo.constant dense<[2, -1]> : tensor<2xi64>
  %c = "onnx.Concat"(%s, %h) {axis = 0 : i64} : (tensor<2xi64>, tensor<2xi64>) -> tensor<4xi64>
  %r = "onnx.Reshape"(%x, %c) : (tensor<?x?x8xf32, #stele.dims<batch, seq>>, tensor<4xi64>) -> tensor<?x?x2x4xf32, #stele.dims<batch, seq>>
  return %r : tensor<?x?x2x4xf32, #stele.dims<batch, seq>>
}
)");
}

TEST_CASE("infer-shapes leaves types that say all, and ops it does not know", "[pass]") {
  check_unchanged(infer_shapes, R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
)");
  PassCheck unknown;
  unknown.run = false;
  check_unchanged(infer_shapes, R"(func.func @main(%x: tensor<2xf32>) -> !stele.unknown {
  %0 = "onnx.Frobnicate"(%x) : (tensor<2xf32>) -> !stele.unknown
  %1 = "onnx.Relu"(%0) : (!stele.unknown) -> !stele.unknown
  return %1 : !stele.unknown
}
)",
                  unknown);
}

TEST_CASE("infer-shapes names a contradiction", "[pass]") {
  const std::string wrong = error_of(R"(func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %0 = "onnx.Relu"(%x) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
)");
  CHECK_THAT(wrong, Catch::Contains("onnx.Relu") && Catch::Contains("tensor<2x4xf32>") && Catch::Contains("tensor<2x3xf32>"));
  const std::string dtype = error_of(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf64> {
  %0 = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
)");
  CHECK_THAT(dtype, Catch::Contains("tensor<2xf64>"));
}
