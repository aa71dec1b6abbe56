// The differential tester: every snapshot against the one before and against the reference, then down to the rewrite, then
// the smallest graph that still breaks.
#pragma once

#include <functional>
#include <string>

#include "core/debug/reduce.h"
#include "core/debug/repro.h"

namespace stele {

struct BisectOptions {
  const Fault* fault = nullptr;  // injected; null: none
  bool reduce = true;
  ReduceOptions reduction;
  std::function<void(int index, int total, std::string_view pass)> on_progress;
};

struct SnapshotCheck {
  int index = 0;
  std::string name;
  Comparison predecessor;  // under the pass's contract
  Comparison reference;    // under the accumulated bound
};

struct BisectReport {
  Verdict verdict = Verdict::equal;  // equal: nothing is wrong
  bool deterministic = true;         // false: two runs of one module differed, and nothing was searched
  bool applied = false;              // the fault fired
  int snapshot = -1;
  std::string pass;                  // the culprit; empty: none
  std::string against;               // "predecessor" or "reference"
  std::string rule;                  // empty where the pass as a whole is to blame, or the capture
  uint64_t number = 0;
  RewriteEvent rewrite;
  Comparison comparison;
  size_t ops_before = 0, ops_reduced = 0;
  std::string repro;                 // text of the repro file; empty: none could be made
  int64_t executions = 0;            // until pass and rewrite were found
  int64_t executions_reducing = 0;   // afterwards, to make the graph small
  std::vector<SnapshotCheck> checks;
  std::string injected_rule;         // where the fault acted, to be compared with what was found
  uint64_t injected_number = 0;
  int injected_snapshot = 0;
};

BisectReport bisect(Subject& subject, const BisectOptions& options);

}  // namespace stele
