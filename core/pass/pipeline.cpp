#include "core/pass/pipeline.h"

#include <chrono>

namespace stele {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

void verify_after(const Module& module, std::string_view pass) {
  try {
    verify(module);
  } catch (const Error& error) {
    fail("pass '{}' broke the module: {}", pass, error.what());
  }
}

Snapshot captured(const Module& module, const PipelineRun& run) {
  Snapshot snapshot;
  snapshot.name = "capture";
  const auto start = Clock::now();
  if (run.keep_snapshots) snapshot.module = module.clone();
  snapshot.snapshot_ms = ms_since(start);
  if (run.on_snapshot) run.on_snapshot(snapshot);
  return snapshot;
}

// A pass that claims nothing changed may not have made an op either: ids only grow.
void check_claim(const Rewriter& rewriter, const Module& module, OpId next_id_before, std::string_view pass) {
  if (!rewriter.changed() && module.next_id() != next_id_before) fail("pass '{}' changed the module without a rewrite", pass);
}

}  // namespace

std::vector<Snapshot> run_pipeline(std::unique_ptr<Module> module, const Pipeline& pipeline, const PipelineRun& run) {
  std::vector<Snapshot> snapshots;
  snapshots.push_back(captured(*module, run));
  const int total = static_cast<int>(pipeline.size());
  const int last = run.stop_after < 0 ? total : std::min(run.stop_after, total);
  for (int index = 1; index <= last; ++index) {
    const Pass& pass = *pipeline[static_cast<size_t>(index - 1)].pass;
    if (run.cancel && run.cancel->load()) throw Error("cancelled");
    if (run.on_progress) run.on_progress(index, total, pass.name);
    const bool intervene = run.intervention.index == index;
    Rewriter rewriter(*module, intervene ? run.intervention.fuel : unlimited_fuel, intervene ? run.intervention.listener : nullptr);
    PassContext context{*module, rewriter, run.options};
    Snapshot snapshot;
    snapshot.index = index;
    snapshot.name = pass.name;
    snapshot.stage = pass.stage;
    snapshot.contract = pass.contract;
    const OpId next_id = module->next_id();
    const auto start = Clock::now();
    pass.run(context);
    snapshot.ms = ms_since(start);
    check_claim(rewriter, *module, next_id, pass.name);
    snapshot.changed = rewriter.changed();
    if (snapshot.changed && run.verify_each) verify_after(*module, pass.name);
    const auto keep = Clock::now();
    if (run.keep_snapshots) {
      if (snapshot.changed) {
        snapshot.module = module->clone();
      } else {
        snapshot.module = snapshots.back().module;
      }
    }
    snapshot.rewrites = rewriter.take_log();
    snapshot.snapshot_ms = ms_since(keep);
    if (run.on_snapshot) run.on_snapshot(snapshot);
    snapshots.push_back(std::move(snapshot));
  }
  if (!run.keep_snapshots) snapshots.back().module = std::move(module);
  return snapshots;
}

std::unique_ptr<Module> run_prefix(const Module& before, const Pass& pass, uint64_t fuel, const PassOptions& options,
                                   const Rewriter::Listener& listener) {
  auto module = before.clone();
  Rewriter rewriter(*module, fuel, listener);
  PassContext context{*module, rewriter, options};
  if (fuel > 0) pass.run(context);
  return module;
}

}  // namespace stele
