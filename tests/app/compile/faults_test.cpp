// Every fault, on real models through the real pipeline: pinned on exactly the pass and the rewrite in which it acted.

#include "app/compile/faults.h"

#include <catch2/catch.hpp>

#include "app/compile/runner.h"
#include "core/debug/bisect.h"
#include "passes/capture/open_model.h"
#include "passes/stacks/stele.h"
#include "tests/support/pass_checks.h"
#include "tests/support/paths.h"

using namespace stele;

namespace {

std::vector<std::string> models() {
  // Folded constants, dead code and an inferred type, which the samples are without.
  std::vector<std::string> paths = {(test::source_dir() / "tests/app/compile/faults_model.mlir").string()};
  for (const char* name : {"capstone", "transformer", "convnet"}) paths.push_back((test::source_dir() / "samples" / name / "model.onnx").string());
  for (const char* name : {"gpt2_tiny", "llama_tiny", "shufflenet_v2_x0_5"}) {
    if (const auto path = test::shared(std::string("models/") + name + "/model.onnx")) paths.push_back(path->string());
  }
  return paths;
}

std::unique_ptr<Subject> subject_of(const std::string& path, KernelRunner* runner) {
  const std::shared_ptr<const Module> module = open_model(path);
  const std::vector<std::string> data = data_sets(path);
  std::vector<Tensor> inputs = data.empty() ? test::random_inputs(*module, Binding(), 1) : read_inputs(module->main(), data.front());
  return std::make_unique<Subject>(module, stele_pipeline(), PassOptions(), std::move(inputs), Binding(), runner);
}

bool in_pipeline(std::string_view pass) {
  for (const PipelineEntry& entry : stele_pipeline()) {
    if (entry.pass->name == pass) return true;
  }
  return false;
}

// Whether the fault was found in the model; checks that what was found is what was injected.
bool pinned(const Fault& fault, const std::string& path, KernelRunner* runner) {
  const auto subject = subject_of(path, runner);
  BisectOptions options;
  options.fault = &fault;
  options.reduction.seconds = 2;
  const BisectReport report = bisect(*subject, options);
  if (report.pass.empty()) return false;
  INFO(fault.name << " in " << path << ": " << report.comparison.str());
  CHECK(report.applied);
  CHECK(report.pass == fault.pass);
  CHECK(report.snapshot == report.injected_snapshot);
  CHECK(report.rule == report.injected_rule);
  CHECK(report.number == report.injected_number);
  CHECK(report.ops_reduced <= report.ops_before);
  const Replay again = replay(read_repro(report.repro, "repro"), stele_pipeline(), all_faults(), runner);
  CHECK(!again.after.ok());
  return true;
}

}  // namespace

TEST_CASE("faults/each is pinned on its pass and rewrite, and found in some model", "[faults]") {
  const auto runner = make_runner(1);
  for (const Fault& fault : all_faults()) {
    INFO(fault.name);
    CHECK(in_pipeline(fault.pass));
    int found = 0;
    for (const std::string& path : models()) found += pinned(fault, path, runner.get());
    CHECK(found > 0);
  }
}

TEST_CASE("faults/none is invented where none was injected", "[faults]") {
  const auto runner = make_runner(1);
  for (const std::string& path : models()) {
    const auto subject = subject_of(path, runner.get());
    const BisectReport report = bisect(*subject, {});
    INFO(path << ": " << report.pass << "/" << report.rule << ": " << report.comparison.str());
    CHECK(report.pass.empty());
    CHECK(report.deterministic);
  }
}
