#include "core/ir/text.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/ir/builder.h"
#include "core/ir/verify.h"
#include "tests/support/paths.h"

using namespace stele;

namespace {

// Parses, prints, parses again and prints again: both prints must be one text.
std::string round_trip(const std::string& text) {
  const PrintOptions options{.identity = true, .elide_above = -1};
  const std::string once = print(*parse(text), options);
  CHECK(print(*parse(once), options) == once);
  return print(*parse(text));
}

std::string in_main(const std::string& arguments, const std::string& body) {
  return "module {\n  func.func public @main(" + arguments + ") -> () {\n" + body + "    return\n  }\n}\n";
}

std::string error_of(const std::string& text) {
  try {
    parse(text, {.file = "x.mlir"});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a module prints as it was written", "[text]") {
  const std::string text = R"(module @m {
  func.func public @main(%x: tensor<?x4xf32, #stele.dims<batch>>) -> (tensor<?x4xf32, #stele.dims<batch>> {stele.name = "y"}) {
    %0 = stablehlo.constant dense<[1.000000e+00, 2.500000e-01, -0.000000e+00, 0x7FC00000]> : tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #stele.dims<batch>>
    %sum = stablehlo.add %x, %1 : tensor<?x4xf32, #stele.dims<batch>>
    return %sum : tensor<?x4xf32, #stele.dims<batch>>
  }
}
)";
  const std::string printed = round_trip(text);
  CHECK(printed.find("attributes {stele.symbols = {batch = array<i64: 1, 9223372036854775807>}}") != std::string::npos);
  CHECK(printed.substr(printed.find("  func.func")) == text.substr(text.find("  func.func")));
}

TEST_CASE("StableHLO's own forms print as they were written", "[text]") {
  const std::string arguments = "%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %p: tensor<2x3xi1>, %i: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x5xf32>";
  const std::string body = R"(    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.slice %a [0:1, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
    %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%a init: %2) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %4 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %5 = stablehlo.select %p, %a, %a : tensor<2x3xi1>, tensor<2x3xf32>
    %6 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [0, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<1x8x8x5xf32>
    %7 = stablehlo.iota dim = 0 : tensor<8xi32>
    %8 = stablehlo.pad %a, %2, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x4xf32>
    %9:2 = stablehlo.reduce(%a init: %2), (%a init: %2) across dimensions = [0] : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
     reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<f32>, %arg3: tensor<f32>) {
      %10 = stablehlo.add %arg0, %arg2 : tensor<f32>
      stablehlo.return %10, %arg1 : tensor<f32>, tensor<f32>
    }
    %11 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
)";
  const std::string printed = round_trip(in_main(arguments, body));
  CHECK(printed == in_main(arguments, body));
}

TEST_CASE("a dimension's expression survives, in types and in attributes", "[text]") {
  const std::string body = "    %0 = loop.dim() {value = #stele.dim<[2*n + 1, (n floordiv 4)]>} : () -> index\n";
  CHECK(round_trip(in_main("%x: tensor<?x?xf16, #stele.dims<2*n + 1, max(m, n)>>", body)).find("#stele.dims<2*n + 1, max(m, n)>") != std::string::npos);
}

TEST_CASE("names that are no identifiers come back", "[text]") {
  Module module;
  Builder builder(module);
  Function& main = builder.add_function("main");
  Value* x = builder.add_argument(main.body(), Type::tensor(DType::f32, {4}), "in put/0");
  builder.at_end(main.body());
  Operation* op = builder.create("onnx.Relu", {x}, {x->type()});
  builder.set_label(op, "node \"1\"");
  builder.set_name(op->result(), "arg0");
  builder.set_identity(op, 7, {3, 4});
  builder.create("func.return", {op->result()}, {});
  builder.set_results(main, {x->type()}, {"out"});
  const auto again = parse(print(module, {.identity = true}));
  const Operation* copy = again->main().body().first();
  CHECK(again->main().body().argument(0)->name() == "in put/0");
  CHECK(copy->label() == "node \"1\"");
  CHECK(copy->result()->name() == "arg0");
  CHECK(copy->id() == 7);
  CHECK(copy->derived_from() == std::vector<OpId>{3, 4});
  CHECK(again->main().output_names() == std::vector<std::string>{"out"});
}

