// Whole models: as captured, with types inferred, decomposed, and at prefixes in between, against what PyTorch says.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "core/eval/interpreter.h"
#include "core/pass/pipeline.h"
#include "passes/capture/onnx.h"
#include "passes/capture/tensor_file.h"
#include "passes/represent/passes.h"
#include "tests/support/paths.h"
#include "tests/support/single_op.h"

using namespace stele;
using namespace stele::test;
namespace fs = std::filesystem;

namespace {

struct Case {
  std::vector<Tensor> inputs;
  Tensor output, reference;
};

Case read_case(const fs::path& folder) {
  Case c;
  for (int i = 0; fs::exists(folder / fmt::format("input_{}.pb", i)); ++i) {
    c.inputs.push_back(read_tensor((folder / fmt::format("input_{}.pb", i)).string()).second);
  }
  c.output = read_tensor((folder / "output_0.pb").string()).second;
  c.reference = read_tensor((folder / "reference_0.pb").string()).second;
  return c;
}

// f32 rounds a few dozen times on the way; the float64 run differs by f32 constants that PyTorch has in float64.
void check_agrees(const Module& module, const Case& c) {
  CHECK(relative_error(run(module, c.inputs)[0], c.output) < 5e-6);
  EvalOptions wide;
  wide.wide = true;
  CHECK(relative_error(run(module, c.inputs, wide)[0], c.reference) < 1e-6);
}

void check_model(const fs::path& folder) {
  INFO(folder.filename().string());
  const auto captured = read_onnx((folder / "model.onnx").string());
  const Case c = read_case(folder / "test_data_set_0");
  check_agrees(*captured, c);
  const auto inferred = run_prefix(*captured, infer_shapes, unlimited_fuel, {});
  auto lowered = inferred->clone();
  Rewriter rewriter(*lowered);
  const PassOptions options;
  PassContext context{*lowered, rewriter, options};
  decompose.run(context);
  verify(*lowered);
  CHECK(level_of(*lowered) == Level::tensor);
  check_agrees(*lowered, c);
  const uint64_t rewrites = rewriter.log().size();
  for (uint64_t part = 1; part < 4; ++part) {
    INFO("after " << rewrites * part / 4 << " of " << rewrites << " rewrites");
    const auto prefix = run_prefix(*inferred, decompose, rewrites * part / 4, {});
    verify(*prefix);
    check_agrees(*prefix, c);
  }
}

}  // namespace

TEST_CASE("the samples agree at framework level, decomposed, and in between", "[models]") {
  for (const char* name : {"capstone", "transformer", "convnet"}) check_model(source_dir() / "samples" / name);
}

TEST_CASE("the shared models agree at framework level, decomposed, and in between", "[models]") {
  const auto models = shared("models");
  if (!models) return skip("shared models", "no shared folder");
  std::set<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(*models)) {
    if (fs::exists(entry.path() / "model.onnx")) folders.insert(entry.path());
  }
  CHECK(folders.size() >= 8);
  for (const fs::path& folder : folders) check_model(folder);
}
