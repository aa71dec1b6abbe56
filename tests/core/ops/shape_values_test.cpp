#include "core/ops/shape_values.h"

#include <catch2/catch.hpp>

#include "core/ir/text.h"
#include "core/ops/op_def.h"
#include "core/ops/rules.h"

using namespace stele;

namespace {

// What is known of the operand of the function's return.
std::optional<std::string> known(const std::string& body, const std::string& type = "tensor<1xi64>") {
  const std::string text = "func.func @main(%x: tensor<?x3x?xf32, #stele.dims<batch, seq>>, %n: tensor<1xi64>) -> " + type + " {\n" + body +
                           "\n  return %r : " + type + "\n}\n";
  const auto module = parse(text);
  const auto dims = known_dims(module->main().body().terminator()->operand(0));
  if (!dims) return std::nullopt;
  return str(*dims);
}

const std::string shape = R"(  %s = "onnx.Shape"(%x) : (tensor<?x3x?xf32, #stele.dims<batch, seq>>) -> tensor<3xi64>
)";
std::string constant(const std::string& name, int64_t value) {
  return "  %" + name + " = stablehlo.constant dense<" + std::to_string(value) + "> : tensor<1xi64>\n";
}

}  // namespace

TEST_CASE("known_dims follows how exporters compute shapes", "[onnx]") {
  const std::string pair = "(tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>";
  const std::string pick = shape + constant("i", -1) + R"(  %d = "onnx.Gather"(%s, %i) : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
)" + constant("k", 2);
  CHECK(known(pick + R"(  %r = "onnx.Mul"(%d, %k) : )" + pair) == "[2*seq]");
  CHECK(known(pick + R"(  %r = "onnx.Add"(%d, %k) : )" + pair) == "[seq + 2]");
  CHECK(known(pick + R"(  %r = "onnx.Sub"(%d, %d) : )" + pair) == "[0]");
  CHECK(known(pick + R"(  %r = "onnx.Div"(%d, %k) : )" + pair) == "[(seq floordiv 2)]");
  CHECK(known(pick + R"(  %r = "onnx.Concat"(%d, %k) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>)", "tensor<2xi64>") == "[seq, 2]");
  CHECK(known(shape + constant("a", 1) + constant("b", 99) + R"(  %r = "onnx.Slice"(%s, %a, %b) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>)", "tensor<2xi64>") ==
        "[3, seq]");
  // Where(shape == -1, 1, shape): how an Expand that keeps dims is exported.
  CHECK(known(pick + constant("m", -1) + R"(  %e = "onnx.Equal"(%d, %m) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %r = "onnx.Where"(%e, %k, %d) : (tensor<1xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>)") == "[seq]");
}

TEST_CASE("known_dims says nothing where the run decides", "[onnx]") {
  const std::string pair = "(tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>";
  CHECK_FALSE(known(constant("k", 2) + R"(  %r = "onnx.Add"(%n, %k) : )" + pair));
  // seq - 5 may well be -1.
  CHECK_FALSE(known(shape + constant("i", 2) + constant("k", 5) + constant("m", -1) + R"(  %d = "onnx.Gather"(%s, %i) : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %f = "onnx.Sub"(%d, %k) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %r = "onnx.Equal"(%f, %m) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>)", "tensor<1xi1>"));
  // A chain that doubles an expression at every op is given up, not followed until memory ends.
  std::string chain = shape + constant("i", 2) + R"(  %d0 = "onnx.Gather"(%s, %i) : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
)";
  for (int i = 0; i < 60; ++i) {
    const std::string from = "%d" + std::to_string(i), to = i == 59 ? "%r" : "%d" + std::to_string(i + 1);
    chain += "  " + to + " = \"onnx.Mul\"(" + from + ", " + from + ") : " + pair + "\n";
  }
  CHECK_FALSE(known(chain));
}
