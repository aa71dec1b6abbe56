#include "core/eval/interpreter.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/ir/text.h"
#include "core/ops/checks.h"
#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

const Dim batch = Dim::symbol("batch");

// y = tanh(x), z = y + x, with both results placed in an arena of 32 bytes (two f32 [4] tensors fit apart).
std::unique_ptr<Module> placed(int64_t tanh_offset, int64_t add_offset, int64_t arena = 32) {
  auto module = module_of({Type::tensor(DType::f32, {4})}, [&](Builder& b, const std::vector<Value*>& x) {
    const Type type = x[0]->type();
    Value* y = b.create_value("stablehlo.tanh", {x[0]}, type, {{"placement", Shape{tanh_offset}}});
    Value* z = b.create_value("stablehlo.exponential", {x[0]}, type, {{"placement", Shape{add_offset}}});
    return std::vector<Value*>{build::add(b, y, z)};
  });
  Builder(*module).set_function_attribute(module->main(), "arena", Shape{arena});
  return module;
}

}  // namespace

TEST_CASE("bind takes symbols from sizes", "[interpreter]") {
  const auto module = module_of({Type::tensor(DType::f32, {batch * 2 + 1}), Type::tensor(DType::f32, {batch, 3})},
                                [](Builder&, const std::vector<Value*>& x) { return x; });
  CHECK(stele::bind(module->main(), {f32({5}, {1, 2, 3, 4, 5}), Tensor(DType::f32, {2, 3})}).at("batch") == 2);
  CHECK(stele::bind(module->main(), {Tensor(DType::f32, {7}), Tensor(DType::f32, {3, 3})}, {{"other", 1}}).size() == 2);
}

TEST_CASE("bind names the input that does not fit", "[interpreter]") {
  const auto module = module_of({Type::tensor(DType::f32, {batch, 3}), Type::tensor(DType::f32, {batch})},
                                [](Builder&, const std::vector<Value*>& x) { return x; });
  const auto error = [&](const std::vector<Tensor>& inputs, const Binding& given = {}) {
    return error_of([&] { stele::bind(module->main(), inputs, given); });
  };
  const Tensor x(DType::f32, {2, 3}), y(DType::f32, {2});
  CHECK(error({x, y}) == "no error");
  CHECK(error({x, Tensor(DType::f32, {4})}) == "input 'x1' has sizes [4], expected [2] of type tensor<?xf32, #stele.dims<batch>>");
  CHECK(error({Tensor(DType::f32, {2, 4}), y}).find("input 'x0' has sizes [2, 4], expected [2, 3]") == 0);
  CHECK(error({x, y}, {{"batch", 5}}).find("input 'x0'") == 0);
  CHECK(error({Tensor(DType::i32, {2, 3}), y}).find("input 'x0' has type tensor<2x3xi32>") == 0);
  CHECK(error({x}).find("given 1 inputs, expected 2") != std::string::npos);
}

TEST_CASE("bounds of symbols are held", "[interpreter]") {
  const auto module = module_of({Type::tensor(DType::f32, {batch})}, [](Builder&, const std::vector<Value*>& x) { return x; });
  module->symbols["batch"] = {1, 8};
  CHECK(error_of([&] { run(*module, {Tensor(DType::f32, {9})}); }) == "dimension 'batch' is 9, expected 1 to 8");
}

TEST_CASE("a right memory plan changes nothing, a wrong one gives wrong values", "[interpreter]") {
  const Tensor x = f32({4}, {0, 1, 2, 3});
  const Tensor expected = evaluate_one({x}, [](Builder& b, auto& in) { return build::add(b, build::tanh(b, in[0]), build::exponential(b, in[0])); });
  CHECK(run(*placed(0, 16), {x})[0].bitwise_equal(expected));
  CHECK(run(*placed(-1, 16), {x})[0].bitwise_equal(expected));
  CHECK_FALSE(run(*placed(0, 0), {x})[0].bitwise_equal(expected));
  CHECK_FALSE(run(*placed(0, 8), {x})[0].bitwise_equal(expected));
  CHECK(error_of([&] { run(*placed(0, 20), {x}); }).find("outside the arena") != std::string::npos);
}

TEST_CASE("the f64 reference is not put into the arena", "[interpreter]") {
  const Tensor x = f32({4}, {0, 1, 2, 3});
  const Tensor y = run(*placed(0, 0), {x}, {.wide = true})[0];
  CHECK(y.dtype() == DType::f64);
  CHECK(y.get(1) == std::tanh(1.0) + std::exp(1.0));
}

TEST_CASE("results outlive the arena", "[interpreter]") {
  auto module = module_of({Type::tensor(DType::f32, {2})}, [&](Builder& b, const std::vector<Value*>& x) {
    Value* y = b.create_value("stablehlo.negate", {x[0]}, x[0]->type(), {{"placement", Shape{0}}});
    return std::vector<Value*>{build::reshape(b, y, {2, 1})};
  });
  Builder(*module).set_function_attribute(module->main(), "arena", Shape{8});
  const Tensor y = run(*module, {f32({2}, {1, 2})})[0];
  CHECK(values(y) == std::vector<double>{-1, -2});
}

