// Constraints by their labels, of the ops whose own tests do not cover them: a program that breaks each.
#include <catch2/catch.hpp>

#include "core/ir/text.h"
#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

struct Broken {
  const char* label;
  const char* op;  // of %x: tensor<2x3xf32>, %i: tensor<2x3xi32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>, %v: tensor<3xf32>
};

std::string error_with(const std::string& op) {
  return error_of([&] {
    verify(*parse("module {\n  func.func public @main(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>, %v: tensor<3xf32>) {\n    " +
                  op + "\n    return\n  }\n  func.func private @two(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n    return %a : tensor<f32>\n  }\n}"));
  });
}

const char* const add_region = "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%c = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %c : tensor<f32>\n})";

std::string scatter(const std::string& numbers, const std::string& indices = "%n : tensor<i32>", const std::string& region = add_region) {
  const auto at = indices.find(" : ");
  return "%0 = \"stablehlo.scatter\"(%x, " + indices.substr(0, at) + ", %v) " + region + " {scatter_dimension_numbers = #stablehlo.scatter<" + numbers +
         ">} : (tensor<2x3xf32>, " + indices.substr(at + 3) + ", tensor<3xf32>) -> tensor<2x3xf32>";
}

}  // namespace

TEST_CASE("a good program has no error", "[constraints]") {
  CHECK(error_with("%0 = stablehlo.add %x, %x : tensor<2x3xf32>") == "no error");
  CHECK(error_with(scatter("update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]")) == "no error");
}

