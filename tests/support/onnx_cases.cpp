#include "tests/support/onnx_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <set>

#include "core/eval/interpreter.h"
#include "core/ops/op_def.h"
#include "core/pass/rewriter.h"
#include "passes/capture/onnx.h"
#include "passes/capture/open_model.h"
#include "passes/represent/passes.h"
#include "tests/support/single_op.h"

namespace stele::test {
namespace {

namespace fs = std::filesystem;

struct Skip {
  std::string why;
};

void run_pass(const Pass& pass, Module& module) {
  Rewriter rewriter(module);
  PassOptions options;
  PassContext context{module, rewriter, options};
  pass.run(context);
  verify(module);
}

std::unique_ptr<Module> module_at(const fs::path& folder, CaseLevel level) {
  std::unique_ptr<Module> module = open_model(folder.string());
  walk(*module, [](const Operation& op) {
    if (!find_op(op.name())) throw Skip{op.describe() + " is not known"};
    if (op.has("not_read")) throw Skip{op.describe() + " was not read: " + op.get_or<std::string>("not_read", "")};
  });
  if (level != CaseLevel::captured) run_pass(infer_shapes, *module);
  if (level == CaseLevel::decomposed) run_pass(decompose, *module);
  return module;
}

std::vector<Tensor> inputs_of(const Module& module, const std::string& folder) {
  try {
    return read_inputs(module.main(), folder);
  } catch (const Error& error) {
    throw Skip{error.what()};
  }
}

Expectations expected_of(const Module& module, const std::string& folder) {
  try {
    return read_expectations(module.main(), folder);
  } catch (const Error& error) {
    throw Skip{error.what()};
  }
}

// Empty where all is well; the first element that is not, in words.
std::string difference(const Tensor& actual, const Tensor& expected, const CaseBounds& bounds) {
  if (actual.sizes() != expected.sizes() || actual.dtype() != expected.dtype()) {
    return fmt::format("has type {}, expected {}", actual.type().str(), expected.type().str());
  }
  if (is_float(expected.dtype()) && relative_error(actual, expected) <= std::max(bounds.of_largest, 2 * epsilon(expected.dtype()))) return "";
  for (int64_t i = 0; i < expected.elements(); ++i) {
    const double x = actual.get(i), y = expected.get(i);
    const bool same = x == y || (std::isnan(x) && std::isnan(y));
    if (same || (is_float(expected.dtype()) && std::fabs(x - y) <= bounds.absolute + bounds.relative * std::fabs(y))) continue;
    return fmt::format("element {} is {}, expected {}", i, x, y);
  }
  return "";
}

void fail_with(CaseReport& report, std::string why) {
  if (report.status == CaseStatus::passed) report.why = std::move(why);
  report.status = CaseStatus::failed;
}

void compare(const Module& module, const std::string& folder, const CaseBounds& bounds, CaseReport& report) {
  const std::vector<Tensor> inputs = inputs_of(module, folder);
  const Expectations expected = expected_of(module, folder);
  const std::vector<Tensor> results = run(module, inputs);
  const auto any_reference = [&] { return std::any_of(expected.references.begin(), expected.references.end(), [](const Tensor& t) { return t.present(); }); };
  EvalOptions in_f64;
  in_f64.wide = true;
  const std::vector<Tensor> wide = any_reference() ? run(module, inputs, in_f64) : std::vector<Tensor>();
  for (size_t i = 0; i < results.size(); ++i) {
    if (expected.outputs[i].present()) {
      const std::string why = difference(results[i], expected.outputs[i], bounds);
      if (!why.empty()) fail_with(report, fmt::format("output {}: {}", i, why));
      report.error = std::max(report.error, relative_error(results[i], expected.outputs[i]));
    }
    if (expected.references[i].present()) {
      const double error = relative_error(wide[i], expected.references[i]);
      if (!(error <= bounds.reference)) fail_with(report, fmt::format("output {} in f64: {:.3g} off the reference", i, error));
      report.wide_error = std::max(report.wide_error, error);
    }
  }
}

bool uses_only(const fs::path& folder, const std::set<std::string>& only) {
  if (only.empty()) return true;
  bool all = true;
  try {
    const std::unique_ptr<Module> module = open_model(folder.string());
    walk(*module, [&](const Operation& op) {
      all = all && (only.count(op.name()) != 0 || op.name() == "func.return" || op.name() == "onnx.Constant" || op.name() == "onnx.None");
    });
  } catch (const Error&) {
    return false;  // the reader's own test looks at these
  }
  return all;
}

std::vector<fs::path> case_folders(const fs::path& root) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() == "model.onnx") folders.push_back(entry.path().parent_path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace

CaseReport run_case(const fs::path& folder, CaseLevel level, const CaseBounds& bounds) {
  CaseReport report;
  report.name = folder.filename().string();
  try {
    const std::unique_ptr<Module> module = module_at(folder, level);
    const std::vector<std::string> sets = data_sets(folder.string());
    if (sets.empty()) throw Skip{"has no test_data_set"};
    for (const std::string& set : sets) compare(*module, set, bounds, report);
  } catch (const Skip& skip) {
    report.status = CaseStatus::skipped;
    report.why = skip.why;
  } catch (const Error& error) {
    fail_with(report, error.what());
  }
  return report;
}

std::string CaseSummary::str() const { return fmt::format("{} passed, {} failed, {} skipped", passed, failed, skipped); }

CaseSummary run_cases(const fs::path& root, CaseLevel level, const std::vector<std::string>& only, const CaseBounds& bounds) {
  const std::set<std::string> ops(only.begin(), only.end());
  CaseSummary summary;
  for (const fs::path& folder : case_folders(root)) {
    if (!uses_only(folder, ops)) continue;
    CaseReport report = run_case(folder, level, bounds);
    if (report.status == CaseStatus::passed) ++summary.passed;
    if (report.status == CaseStatus::skipped) ++summary.skipped;
    if (report.status == CaseStatus::failed) ++summary.failed;
    if (report.status != CaseStatus::passed) std::cout << (report.status == CaseStatus::failed ? "FAILED " : "SKIPPED ") << report.name << ": " << report.why << "\n";
    if (report.status == CaseStatus::failed) summary.failures.push_back(std::move(report));
  }
  return summary;
}

}  // namespace stele::test
