// Real models through the passes that promise the same bits: after each, and after prefixes drawn inside each.
#include <catch2/catch.hpp>
#include <random>

#include "core/eval/interpreter.h"
#include "core/pass/pipeline.h"
#include "passes/capture/onnx.h"
#include "passes/capture/tensor_file.h"
#include "passes/lower/passes.h"
#include "passes/optimize/passes.h"
#include "passes/represent/passes.h"
#include "tests/support/paths.h"

namespace stele::test {
namespace {

const Pass* const passes[] = {&infer_shapes, &canonicalize, &decompose, &canonicalize, &fold_constants, &common_subexpressions, &dead_code, &fuse, &plan_memory};

std::vector<Tensor> inputs_of(const Module& module, const std::filesystem::path& folder) {
  std::vector<Tensor> inputs;
  for (unsigned i = 0; i < module.main().body().argument_count(); ++i) {
    inputs.push_back(read_tensor(folder / "test_data_set_0" / fmt::format("input_{}.pb", i)).second);
  }
  return inputs;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Tensor& x, const Tensor& y) { return x.bitwise_equal(y); });
}

int kernels_of(const Module& module) {
  int kernels = 0;
  for (const Operation& op : module.main().body()) {
    kernels += !has_trait(op, Trait::view) && !has_trait(op, Trait::constant) && !has_trait(op, Trait::terminator);
  }
  return kernels;
}

void check_prefixes(const Module& before, const Pass& pass, uint64_t rewrites, const std::vector<Tensor>& inputs, const std::vector<Tensor>& expected) {
  std::mt19937 random(7);
  for (int sample = 0; sample < 3 && rewrites > 1; ++sample) {
    const uint64_t fuel = 1 + random() % (rewrites - 1);
    INFO("with " << fuel << " of " << rewrites << " rewrites");
    const auto prefix = run_prefix(before, pass, fuel, {});
    REQUIRE_NOTHROW(verify(*prefix));
    CHECK(same_bits(run(*prefix, inputs), expected));
  }
}

// Kernels that the model is left with.
int check_model(const std::filesystem::path& folder) {
  INFO("model " << folder.filename());
  auto module = read_onnx(folder / "model.onnx");
  const std::vector<Tensor> inputs = inputs_of(*module, folder);
  for (const Pass* pass : passes) {
    INFO("pass " << pass->name);
    const auto before = module->clone();
    Rewriter rewriter(*module);
    const PassOptions options;
    PassContext context{*module, rewriter, options};
    pass->run(context);
    REQUIRE_NOTHROW(verify(*module));
    if (pass->contract.kind != Contract::exact) continue;
    const std::vector<Tensor> expected = run(*before, inputs);
    CHECK(same_bits(run(*module, inputs), expected));
    check_prefixes(*before, *pass, rewriter.log().size(), inputs, expected);
  }
  return kernels_of(*module);
}

}  // namespace

TEST_CASE("the samples keep their bits through the graph passes", "[graph_passes]") {
  for (const char* name : {"capstone", "transformer", "convnet"}) check_model(source_dir() / "samples" / name);
}

TEST_CASE("the shared models keep their bits through the graph passes, and come down to few kernels", "[graph_passes]") {
  const auto models = shared("models");
  if (!models) return skip("graph passes on the shared models", "no shared folder");
  // What fusion makes of them today; fewer is better.
  const std::pair<const char*, int> most[] = {{"capstone", 1},   {"gpt2_tiny", 29},          {"llama_tiny", 35},        {"bert_tiny", 27},
                                              {"vit_tiny", 29}, {"mobilenet_v3_small", 73}, {"shufflenet_v2_x0_5", 88}, {"squeezenet1_1", 38}};
  for (const auto& [name, kernels] : most) {
    INFO(name);
    CHECK(check_model(*models / name) <= kernels);
  }
}

}  // namespace stele::test