TEST_CASE("each constraint is named where it is broken", "[constraints]") {
  const Broken cases[] = {
      {"clamp_c1", "%0 = \"stablehlo.clamp\"(%v, %x, %s) : (tensor<3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>"},
      {"clamp_c2", "%0 = \"stablehlo.clamp\"(%s, %x, %s) : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>"},
      {"select_c2", "%0 = \"stablehlo.select\"(%p, %x, %i) : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>"},
      {"compare_c1", "%0 = \"stablehlo.compare\"(%x, %i) {comparison_direction = \"EQ\"} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi1>"},
      {"convert_c1", "%0 = \"stablehlo.convert\"(%x) : (tensor<2x3xf32>) -> tensor<3xf64>"},
      {"is_finite_c1", "%0 = \"stablehlo.is_finite\"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>"},
      {"reduce_precision_c1", "%0 = \"stablehlo.reduce_precision\"(%x) {exponent_bits = 0 : i64, mantissa_bits = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>"},
      {"reduce_precision_c2", "%0 = \"stablehlo.reduce_precision\"(%x) {exponent_bits = 1 : i64, mantissa_bits = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>"},
      {"reduce_precision_c3", "%0 = \"stablehlo.reduce_precision\"(%x) {exponent_bits = 1 : i64, mantissa_bits = 1 : i64} : (tensor<2x3xf32>) -> tensor<3xf32>"},
      {"constant_c1", "%0 = \"stablehlo.constant\"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>"},
      {"optimization_barrier_c1", "%0 = \"stablehlo.optimization_barrier\"(%x) : (tensor<2x3xf32>) -> tensor<3xf32>"},
      {"reverse_c2", "%0 = \"stablehlo.reverse\"(%x) {dimensions = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>"},
      {"concatenate_c4", "%0 = \"stablehlo.concatenate\"(%x, %x) {dimension = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"},
      {"dot_general_c4", "%0 = \"stablehlo.dot_general\"(%x, %v) {lhs_contracting_dimensions = array<i64: 1>, rhs_contracting_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>"},
      {"dynamic_slice_c1", "%0 = \"stablehlo.dynamic_slice\"(%x, %n) {slice_sizes = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<i32>) -> tensor<1x1xf32>"},
      {"dynamic_slice_c1", "%0 = \"stablehlo.dynamic_slice\"(%x, %n, %s) {slice_sizes = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<i32>, tensor<f32>) -> tensor<1x1xf32>"},
      {"dynamic_slice_c2", "%0 = \"stablehlo.dynamic_slice\"(%x, %n, %n) {slice_sizes = array<i64: 3, 1>} : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x1xf32>"},
      {"dynamic_slice_c3", "%0 = \"stablehlo.dynamic_slice\"(%x, %n, %n) {slice_sizes = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x1xf32>"},
      {"dynamic_update_slice_c1", "%0 = \"stablehlo.dynamic_update_slice\"(%x, %x, %n) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>"},
      {"dynamic_update_slice_c2", "%0 = \"stablehlo.dynamic_update_slice\"(%x, %v, %n, %n) : (tensor<2x3xf32>, tensor<3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>"},
      {"dynamic_update_slice_c3", "%0 = \"stablehlo.dynamic_update_slice\"(%x, %x, %n, %n) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3xf32>"},
      {"get_dimension_size_c3", "%0 = \"stablehlo.get_dimension_size\"(%x) {dimension = 2 : i64} : (tensor<2x3xf32>) -> tensor<i32>"},
      {"get_dimension_size_c4", "%0 = \"stablehlo.get_dimension_size\"(%x) {dimension = 1 : i64} : (tensor<2x3xf32>) -> tensor<i64>"},
      {"dynamic_reshape_c1", "%0 = \"stablehlo.dynamic_reshape\"(%x, %v) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<1x2x3xf32>"},
      {"custom_call_c1", "\"stablehlo.custom_call\"(%x, %v) {call_target_name = \"check.expect_eq\"} : (tensor<2x3xf32>, tensor<3xf32>) -> ()"},
      {"complex_c1", "%0 = \"stablehlo.complex\"(%x, %i) : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xcomplex<f32>>"},
      {"complex_c2", "%0 = \"stablehlo.complex\"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f64>>"},
      {"real_c1", "%0 = \"stablehlo.real\"(%x) : (tensor<2x3xf32>) -> tensor<3xf32>"},
      {"call_c1", "%0 = func.call @nobody(%s) : (tensor<f32>) -> tensor<f32>"},
      {"call_c2", "%0 = func.call @two(%s) : (tensor<f32>) -> tensor<f32>"},
      {"call_c3", "%0:2 = func.call @two(%s, %s) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)"},
      {"if_c1", "%0 = \"stablehlo.if\"(%n) ({\nstablehlo.return %s : tensor<f32>\n}, {\nstablehlo.return %s : tensor<f32>\n}) : (tensor<i32>) -> tensor<f32>"},
      {"if_c2", "%0 = \"stablehlo.if\"(%p) ({\nstablehlo.return %s : tensor<f32>\n}) : (tensor<i1>) -> tensor<f32>"},
      {"if_c3", "%0 = \"stablehlo.if\"(%p) ({\nstablehlo.return %s : tensor<f32>\n}, {\nstablehlo.return %v : tensor<3xf32>\n}) : (tensor<i1>) -> tensor<f32>"},
      {"case_c1", "%0 = \"stablehlo.case\"(%p) ({\nstablehlo.return %s : tensor<f32>\n}) : (tensor<i1>) -> tensor<f32>"},
      {"while_c1", "%0 = \"stablehlo.while\"(%s) ({\n^bb0(%a: tensor<i32>):\nstablehlo.return %p : tensor<i1>\n}, {\n^bb0(%a: tensor<f32>):\nstablehlo.return %a : tensor<f32>\n}) : (tensor<f32>) -> tensor<f32>"},
      {"while_c2", "%0 = \"stablehlo.while\"(%s) ({\n^bb0(%a: tensor<f32>):\nstablehlo.return %a : tensor<f32>\n}, {\n^bb0(%a: tensor<f32>):\nstablehlo.return %a : tensor<f32>\n}) : (tensor<f32>) -> tensor<f32>"},
      {"while_c3", "%0 = \"stablehlo.while\"(%s) ({\n^bb0(%a: tensor<f32>):\nstablehlo.return %p : tensor<i1>\n}, {\n^bb0(%a: tensor<f32>):\nstablehlo.return %v : tensor<3xf32>\n}) : (tensor<f32>) -> tensor<f32>"},
      {"while_c4", "%0 = \"stablehlo.while\"(%s) ({\n^bb0(%a: tensor<f32>):\nstablehlo.return %p : tensor<i1>\n}, {\n^bb0(%a: tensor<f32>):\nstablehlo.return %a : tensor<f32>\n}) : (tensor<f32>) -> tensor<3xf32>"},
      {"sort_c2", "%0 = \"stablehlo.sort\"(%x) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\nstablehlo.return %p : tensor<i1>\n}) {dimension = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>"},
      {"sort_c1", "%0:2 = \"stablehlo.sort\"(%x, %v) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\nstablehlo.return %p : tensor<i1>\n}) {dimension = 0 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)"},
      {"sort_c3", "%0 = \"stablehlo.sort\"(%x) ({\n^bb0(%a: tensor<f32>):\nstablehlo.return %p : tensor<i1>\n}) {dimension = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>"},
      {"sort_c4", "%0 = \"stablehlo.sort\"(%x) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\nstablehlo.return %p : tensor<i1>\n}) {dimension = 0 : i64} : (tensor<2x3xf32>) -> tensor<3xf32>"},
  };
  for (const Broken& broken : cases) {
    const std::string error = error_with(broken.op);
    INFO(broken.op << "\n" << error);
    CHECK(error.find(std::string(broken.label) + ":") != std::string::npos);
  }
}

TEST_CASE("scatter constraints", "[constraints]") {
  const auto label = [](const std::string& op, const char* expected) {
    INFO(error_with(op));
    CHECK(error_with(op).find(std::string(expected) + ":") != std::string::npos);
  };
  label(scatter("update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]"), "scatter_c2");
  label(scatter("update_window_dims = [0], scatter_dims_to_operand_dims = [0]"), "scatter_c2");
  label(scatter("update_window_dims = [0], inserted_window_dims = [2], scatter_dims_to_operand_dims = [0]"), "scatter_c3");
  label(scatter("update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1]"), "scatter_c4");
  label(scatter("update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"), "scatter_c5");
  label(scatter("update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]", "%n : tensor<i32>",
                "({\n^bb0(%a: tensor<f32>):\nstablehlo.return %a : tensor<f32>\n})"), "scatter_c6");
}
