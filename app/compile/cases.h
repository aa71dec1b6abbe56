// Test cases as folders hold them: a model, and what it should give for which inputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/debug/stops.h"

namespace stele {

struct TestCase {
  std::string name;   // the folder, or the file, below what was named on the command line
  std::string model;  // path
};

// Every model.onnx and every program with checks (.mlir) in the folders, sorted; a model file named itself is a case.
// Throws Error naming the path where there is none.
std::vector<TestCase> find_cases(const std::vector<std::string>& paths);

enum class CaseStatus : uint8_t { passed, failed, skipped };
std::string_view name(CaseStatus status);

struct CaseResult {
  CaseStatus status = CaseStatus::passed;
  std::string why;         // of a failure or a skip; of a pass, how close it was
  int64_t executions = 0;
  double worst = 0;        // largest error as a share of its bound
};

// Never throws Error: what goes wrong is the result.
CaseResult run_case(const TestCase& test, const StopOptions& options, const PassOptions& pass_options, KernelRunner* runner);

}  // namespace stele
