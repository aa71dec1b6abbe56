#include <catch2/catch.hpp>

#include "core/eval/interpreter.h"
#include "core/ir/text.h"
#include "core/ops/op_def.h"
#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

Value* number(Builder& b, int64_t value) {
  return b.create_value("loop.constant", {}, Type::index(), {{"value", Tensor::of_ints(DType::index, {}, {value})}});
}

// A kernel that copies x[0 … count) to its result in steps of `lanes`, and scales by 2.
std::unique_ptr<Module> doubling(int64_t size, int64_t count, int64_t lanes) {
  const Type type = Type::tensor(DType::f32, {size}), buffer = Type::buffer(DType::f32, {size});
  return module_of({type}, [&](Builder& b, const std::vector<Value*>& x) {
    Operation* kernel = b.create("loop.kernel", {x[0]}, {type}, {}, 1);
    Builder body(b.module());
    Value* from = body.add_argument(kernel->region(), buffer);
    Value* to = body.add_argument(kernel->region(), buffer);
    body.at_end(kernel->region());
    Operation* loop = body.create("loop.for", {number(body, 0), number(body, count)}, {}, {{"step", lanes}}, 1);
    body.create("loop.yield", {}, {});
    Value* i = body.add_argument(loop->region(), Type::index());
    body.at_end(loop->region());
    const Type element = lanes == 1 ? Type::scalar(DType::f32) : Type::vector(DType::f32, lanes);
    Value* value = body.create_value("loop.load", {from, i}, element);
    body.create("loop.store", {body.create_value("stablehlo.add", {value, value}, element), to, i}, {});
    body.create("loop.yield", {}, {});
    return kernel->results();
  });
}

std::string error_of_run(const Module& module, const Tensor& x) {
  return error_of([&] { run(module, {x}); });
}

}  // namespace

TEST_CASE("loop evaluator: scalars and vectors", "[loop-evaluator]") {
  const Tensor x = f32({8}, {1, 2, 3, 4, 5, 6, 7, 0.1});
  for (int64_t lanes : {1, 4, 8}) {
    const auto module = doubling(8, 8, lanes);
    verify(*module);
    const Tensor y = run(*module, {x}).at(0);
    for (int64_t i = 0; i < 8; ++i) CHECK(y.get(i) == static_cast<float>(2 * x.get(i)));
  }
}

TEST_CASE("loop evaluator: what is not written stays zero", "[loop-evaluator]") {
  const Tensor y = run(*doubling(4, 3, 1), {f32({4}, {1, 2, 3, 4})}).at(0);
  CHECK(values(y) == std::vector<double>{2, 4, 6, 0});
}

TEST_CASE("loop evaluator: an access out of bounds names kernel, buffer and subscript", "[loop-evaluator]") {
  const std::string scalar = error_of_run(*doubling(4, 5, 1), f32({4}, {1, 2, 3, 4}));
  CHECK(scalar.find("loop.kernel") != std::string::npos);
  CHECK(scalar.find("reads the buffer of operand 0 at 4 on axis 0, which has 4") != std::string::npos);
  const std::string vector = error_of_run(*doubling(6, 6, 4), f32({6}, {1, 2, 3, 4, 5, 6}));
  CHECK(vector.find("at 4 to 7") != std::string::npos);
}

TEST_CASE("loop evaluator: counts distinct bytes", "[loop-evaluator]") {
  std::map<OpId, KernelTraffic> traffic;
  EvalOptions options;
  options.traffic = &traffic;
  const auto module = doubling(8, 6, 1);
  run(*module, {f32({8}, {1, 2, 3, 4, 5, 6, 7, 8})}, options);
  REQUIRE(traffic.size() == 1);
  CHECK(traffic.begin()->second.read == 24);
  CHECK(traffic.begin()->second.written == 24);
}

TEST_CASE("loop evaluator: the reference is in f64", "[loop-evaluator]") {
  EvalOptions options;
  options.wide = true;
  const Tensor y = run(*doubling(1, 1, 1), {Tensor::of_doubles(DType::f64, {1}, {0.1})}, options).at(0);
  CHECK(y.dtype() == DType::f64);
  CHECK(y.get(0) == 0.2);
}

TEST_CASE("loop ops: constraints are refused by their label", "[loop-evaluator]") {
  const auto broken = [](const std::function<void(Builder&, Value*, Value*)>& make) {
    const Type type = Type::tensor(DType::f32, {4});
    const auto module = module_of({type}, [&](Builder& b, const std::vector<Value*>& x) {
      Operation* kernel = b.create("loop.kernel", {x[0]}, {type}, {}, 1);
      Builder body(b.module());
      Value* from = body.add_argument(kernel->region(), Type::buffer(DType::f32, {4}));
      Value* to = body.add_argument(kernel->region(), Type::buffer(DType::f32, {4}));
      body.at_end(kernel->region());
      make(body, from, to);
      body.create("loop.yield", {}, {});
      return kernel->results();
    });
    return error_of([&] { verify(*module); });
  };
  CHECK(broken([](Builder& b, Value* from, Value*) { b.create("loop.load", {from}, {Type::scalar(DType::f32)}); }).find("loop_load_c2") != std::string::npos);
  CHECK(broken([](Builder& b, Value* from, Value*) { b.create("loop.load", {from, number(b, 0)}, {Type::scalar(DType::f64)}); }).find("loop_load_c1") != std::string::npos);
  CHECK(broken([](Builder& b, Value*, Value* to) { b.create("loop.store", {number(b, 0), to, number(b, 0)}, {}); }).find("loop_store_c1") != std::string::npos);
  CHECK(broken([](Builder& b, Value* from, Value*) { b.create("loop.view", {from}, {Type::buffer(DType::f32, {5})}); }).find("loop_view_c1") != std::string::npos);
  CHECK(broken([](Builder& b, Value*, Value*) {
          Operation* loop = b.create("loop.for", {number(b, 0), number(b, 4)}, {}, {{"step", 0}}, 1);
          Builder body(b.module());
          body.add_argument(loop->region(), Type::index());
          body.at_end(loop->region());
          body.create("loop.yield", {}, {});
        }).find("loop_for_c1") != std::string::npos);
}
