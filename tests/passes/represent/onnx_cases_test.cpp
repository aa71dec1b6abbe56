// ONNX's own cases of single ops, by Stele's evaluator and by the decomposition.
#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <set>

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

std::vector<Tensor> read_all(const fs::path& folder, const char* stem) {
  std::vector<Tensor> tensors;
  for (int i = 0; fs::exists(folder / fmt::format("{}_{}.pb", stem, i)); ++i) {
    tensors.push_back(read_tensor((folder / fmt::format("{}_{}.pb", stem, i)).string()).second);
  }
  return tensors;
}

// ONNX's backend tests allow a relative 1e-3 and an absolute 1e-7.
std::string difference(const Tensor& got, const Tensor& expected) {
  if (got.dtype() != expected.dtype() || got.sizes() != expected.sizes()) return got.type().str() + ", expected " + expected.type().str();
  for (int64_t i = 0; i < expected.elements(); ++i) {
    const double x = got.get(i), y = expected.get(i);
    const bool same = (std::isnan(x) && std::isnan(y)) || x == y || std::fabs(x - y) <= 1e-7 + 1e-3 * std::fabs(y);
    if (!same) return fmt::format("element {} is {}, expected {}", i, x, y);
  }
  return "";
}

bool is_one_op(const Module& module) {
  int count = 0;
  walk(module, [&](const Operation& op) { count += level_of(op) == Level::framework && !has_trait(op, Trait::constant) && !op.is("onnx.None"); });
  return count == 1;
}

// What the pass promises of one op, relative to the largest value of a result.
void check_contract(const Module& module, const Module& lowered, const fs::path& folder) {
  const std::vector<Tensor> inputs = read_all(folder / "test_data_set_0", "input");
  const std::vector<Tensor> own = run(module, inputs), results = run(lowered, inputs);
  for (size_t i = 0; i < own.size(); ++i) {
    const double allowed = is_float(own[i].dtype()) ? decompose.contract.bound_ulp * epsilon(own[i].dtype()) : 0;
    CHECK(relative_error(results[i], own[i]) <= allowed);
  }
}

std::string check_results(const Module& module, const fs::path& folder) {
  for (int set = 0; fs::exists(folder / fmt::format("test_data_set_{}", set)); ++set) {
    const fs::path data = folder / fmt::format("test_data_set_{}", set);
    const std::vector<Tensor> results = run(module, read_all(data, "input")), expected = read_all(data, "output");
    for (size_t i = 0; i < expected.size(); ++i) {
      if (const std::string wrong = difference(results.at(i), expected[i]); !wrong.empty()) return fmt::format("output {}: {}", i, wrong);
    }
  }
  return "";
}

std::string unknown_op(const Module& module) {
  std::string name;
  walk(module, [&](const Operation& op) { name = name.empty() && !find_op(op.name()) ? op.name() : name; });
  return name;
}

struct Tally {
  int evaluated = 0, decomposed = 0, failed = 0;
  std::map<std::string, int> skipped;  // by reason

  void run_case(const fs::path& folder) {
    std::unique_ptr<Module> module;
    try {
      module = read_onnx((folder / "model.onnx").string());
      for (const auto& entry : fs::directory_iterator(folder / "test_data_set_0")) read_tensor(entry.path().string());
    } catch (const Error&) {
      ++skipped["not tensors, or of an element type that Stele does not have"];
      return;
    }
    if (!unknown_op(*module).empty()) {
      ++skipped["an op that Stele does not know"];
      return;
    }
    INFO(folder.filename().string());
    try {
      const std::string wrong = check_results(*module, folder);
      if (is_bf16_as_ui16(wrong)) return;
      CHECK(wrong == "");
      wrong.empty() ? ++evaluated : ++failed;
    } catch (const Error& error) {
      const std::string why = error.what();
      if (is_bf16_as_ui16(why)) return;
      const bool stated = why.find("not supported") != std::string::npos;
      CHECK((stated ? "" : why) == "");
      stated ? ++skipped["refused as not supported: training"] : ++failed;
      return;
    }
    decompose_case(*module, folder);
  }

  // The bf16 of these cases stands in its file as uint16.
  bool is_bf16_as_ui16(const std::string& wrong) {
    const bool found = wrong.find("bf16") != std::string::npos && wrong.find("ui16") != std::string::npos;
    if (found) ++skipped["bf16 written as uint16"];
    return found;
  }

  void decompose_case(const Module& module, const fs::path& folder) {
    std::unique_ptr<Module> lowered;
    try {
      lowered = run_prefix(*run_prefix(module, infer_shapes, unlimited_fuel, {}), decompose, unlimited_fuel, {});
    } catch (const Error& error) {
      const std::string why = error.what();
      // What these cases give as an input and a model holds as a constant: axes, bounds, repeats.
      const bool runtime = why.find("before the run") != std::string::npos;
      const bool stated = why.find("does not decompose") != std::string::npos || why.find("not decomposed") != std::string::npos ||
                          why.find("not supported") != std::string::npos;
      CHECK((runtime || stated ? "" : why) == "");
      ++skipped[runtime ? "evaluated, not decomposed: a shape, axes or bounds are inputs" : "evaluated, not decomposed: stated"];
      return;
    }
    const std::string wrong = check_results(*lowered, folder);
    CHECK(wrong == "");
    if (is_one_op(module)) check_contract(module, *lowered, folder);
    wrong.empty() ? ++decomposed : ++failed;
  }
};

}  // namespace

TEST_CASE("ONNX's node cases by the evaluator and by decomposition", "[onnx]") {
  const auto folder = onnx_testdata("node");
  if (!folder) return skip("ONNX's node cases", "libonnx-testdata is not installed");
  std::set<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(*folder)) {
    if (fs::exists(entry.path() / "model.onnx")) cases.insert(entry.path());
  }
  Tally tally;
  for (const fs::path& path : cases) tally.run_case(path);
  std::cout << fmt::format("ONNX node cases: {} evaluated, {} of them decomposed too, {} failed", tally.evaluated, tally.decomposed, tally.failed);
  for (const auto& [why, count] : tally.skipped) std::cout << fmt::format("; {} {}", count, why);
  std::cout << std::endl;
  CHECK(tally.failed == 0);
  CHECK(tally.evaluated > 400);
}
