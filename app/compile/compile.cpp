#include "app/compile/compile.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>

#include "app/compile/model.h"
#include "core/session/session_writer.h"
#include "passes/stacks/stele.h"
#include "profiler/scoreboard.h"

namespace stele {

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

// A dim under the binding; -1 where it cannot be told (overflow).
int64_t bound_value(const Dim& dim, const Binding& binding) {
  try {
    return dim.evaluate(binding);
  } catch (const Error&) {
    return -1;
  }
}

std::string expression(const Dim& dim) { return dim.is_static() ? std::string() : dim.str(); }

SnapshotRow row_of(const Snapshot& snapshot) {
  SnapshotRow row;
  row.index = snapshot.index;
  row.name = snapshot.name;
  row.stage = name(snapshot.stage);
  row.contract = snapshot.contract.str();
  row.changed = snapshot.changed;
  row.same_as = snapshot.changed ? -1 : snapshot.index - 1;
  row.ms = snapshot.ms;
  row.rewrites = static_cast<int>(snapshot.rewrites.size());
  return row;
}

std::vector<RewriteRow> rewrite_rows(const std::vector<RewriteEvent>& events) {
  std::vector<RewriteRow> rows;
  for (const RewriteEvent& event : events) {
    rows.push_back({static_cast<int64_t>(event.number), event.rule, event.matched, event.created, event.erased});
  }
  return rows;
}

// Scores snapshots and, where there is a session, writes them, off the compile's thread.
class Keeper {
 public:
  Keeper(const CompileRequest& request, const Module& module, const Binding& binding) : request_(request), binding_(binding) {
    if (request.output.empty()) return;
    auto session = Session::create(request.output, module.name.empty() ? request.model : module.name, "stele");
    session->set_meta("model", request.model);
    session->set_meta("binding", binding_text(binding));
    session->set_meta("target", request.options.target);
    writer_ = std::make_unique<SessionWriter>(std::move(session));
  }

  void keep(const Snapshot& snapshot) {
    const auto start = Clock::now();
    SnapshotRow row = row_of(snapshot);
    if (writer_) {
      writer_->add(snapshot.module, row, rewrite_rows(snapshot.rewrites),
                   [this](const Module& module, SnapshotRow& filled) { return fill_score(module, binding_, filled); },
                   [this](const SnapshotRow& written) { written_row(written); });
      ms_ += ms_since(start);
    } else {
      if (snapshot.changed) {
        fill_score(*snapshot.module, binding_, row);
      } else {
        row.level = rows_.back().level;
        row.score = rows_.back().score;
      }
      written_row(row);
    }
  }

  void finish(CompileResult& result) {
    const auto start = Clock::now();
    if (writer_) {
      writer_->finish();
      result.writing_ms = writer_->busy_ms();
      result.keeping_ms += ms_ + ms_since(start);
    }
    result.rows = std::move(rows_);
  }

 private:
  void written_row(const SnapshotRow& row) {
    rows_.push_back(row);
    if (request_.on_row) request_.on_row(row);
  }

  const CompileRequest& request_;
  Binding binding_;
  std::vector<SnapshotRow> rows_;  // by one thread: the writer's, or this one where there is none
  double ms_ = 0;
  std::unique_ptr<SessionWriter> writer_;  // last: its thread uses what stands above
};

}  // namespace

Binding complete_binding(const Module& module, const Binding& given) {
  Binding binding = given;
  // One of each: the smallest run that does any work, where the bounds allow it.
  for (const auto& [symbol, bounds] : module.symbols) binding.try_emplace(symbol, std::clamp<int64_t>(1, bounds.min, bounds.max));
  return binding;
}

std::string binding_text(const Binding& binding) {
  std::string text;
  for (const auto& [name, value] : binding) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  return text;
}

OpShares fill_score(const Module& module, const Binding& binding, SnapshotRow& row) {
  row.level = name(level_of(module));
  OpShares shares;
  const Scoreboard board = score(module, binding);
  row.score.kernels = bound_value(board.kernels, binding);
  row.score.hbm_bytes = bound_value(board.hbm_bytes, binding);
  row.score.peak_bytes = bound_value(board.peak_bytes, binding);
  row.score.weight_bytes = bound_value(board.weight_bytes, binding);
  row.score.flops = bound_value(board.flops, binding);
  row.score.kernels_expression = expression(board.kernels);
  row.score.hbm_expression = expression(board.hbm_bytes);
  row.score.peak_expression = expression(board.peak_bytes);
  row.score.flops_expression = expression(board.flops);
  for (const auto& [id, cost] : board.per_op) {
    shares[id] = {bound_value(cost.kernels, binding), bound_value(cost.bytes_read + cost.bytes_written, binding),
                  bound_value(cost.flops, binding)};
  }
  return shares;
}

CompileResult compile_model(CompileRequest request) {
  CompileResult result;
  const auto start = Clock::now();
  std::unique_ptr<Module> module = request.module ? std::move(request.module) : load_model(request.model);
  result.read_ms = ms_since(start);
  for (const auto& [symbol, value] : request.options.binding) {
    if (!module->symbols.contains(symbol)) fail("--dim {}={}: the model has no such dim", symbol, value);
  }
  result.binding = complete_binding(*module, request.options.binding);
  result.binding_chosen = result.binding.size() > request.options.binding.size();
  request.options.binding = result.binding;
  Keeper keeper(request, *module, result.binding);
  PipelineRun run;
  run.options = request.options;
  run.stop_after = request.stop_after;
  run.on_progress = request.on_progress;
  run.cancel = request.cancel;
  run.on_snapshot = [&](const Snapshot& snapshot) { keeper.keep(snapshot); };
  result.snapshots = run_pipeline(std::move(module), stele_pipeline(), run);
  for (const Snapshot& snapshot : result.snapshots) {
    result.passes_ms += snapshot.ms;
    result.keeping_ms += snapshot.snapshot_ms;
  }
  keeper.finish(result);
  result.total_ms = ms_since(start);
  return result;
}

}  // namespace stele
