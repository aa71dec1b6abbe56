// A pipeline is a table of passes. Running it leaves a snapshot after each.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/pass/pass.h"

namespace stele {

struct PipelineEntry {
  const Pass* pass;
  std::string_view why;  // why here
};
using Pipeline = std::vector<PipelineEntry>;

// Snapshot 0 is the module as captured; snapshot N the module after pass N. Unchanged ones share the module before.
struct Snapshot {
  int index = 0;
  std::string name;  // the pass's name; "capture" for 0
  Stage stage = Stage::capture;
  Contract contract;
  bool changed = true;
  std::shared_ptr<const Module> module;
  std::vector<RewriteEvent> rewrites;
  double ms = 0;           // the pass alone
  double snapshot_ms = 0;  // keeping this snapshot
};

// Fuel for one pass of a run, and a listener inside it: how the bisector stops within a pass and injects faults.
struct PassIntervention {
  int index = 0;  // of the pass, from 1; 0: none
  uint64_t fuel = unlimited_fuel;
  Rewriter::Listener listener;
};

struct PipelineRun {
  PassOptions options;
  bool verify_each = true;                 // after each pass that changed something
  bool keep_snapshots = true;              // false: only the last
  int stop_after = -1;                     // index of the last pass to run; -1: all
  PassIntervention intervention;
  std::function<void(const Snapshot&)> on_snapshot;      // called as each is kept
  std::function<void(int index, int total, std::string_view pass)> on_progress;
  const std::atomic<bool>* cancel = nullptr;  // Error("cancelled") between passes
};

// Runs the passes in order on `module` (consumed). Throws Error naming the pass where one breaks the module, or claims
// no change while the module changed.
std::vector<Snapshot> run_pipeline(std::unique_ptr<Module> module, const Pipeline& pipeline, const PipelineRun& run);

// The module before pass `index` with the first `fuel` of that pass's rewrites applied.
std::unique_ptr<Module> run_prefix(const Module& before, const Pass& pass, uint64_t fuel, const PassOptions& options,
                                   const Rewriter::Listener& listener = nullptr);

}  // namespace stele
