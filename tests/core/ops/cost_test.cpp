// The scoreboard's definitions, op by op.
#include <catch2/catch.hpp>

#include "core/ir/text.h"
#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

// Cost of the op that defines main's first result.
Cost cost_of(const std::vector<Type>& types, const std::function<Value*(Builder&, const std::vector<Value*>&)>& make) {
  const auto module = module_of(types, [&](Builder& b, const std::vector<Value*>& x) { return std::vector<Value*>{make(b, x)}; });
  const Operation& op = *module->main().body().terminator()->operand(0)->definition();
  return op_def(op).cost(op);
}

Cost fusion_cost(const std::string& arguments, const std::string& types, const std::string& body, const std::string& result) {
  const auto module = parse("module {\n  func.func public @main(%x: tensor<8x4xf32>, %i: tensor<2xi32>) -> " + result + " {\n    %0 = kernel.fusion(" + arguments +
                            ") ({\n" + body + "    }) {kind = \"loop\"} : " + types + " -> " + result + "\n    return %0 : " + result + "\n  }\n}");
  verify(*module);
  const Operation& op = *module->main().body().first();
  return op_def(op).cost(op);
}

const Dim batch = Dim::symbol("batch");
const Type x = Type::tensor(DType::f32, {batch, 4});

}  // namespace

TEST_CASE("an elementwise op reads its distinct operands and writes its result", "[cost]") {
  const Cost sum = cost_of({x, x}, [](Builder& b, auto& in) { return build::add(b, in[0], in[1]); });
  CHECK((sum.kernels == Dim(1) && sum.flops == batch * 4 && sum.bytes_read == batch * 32 && sum.bytes_written == batch * 16));
  const Cost twice = cost_of({x}, [](Builder& b, auto& in) { return build::add(b, in[0], in[0]); });
  CHECK(twice.bytes_read == batch * 16);
}

TEST_CASE("views and constants are free, a broadcast reads its operand only", "[cost]") {
  const Cost view = cost_of({x}, [](Builder& b, auto& in) { return build::reshape(b, in[0], {batch * 4}); });
  CHECK((view.kernels == Dim(0) && view.bytes_read == Dim(0) && view.bytes_written == Dim(0)));
  CHECK(cost_of({x}, [](Builder& b, auto&) { return build::scalar_constant(b, DType::f32, 1); }).kernels == Dim(0));
  const Cost broadcast = cost_of({Type::tensor(DType::f32, {4})}, [](Builder& b, auto& in) { return build::broadcast_to(b, in[0], {batch, 4}); });
  CHECK((broadcast.flops == Dim(0) && broadcast.bytes_read == Dim(16) && broadcast.bytes_written == batch * 16));
}

TEST_CASE("a slice and a gather count what they touch", "[cost]") {
  const Cost slice = cost_of({x}, [](Builder& b, auto& in) { return build::slice_axis(b, in[0], 1, 0, 1); });
  CHECK((slice.bytes_read == batch * 4 && slice.bytes_written == batch * 4));
  const Cost gather = cost_of({x, Type::tensor(DType::i32, {3})}, [](Builder& b, auto& in) { return build::take(b, in[0], in[1], 0); });
  CHECK((gather.bytes_read == Dim(48 + 12) && gather.bytes_written == Dim(48)));
}

TEST_CASE("contractions and reductions count their arithmetic", "[cost]") {
  const Cost product = cost_of({x, Type::tensor(DType::f32, {4, 8})}, [](Builder& b, auto& in) { return build::matmul(b, in[0], in[1]); });
  CHECK(product.flops == batch * (2 * 4 * 8));
  const Cost sum = cost_of({x}, [](Builder& b, auto& in) { return build::reduce(b, in[0], "add", {1}); });
  CHECK((sum.flops == batch * 4 && sum.bytes_written == batch * 4));
  const Cost convolution = cost_of({Type::tensor(DType::f32, {batch, 2, 8}), Type::tensor(DType::f32, {3, 2, 3})},
                                   [](Builder& b, auto& in) { return build::convolution(b, in[0], in[1], {.padding = {1, 1}}); });
  CHECK(convolution.flops == batch * (2 * 8 * 3 * 2 * 3));
}

