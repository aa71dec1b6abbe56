#include "tests/passes/lowering.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "core/eval/interpreter.h"
#include "core/ir/text.h"
#include "core/pass/pipeline.h"
#include "passes/codegen/jit.h"
#include "passes/codegen/passes.h"
#include "passes/lower/passes.h"
#include "passes/optimize/passes.h"
#include "tests/support/pass_checks.h"

namespace stele::test {
namespace {

void check_close(const std::vector<Tensor>& expected, const std::vector<Tensor>& actual, double tolerance) {
  REQUIRE(expected.size() == actual.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Tensor &want = expected[i], &got = actual[i];
    REQUIRE(want.type() == got.type());
    if (want.bitwise_equal(got)) continue;
    double largest = 0;
    for (int64_t k = 0; k < want.elements(); ++k) {
      if (std::isfinite(want.get(k))) largest = std::max(largest, std::fabs(want.get(k)));
    }
    const bool floats = is_float(want.dtype());
    const double bound = floats ? std::max(tolerance, tolerance == 0 ? 0 : 2 * epsilon(want.dtype())) * largest : 0;
    for (int64_t k = 0; k < want.elements(); ++k) {
      const double a = want.get(k), b = got.get(k);
      const bool close = std::isnan(a) ? std::isnan(b) : a == b || std::fabs(a - b) <= bound;
      if (!close) FAIL(fmt::format("result {}, element {}: {}, expected {} within {}", i, k, b, a, bound));
    }
    if (tolerance == 0 && floats) {
      for (int64_t k = 0; k < want.elements(); ++k) CHECK(std::signbit(want.get(k)) == std::signbit(got.get(k)));
    }
  }
}

void check_traffic(const Module& module, const std::vector<Tensor>& inputs) {
  std::map<OpId, KernelTraffic> traffic;
  EvalOptions options;
  options.traffic = &traffic;
  run(module, inputs, options);
  const Binding binding = stele::bind(module.main(), inputs);
  for (const Operation& op : module.main().body()) {
    if (!op.is("loop.kernel")) continue;
    const Cost cost = op_def(op).cost(op);
    CHECK(traffic[op.id()].read == cost.bytes_read.evaluate(binding));
    CHECK(traffic[op.id()].written == cost.bytes_written.evaluate(binding));
  }
}

bool is_lowered(const Module& module) {
  for (const Operation& op : module.main().body()) {
    if (has_trait(op, Trait::terminator) || has_trait(op, Trait::constant) || has_trait(op, Trait::view)) continue;
    if (level_of(op) != Level::machine) return false;
  }
  return true;
}

}  // namespace

void check_lowering(std::string_view text, const LoweringCheck& check) {
  check_lowering(parse(text, {.file = "<test>", .blobs = {}}), check);
}

void check_fused_lowering(std::unique_ptr<Module> module, const LoweringCheck& check) {
  Rewriter rewriter(*module);
  PassContext context{*module, rewriter, {}};
  fuse.run(context);
  check_lowering(std::move(module), check);
}

void check_lowering(std::unique_ptr<Module> module, const LoweringCheck& check) {
  verify(*module);
  const std::vector<Tensor> inputs = check.inputs.empty() ? random_inputs(*module, small_binding(*module, check.binding), check.seed) : check.inputs;
  const std::vector<Tensor> expected = run(*module, inputs);
  Jit jit;
  EvalOptions options;
  options.runner = &jit;
  const Pass* const passes[] = {&lower_to_loops, &vectorize, &parallelize, &emit_llvm, &optimize_llvm, &emit_assembly};
  for (const Pass* pass : passes) {
    INFO("after " << pass->name);
    auto after = module->clone();
    Rewriter rewriter(*after);
    PassContext context{*after, rewriter, {}};
    pass->run(context);
    const uint64_t rewrites = rewriter.log().size();
    INFO(print(*after));
    verify(*after);
    const bool machine = pass->stage == Stage::codegen;
    const double tolerance = check.exact_loops && !machine ? 0 : check.tolerance;
    check_close(expected, run(*after, inputs, options), tolerance);
    for (uint64_t k = 1; k < rewrites; k += std::max<uint64_t>(1, rewrites / 4)) {
      INFO("with the first " << k << " rewrites");
      const auto prefix = run_prefix(*module, *pass, k, {});
      verify(*prefix);
      check_close(expected, run(*prefix, inputs, options), tolerance);
    }
    if (check.traffic && pass->stage == Stage::lower) check_traffic(*after, inputs);
    module = std::move(after);
  }
  if (check.all_lowered) CHECK(is_lowered(*module));
}

}  // namespace stele::test