TEST_CASE("an op nobody knows is named with its node and domain", "[interpreter]") {
  const auto module = module_of({Type::tensor(DType::f32, {1})}, [](Builder& b, const std::vector<Value*>& x) {
    b.set_origin({}, "/layer/3");
    return std::vector<Value*>{b.create_value("onnx.Frobnicate", {x[0]}, x[0]->type(), {{"domain", "com.example"}})};
  });
  CHECK(error_of([&] { run(*module, {f32({1}, {1})}); }) == "onnx.Frobnicate '/layer/3': op is not known (domain 'com.example')");
}

TEST_CASE("control: while, if, case, call", "[interpreter]") {
  const auto module = parse(R"(module {
  func.func public @main(%n: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = "stablehlo.while"(%n, %zero) ({
    ^bb0(%i: tensor<i32>, %sum: tensor<i32>):
      %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%i: tensor<i32>, %sum: tensor<i32>):
      %s = stablehlo.add %sum, %i : tensor<i32>
      %j = stablehlo.subtract %i, %one : tensor<i32>
      stablehlo.return %j, %s : tensor<i32>, tensor<i32>
    }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    %big = stablehlo.compare GT, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = "stablehlo.if"(%big) ({
      %d = func.call @double(%n) : (tensor<i32>) -> tensor<i32>
      stablehlo.return %d : tensor<i32>
    }, {
      stablehlo.return %zero : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    %2 = "stablehlo.case"(%n) ({
      stablehlo.return %zero : tensor<i32>
    }, {
      stablehlo.return %one : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    return %0#1, %1, %2 : tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func private @double(%x: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.add %x, %x : tensor<i32>
    return %0 : tensor<i32>
  }
})");
  verify(*module);
  const auto at = [&](int64_t n) {
    std::vector<int64_t> results;
    for (const Tensor& t : run(*module, {i32({}, {n})})) results.push_back(t.get_int(0));
    return results;
  };
  CHECK(at(4) == std::vector<int64_t>{10, 8, 1});
  CHECK(at(0) == std::vector<int64_t>{0, 0, 0});
  CHECK(at(-3) == std::vector<int64_t>{0, 0, 1});
}

TEST_CASE("recursion ends in an error", "[interpreter]") {
  const auto module = parse(R"(module {
  func.func public @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = func.call @main(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
})");
  CHECK(error_of([&] { run(*module, {f32({}, {1})}); }).find("nested deeper than 100") != std::string::npos);
}

TEST_CASE("a failed check is told from a bad program", "[interpreter]") {
  const auto module = parse(R"(module {
  func.func public @main(%x: tensor<2xf32>, %y: tensor<2xf32>) {
    stablehlo.custom_call @check.expect_close(%x, %y) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return
  }
})");
  verify(*module);
  CHECK(run(*module, {f32({2}, {1, NAN}), f32({2}, {1.0000002, NAN})}).empty());
  CHECK_THROWS_AS(run(*module, {f32({2}, {1, 2}), f32({2}, {1, 2.1})}), CheckFailed);
  CHECK(error_of([&] { run(*module, {f32({2}, {1, 2}), f32({2}, {1, 3})}); }) ==
        "stablehlo.custom_call: check.expect_close: element [1] is 2, expected 3");
}

TEST_CASE("a fusion gives what its region gives", "[interpreter]") {
  const auto module = parse(R"(module {
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = kernel.fusion(%x) ({
    ^bb0(%a: tensor<3xf32>):
      %1 = stablehlo.add %a, %a : tensor<3xf32>
      kernel.yield(%1) : (tensor<3xf32>) -> ()
    }) {kind = "loop"} : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})");
  verify(*module);
  CHECK(values(run(*module, {f32({3}, {1, 2, 3})})[0]) == std::vector<double>{2, 4, 6});
}

TEST_CASE("on_op sees each op of main in order", "[interpreter]") {
  const auto module = module_of({Type::tensor(DType::f32, {1})}, [](Builder& b, const std::vector<Value*>& x) {
    return std::vector<Value*>{build::exponential(b, build::negate(b, x[0]))};
  });
  std::string seen;
  EvalOptions options;
  options.on_op = [&](const Operation& op, const std::vector<Tensor>& results) { seen += fmt::format("{}={} ", op.name(), results.at(0).get(0)); };
  run(*module, {f32({1}, {0})}, options);
  CHECK(seen == "stablehlo.negate=-0 stablehlo.exponential=1 func.return=1 ");
}

TEST_CASE("machine code without a runner is unavailable", "[interpreter]") {
  const auto module = module_of({Type::tensor(DType::f32, {1})}, [](Builder& b, const std::vector<Value*>& x) {
    return std::vector<Value*>{b.create_value("machine.kernel", {x[0]}, x[0]->type(), {{"symbol", "f"}})};
  });
  CHECK_THROWS_AS(run(*module, {f32({1}, {1})}), Unavailable);
}

TEST_CASE("a result larger than the machine is refused before it is made", "[interpreter]") {
  const auto module = module_of({}, [](Builder& b, const std::vector<Value*>&) {
    return std::vector<Value*>{build::iota(b, Type::tensor(DType::f64, {int64_t{1} << 36}), 0)};
  });
  CHECK(error_of([&] { run(*module, {}); }).find("more than this machine's memory") != std::string::npos);
}
