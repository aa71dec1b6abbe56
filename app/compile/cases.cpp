#include "app/compile/cases.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/compile/compile.h"
#include "core/debug/inputs.h"
#include "passes/capture/open_model.h"
#include "passes/stacks/stele.h"

namespace stele {
namespace {

namespace fs = std::filesystem;

bool has_checks(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  return text.find("check.expect") != std::string::npos;
}

bool is_case(const fs::path& path) {
  return path.filename() == "model.onnx" || (path.extension() == ".mlir" && has_checks(path));
}

std::string case_name(const fs::path& model, const fs::path& root) {
  const fs::path named = model.filename() == "model.onnx" ? model.parent_path() : model;
  const std::string relative = named.lexically_relative(root).string();
  return relative.empty() || relative == "." ? named.filename().string() : relative;
}

// The first op of the framework level that Stele does not know, for a skip that names it.
const Operation* unknown_op(const Module& module) {
  const Operation* unknown = nullptr;
  walk(module, [&](const Operation& op) {
    if (!unknown && !find_op(op.name())) unknown = &op;
  });
  return unknown;
}

class CaseRun {
 public:
  CaseRun(const StopOptions& options, const PassOptions& pass_options, KernelRunner* runner)
      : options_(options), pass_options_(pass_options), runner_(runner) {}

  CaseResult run(const TestCase& test) {
    const std::shared_ptr<const Module> module = open_model(test.model);
    if (const Operation* op = unknown_op(*module)) return {CaseStatus::skipped, op->describe() + " is not known", 0, 0};
    if (fs::path(test.model).extension() == ".mlir" && has_checks(test.model)) return run_program(module);
    const std::vector<std::string> sets = fs::path(test.model).extension() == ".onnx" ? data_sets(test.model) : std::vector<std::string>();
    if (sets.empty()) run_generated(module);
    for (const std::string& folder : sets) run_set(module, folder);
    if (result_.status == CaseStatus::passed) {
      result_.why = fmt::format("{} runs, largest error {:.2g} of its bound", result_.executions, result_.worst);
    }
    return result_;
  }

 private:
  // A program checks itself: running it is all.
  CaseResult run_program(const std::shared_ptr<const Module>& module) {
    Subject subject(module, stele_pipeline(), pass_options_, {}, {}, runner_);
    for_each_stop(subject, options_, [&](const Stop& stop, const Module& at) {
      try {
        subject.execute(at);
      } catch (const Unavailable&) {
        throw;
      } catch (const Error& error) {
        fail("at {}: {}", stop.str(), error.what());
      }
    });
    return {CaseStatus::passed, fmt::format("{} runs, its checks hold", subject.executions()), subject.executions(), 0};
  }

  void run_generated(const std::shared_ptr<const Module>& module) {
    const Binding binding = complete_binding(*module, pass_options_.binding);
    InputOptions inputs;
    inputs.seed = options_.seed;
    Subject subject(module, stele_pipeline(), pass_options_, make_inputs(module->main(), binding, inputs), binding, runner_);
    visit(subject, {});
  }

  void run_set(const std::shared_ptr<const Module>& module, const std::string& folder) {
    Subject subject(module, stele_pipeline(), pass_options_, read_inputs(module->main(), folder), pass_options_.binding, runner_);
    visit(subject, read_expectations(module->main(), folder));
  }

  void visit(Subject& subject, const Expectations& expected) {
    const bool has_reference = std::any_of(expected.references.begin(), expected.references.end(), [](const Tensor& t) { return t.present(); });
    for_each_stop(subject, options_, [&](const Stop& stop, const Module& module) {
      const std::vector<Tensor> outputs = subject.execute(module);
      judge(stop, "reference", subject.against_given(outputs, expected.references, stop.reassociations));
      judge(stop, "expected output", subject.against_outputs(outputs, expected.outputs, stop.reassociations, !has_reference));
      if (expected.empty() || options_.through != Through::eval) {
        judge(stop, "float64 evaluation", subject.against_reference(outputs, stop.reassociations));
      }
    });
    result_.executions += subject.executions();
  }

  void judge(const Stop& stop, const char* against, const Comparison& comparison) {
    if (comparison.tolerance.relative > 0) result_.worst = std::max(result_.worst, comparison.error / comparison.tolerance.relative);
    if (comparison.ok() || result_.status == CaseStatus::failed) return;
    result_.status = CaseStatus::failed;
    result_.why = fmt::format("at {}, against the {}: {}", stop.str(), against, comparison.str());
  }

  const StopOptions& options_;
  const PassOptions& pass_options_;
  KernelRunner* runner_;
  CaseResult result_;
};

}  // namespace

std::string_view name(CaseStatus status) {
  constexpr std::string_view names[] = {"passed", "failed", "skipped"};
  return names[static_cast<size_t>(status)];
}

std::vector<TestCase> find_cases(const std::vector<std::string>& paths) {
  std::vector<TestCase> cases;
  for (const std::string& path : paths) {
    const size_t before = cases.size();
    if (!fs::exists(path)) fail("{}: no such file or folder", path);
    if (!fs::is_directory(path)) {
      cases.push_back({case_name(path, fs::path(path).parent_path()), path});
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file() && is_case(entry.path())) cases.push_back({case_name(entry.path(), path), entry.path().string()});
    }
    if (cases.size() == before) fail("{}: holds no model.onnx and no program with checks", path);
  }
  std::stable_sort(cases.begin(), cases.end(), [](const TestCase& a, const TestCase& b) { return a.model < b.model; });
  return cases;
}

CaseResult run_case(const TestCase& test, const StopOptions& options, const PassOptions& pass_options, KernelRunner* runner) {
  try {
    return CaseRun(options, pass_options, runner).run(test);
  } catch (const Unavailable& error) {
    return {CaseStatus::skipped, error.what(), 0, 0};
  } catch (const Error& error) {
    // What Stele says it does not support is no failure, but is shown.
    const bool unsupported = std::string_view(error.what()).ends_with("not supported");
    return {unsupported ? CaseStatus::skipped : CaseStatus::failed, error.what(), 0, 0};
  }
}

}  // namespace stele
