// Real models and ONNX's own cases, evaluated as captured and after decompose.
#include <catch2/catch.hpp>
#include <iostream>

#include "tests/support/onnx_cases.h"
#include "tests/support/paths.h"

using namespace stele::test;

namespace {

constexpr CaseLevel levels[] = {CaseLevel::captured, CaseLevel::inferred, CaseLevel::decomposed};
constexpr const char* level_names[] = {"as captured", "types inferred", "decomposed"};

const std::vector<std::string> nn_ops = {
    "onnx.MatMul", "onnx.Gemm", "onnx.Conv", "onnx.MaxPool", "onnx.AveragePool", "onnx.GlobalAveragePool", "onnx.GlobalMaxPool",
    "onnx.BatchNormalization", "onnx.InstanceNormalization", "onnx.LayerNormalization", "onnx.Softmax", "onnx.LogSoftmax", "onnx.Gelu",
    "onnx.Identity", "onnx.Dropout", "onnx.Cast", "onnx.ConstantOfShape"};

}  // namespace

TEST_CASE("ONNX's own cases of the neural network ops", "[onnx]") {
  const auto root = onnx_testdata("node");
  if (!root) return skip("ONNX's own cases of the neural network ops", "libonnx-testdata is not installed");
  for (const CaseLevel level : levels) {
    const CaseSummary summary = run_cases(*root, level, nn_ops);
    std::cout << "neural network ops, " << level_names[static_cast<size_t>(level)] << ": " << summary.str() << "\n";
    CHECK(summary.passed > 80);
    for (const CaseReport& report : summary.failures) {
      // Training and strings are refused, in words, and two cases give an input of another shape than their model states;
      // nothing may be wrong in numbers.
      INFO(report.name << ": " << report.why);
      const auto says = [&](const char* words) { return report.why.find(words) != std::string::npos; };
      CHECK((says("not supported") || says("not known") || says("input 'like' has type")));
    }
  }
}

TEST_CASE("the shared models at framework and tensor level", "[onnx]") {
  const auto root = shared("models");
  if (!root) return skip("the shared models at framework and tensor level", "the shared models are not there");
  for (const CaseLevel level : levels) {
    const CaseSummary summary = run_cases(*root, level);
    for (const CaseReport& report : summary.failures) UNSCOPED_INFO(report.name << ": " << report.why);
    CHECK(summary.failed == 0);
    CHECK(summary.passed == 8);
  }
}

TEST_CASE("the samples at framework and tensor level", "[onnx]") {
  for (const CaseLevel level : levels) {
    const CaseSummary summary = run_cases(source_dir() / "samples", level);
    for (const CaseReport& report : summary.failures) UNSCOPED_INFO(report.name << ": " << report.why);
    CHECK(summary.failed == 0);
    CHECK(summary.passed == 3);
  }
}