TEST_CASE("elided constants come back from resources and from a blob source", "[text]") {
  std::string values;
  for (int i = 0; i < 32; ++i) values += (i ? ", " : "") + std::to_string(i) + ".0";
  const auto module = parse(in_main("", "    %0 = stablehlo.constant dense<[" + values + "]> : tensor<32xf32>\n"));
  const auto constant = [](const Module& m) { return m.main().body().first()->get<Tensor>("value"); };
  const std::string with = print(*module, {.resources = true});
  CHECK(with.find("dense_resource<") != std::string::npos);
  CHECK(constant(*parse(with)).bitwise_equal(constant(*module)));
  const std::string without = print(*module);
  CHECK_THROWS_AS(parse(without), Error);
  CHECK(constant(*parse(without, {.blobs = [&](const std::string&) { return constant(*module).blob(); }})).bitwise_equal(constant(*module)));
}

TEST_CASE("broken text is refused with file, line, column and reason", "[text]") {
  CHECK(error_of("") == "x.mlir:1:1: module has no function");
  CHECK(error_of("module {\n  func.func @main() -> () {\n    %0 = stablehlo.add %a, %a : tensor<f32>\n") ==
        "x.mlir:3:24: value %a is not defined here");
  CHECK(error_of("module {\n  func.func @main(%x: tensor<4xf33>) -> () {\n") == "x.mlir:2:32: element type 'f33' is not known");
  CHECK(error_of(in_main("%x: tensor<4000000000x4000000000xf32>", "")).find("overflows") != std::string::npos);
  CHECK(error_of(in_main("", "    %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>\n")).find("expected ','") != std::string::npos);
  CHECK(error_of(in_main("", "    %0 = stablehlo.constant dense<[1]> : tensor<1000000000xi32>\n")).find("fewer elements") != std::string::npos);
  CHECK(error_of(in_main("%x: tensor<f32>", "    %x = stablehlo.negate %x : tensor<f32>\n")).find("defined twice") != std::string::npos);
  CHECK(error_of("module {\n" + std::string(100000, '(')).find("x.mlir:2:1") == 0);
}

TEST_CASE("verify_structure names the op and the constraint", "[text]") {
  const auto module = parse(in_main("%x: tensor<f32>", "    %0 = stablehlo.negate %x : tensor<f32>\n"));
  CHECK_NOTHROW(verify_structure(*module));
  Builder builder(*module);
  builder.at_end(module->main().body());
  Value* late = builder.create_value("stablehlo.negate", {module->main().body().argument(0)}, Type::tensor(DType::f32, {}));
  builder.before(module->main().body().first());
  builder.create_value("stablehlo.abs", {late}, late->type());
  CHECK_THROWS_WITH(verify_structure(*module), Catch::Contains("ir_c1") && Catch::Contains("stablehlo.abs"));
}

TEST_CASE("StableHLO's own programs parse and print to the same module", "[text]") {
  const auto folder = test::shared("conformance/stablehlo_testdata");
  if (!folder) return test::skip("StableHLO programs", "conformance/stablehlo_testdata is not there");
  int parsed = 0, quantized = 0, other = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    std::unique_ptr<Module> module;
    try {
      module = parse(text.str(), {.file = entry.path().filename()});
    } catch (const Error& error) {
      ++(std::string(error.what()).find("quantized") != std::string::npos ? quantized : other);
      continue;
    }
    ++parsed;
    const PrintOptions options{.identity = true, .elide_above = -1};
    const std::string once = print(*module, options);
    INFO(entry.path().filename());
    CHECK(print(*parse(once), options) == once);
  }
  INFO(quantized << " quantized, " << other << " of other forms");
  CHECK(parsed >= 1340);
}