TEST_CASE("arithmetic on registers is no launch", "[cost]") {
  const Type lanes = Type::vector(DType::f32, 8);
  const Cost cost = cost_of({lanes}, [](Builder& b, auto& in) { return build::add(b, in[0], in[0]); });
  CHECK((cost.kernels == Dim(0) && cost.bytes_read == Dim(0) && cost.flops == Dim(8)));
}

TEST_CASE("a fusion reads what its body touches, once", "[cost]") {
  const std::string add = "    ^bb0(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>):\n      %1 = stablehlo.add %a, %b : tensor<8x4xf32>\n"
                          "      kernel.yield(%1) : (tensor<8x4xf32>) -> ()\n";
  const Cost twice = fusion_cost("%x, %x", "(tensor<8x4xf32>, tensor<8x4xf32>)", add, "tensor<8x4xf32>");
  CHECK((twice.kernels == Dim(1) && twice.flops == Dim(32) && twice.bytes_read == Dim(128) && twice.bytes_written == Dim(128)));
  const Cost part = fusion_cost("%x", "(tensor<8x4xf32>)", "    ^bb0(%a: tensor<8x4xf32>):\n      %1 = stablehlo.slice %a [0:2, 0:4] : (tensor<8x4xf32>) -> tensor<2x4xf32>\n"
                                "      %2 = stablehlo.negate %1 : tensor<2x4xf32>\n      kernel.yield(%2) : (tensor<2x4xf32>) -> ()\n", "tensor<2x4xf32>");
  CHECK((part.bytes_read == Dim(32) && part.bytes_written == Dim(32)));
}

TEST_CASE("a fusion reads its constants but splats", "[cost]") {
  const auto with_constant = [](const std::string& value) {
    return fusion_cost("%x", "(tensor<8x4xf32>)", "    ^bb0(%a: tensor<8x4xf32>):\n      %c = stablehlo.constant dense<" + value + "> : tensor<4xf32>\n"
                       "      %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>\n      %2 = stablehlo.add %a, %1 : tensor<8x4xf32>\n"
                       "      kernel.yield(%2) : (tensor<8x4xf32>) -> ()\n", "tensor<8x4xf32>");
  };
  CHECK(with_constant("1.0").bytes_read == Dim(128));
  CHECK(with_constant("[1.0, 2.0, 3.0, 4.0]").bytes_read == Dim(128 + 16));
}

TEST_CASE("fusion constraints", "[cost]") {
  const auto error = [](const std::string& kind, const std::string& inner) {
    return error_of([&] {
      verify(*parse("module {\n  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n    %0 = kernel.fusion(%x) ({\n" + inner +
                    "    }) {kind = \"" + kind + "\"} : (tensor<2xf32>) -> tensor<2xf32>\n    return %0 : tensor<2xf32>\n  }\n}"));
    });
  };
  CHECK(error("loop", "    ^bb0(%a: tensor<2xf32>):\n      kernel.yield(%a) : (tensor<2xf32>) -> ()\n") == "no error");
  CHECK(error("cube", "    ^bb0(%a: tensor<2xf32>):\n      kernel.yield(%a) : (tensor<2xf32>) -> ()\n").find("fusion_c1") != std::string::npos);
  CHECK(error("loop", "    ^bb0(%a: tensor<3xf32>):\n      %1 = stablehlo.slice %a [0:2] : (tensor<3xf32>) -> tensor<2xf32>\n      kernel.yield(%1) : (tensor<2xf32>) -> ()\n").find("fusion_c2") != std::string::npos);
  CHECK(error("loop", "    ^bb0(%a: tensor<2xf32>):\n      stablehlo.return %a : tensor<2xf32>\n").find("fusion_c3") != std::string::npos);
  CHECK(error("loop", "    ^bb0(%a: tensor<2xf32>):\n      %1 = stablehlo.add %a, %x : tensor<2xf32>\n      kernel.yield(%1) : (tensor<2xf32>) -> ()\n").find("fusion_c4") != std::string::npos);
}
