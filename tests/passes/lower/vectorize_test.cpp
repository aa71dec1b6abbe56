#include <catch2/catch.hpp>

#include "core/ops/build.h"
#include "core/runtime/cpu.h"
#include "passes/lower/passes.h"
#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

struct Loops {
  int vectors = 0, remainders = 0, parallel = 0, all = 0;
};

bool stores_vectors(const Operation& loop) {
  for (const Operation& op : loop.region()) {
    if (op.is("loop.store") && op.operand(0)->type().kind == TypeKind::vector) return true;
  }
  return false;
}

Loops loops_after(std::unique_ptr<Module> module, std::initializer_list<const Pass*> passes) {
  for (const Pass* pass : passes) {
    Rewriter rewriter(*module);
    PassContext context{*module, rewriter, {}};
    pass->run(context);
    verify(*module);
    // A second run finds nothing.
    Rewriter again(*module);
    PassContext second{*module, again, {}};
    pass->run(second);
    if (pass == &vectorize) CHECK(again.log().empty());
  }
  Loops loops;
  walk(*module, [&](Operation& op) {
    if (!op.is("loop.for")) return;
    ++loops.all;
    loops.vectors += stores_vectors(op);
    loops.remainders += op.has("remainder");
    loops.parallel += op.get_or<std::string>("mode", "serial") == "parallel";
  });
  return loops;
}

std::unique_ptr<Module> negated(Shape shape) {
  return module_of({Type::tensor(DType::f32, shape)}, [](Builder& b, const auto& x) { return std::vector<Value*>{build::negate(b, x[0])}; });
}

}  // namespace

TEST_CASE("vectorize: a remainder only where something remains", "[vectorize]") {
  const int64_t lanes = cpu_vector_bytes() / 4;
  Loops loops = loops_after(negated({4 * lanes}), {&lower_to_loops, &vectorize});
  CHECK(loops.vectors == 1);
  CHECK(loops.remainders == 0);
  loops = loops_after(negated({4 * lanes + 1}), {&lower_to_loops, &vectorize});
  CHECK(loops.vectors == 1);
  CHECK(loops.remainders == 1);
  loops = loops_after(negated({Dim::symbol("n")}), {&lower_to_loops, &vectorize});
  CHECK(loops.remainders == 1);
}

TEST_CASE("vectorize: leaves loops over elements that are not neighbours", "[vectorize]") {
  auto module = module_of({Type::tensor(DType::f32, {24, 40})}, [](Builder& b, const auto& x) { return std::vector<Value*>{build::transpose(b, x[0], {1, 0})}; });
  CHECK(loops_after(std::move(module), {&lower_to_loops, &vectorize}).vectors == 0);
  CHECK(loops_after(negated({3}), {&lower_to_loops, &vectorize}).vectors == 0);
}

TEST_CASE("parallelize: what is enough work, once a kernel", "[parallelize]") {
  CHECK(loops_after(negated({64}), {&lower_to_loops, &vectorize, &parallelize}).parallel == 0);
  CHECK(loops_after(negated({1 << 21}), {&lower_to_loops, &vectorize, &parallelize}).parallel == 1);
  auto product = module_of({Type::tensor(DType::f32, {64, 128}), Type::tensor(DType::f32, {128, 64})},
                           [](Builder& b, const auto& x) { return std::vector<Value*>{build::matmul(b, x[0], x[1])}; });
  CHECK(loops_after(std::move(product), {&lower_to_loops, &vectorize, &parallelize}).parallel == 1);
}

TEST_CASE("parallelize: a loop that carries a sum is left", "[parallelize]") {
  auto sum = module_of({Type::tensor(DType::f32, {1 << 20})}, [](Builder& b, const auto& x) { return std::vector<Value*>{build::reduce(b, x[0], "add", {0})}; });
  CHECK(loops_after(std::move(sum), {&lower_to_loops, &vectorize, &parallelize}).parallel == 0);
}
