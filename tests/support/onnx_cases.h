// Runs ONNX-style case folders: model.onnx, test_data_set_*/input_K.pb, output_K.pb (another runtime's), reference_K.pb
// (float64). Linked by tests that may use passes (stele_test_onnx in tests/CMakeLists.txt).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/ir/ir.h"

namespace stele::test {

enum class CaseStatus { passed, failed, skipped };

struct CaseReport {
  std::string name;
  CaseStatus status = CaseStatus::passed;
  std::string why;         // of a failure or a skip, one line
  double error = 0;        // largest against output_K, relative to the largest expected value
  double wide_error = 0;   // largest of the f64 run against reference_K, likewise
};

// Where a case's model is run: as captured, with its types inferred, or taken apart into tensor-level ops.
enum class CaseLevel { captured, inferred, decomposed };

struct CaseBounds {
  // |actual - expected| <= absolute + relative * |expected|, element by element: ONNX's own bounds by default; or
  double relative = 1e-3, absolute = 1e-7;
  double of_largest = 1e-6;  // <= that much of the largest |expected|
  // Of the f64 run against the reference, likewise. Exporters round folded weights and constants to f32, so it is not exact.
  double reference = 1e-6;
};

// Skips, saying why, where an op of the model is not known or a file holds no tensor.
CaseReport run_case(const std::filesystem::path& folder, CaseLevel level, const CaseBounds& bounds = {});

struct CaseSummary {
  int passed = 0, failed = 0, skipped = 0;
  std::vector<CaseReport> failures;
  std::string str() const;  // "N passed, N failed, N skipped"
};
// Every folder below `root` with a model.onnx, sorted. `only`: ops of which a case must use nothing but; empty: any case.
CaseSummary run_cases(const std::filesystem::path& root, CaseLevel level, const std::vector<std::string>& only = {},
                      const CaseBounds& bounds = {});

}  // namespace stele::test
