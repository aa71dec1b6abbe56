// A model through the pipeline into a session: what `stele compile` and the viewer do alike.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/pass/pipeline.h"
#include "core/session/record.h"

namespace stele {

struct CompileRequest {
  std::string model;   // path, or how the module is called where `module` is given
  std::unique_ptr<Module> module;  // null: read from `model`
  std::string output;  // where the session is written; empty: nowhere
  PassOptions options;
  int stop_after = -1;
  std::function<void(int index, int total, std::string_view pass)> on_progress;
  std::function<void(const SnapshotRow&)> on_row;  // as each snapshot has been scored and written; from another thread
  const std::atomic<bool>* cancel = nullptr;
};

struct CompileResult {
  std::vector<SnapshotRow> rows;
  std::vector<Snapshot> snapshots;
  Binding binding;           // at which the scores hold: given, and 1 (or the least allowed) for what was not
  bool binding_chosen = false;  // some symbol got a value that nobody gave
  double read_ms = 0;        // reading the model
  double passes_ms = 0;      // the passes alone
  double total_ms = 0;       // all of it, the session written
  double keeping_ms = 0;     // what the compile's own thread spent on keeping snapshots: copies, queueing, waiting at the end
  double writing_ms = 0;     // busy time of the thread that scores and writes
};

// Throws Error; where it does, an older file at `output` stays, and a new one holds the snapshots written so far.
CompileResult compile_model(CompileRequest request);

// Every symbol of the module: the given value, else 1, or what its bounds allow nearest to that.
Binding complete_binding(const Module& module, const Binding& given);

// "batch=32, seq=16".
std::string binding_text(const Binding& binding);

// Fills level and score of the row, expressions where they are symbolic; returns each op's share.
OpShares fill_score(const Module& module, const Binding& binding, SnapshotRow& row);

}  // namespace stele
