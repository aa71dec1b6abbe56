#include "core/debug/stops.h"

#include <charconv>
#include <set>

#include "core/debug/inputs.h"

namespace stele {
namespace {

void visit_prefixes(Subject& subject, const StopOptions& options, const Module& before, const Snapshot& after, const Stop& at,
                    const std::function<void(const Stop&, const Module&)>& visit) {
  const Pass& pass = *subject.pipeline()[static_cast<size_t>(after.index - 1)].pass;
  const uint64_t seed = options.seed * 1000003 + static_cast<uint64_t>(after.index);
  for (const uint64_t count : draw_prefixes(after.rewrites.size(), options.samples, seed)) {
    Stop stop = at;
    stop.within = true;
    stop.rewrites = count;
    const auto module = run_prefix(before, pass, count, subject.options());
    try {
      verify(*module);
    } catch (const Error& error) {
      fail("at {}: does not verify: {}", stop.str(), error.what());
    }
    visit(stop, *module);
  }
}

uint64_t parse_number(std::string_view text, const std::string& whole) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) fail("--at {}: expected N or N.K", whole);
  return value;
}

}  // namespace

Through parse_through(const std::string& text) {
  if (text == "eval") return Through::eval;
  if (text == "cpu") return Through::cpu;
  if (text == "every") return Through::every;
  if (text == "rewrites") return Through::rewrites;
  if (text == "cuda") throw Unavailable("--through cuda: this build generates code for the cpu alone");
  fail("--through {}: expected eval, cpu, every or rewrites", text);
}

std::string Stop::str() const { return within ? fmt::format("{}.{} {}", pass, rewrites, name) : fmt::format("{} {}", pass, name); }

void for_each_stop(Subject& subject, const StopOptions& options, const std::function<void(const Stop&, const Module&)>& visit) {
  Stop stop;
  stop.name = "capture";
  if (options.through == Through::eval) {
    visit(stop, subject.captured());
    return;
  }
  PipelineRun run;
  run.options = subject.options();
  run.keep_snapshots = options.through != Through::cpu;
  const std::vector<Snapshot> snapshots = run_pipeline(subject.captured().clone(), subject.pipeline(), run);
  for (const Snapshot& snapshot : snapshots) {
    stop.pass = snapshot.index;
    stop.name = snapshot.name;
    stop.reassociations += snapshot.index > 0 && snapshot.contract.kind != Contract::exact;
    const bool last = snapshot.index == snapshots.back().index;
    if (options.through == Through::cpu ? !last : !snapshot.changed) continue;
    if (options.through == Through::rewrites && snapshot.index > 0) {
      visit_prefixes(subject, options, *snapshots[static_cast<size_t>(snapshot.index - 1)].module, snapshot, stop, visit);
    }
    visit(stop, *snapshot.module);
  }
}

std::shared_ptr<const Module> module_at(const Module& captured, const Pipeline& pipeline, const PassOptions& options, const Stop& stop) {
  PipelineRun run;
  run.options = options;
  run.keep_snapshots = false;
  run.stop_after = stop.within ? stop.pass - 1 : stop.pass;
  std::shared_ptr<const Module> module = run_pipeline(captured.clone(), pipeline, run).back().module;
  if (!stop.within) return module;
  const Pass& pass = *pipeline[static_cast<size_t>(stop.pass - 1)].pass;
  std::shared_ptr<const Module> prefix = run_prefix(*module, pass, stop.rewrites, options);
  verify(*prefix);
  return prefix;
}

Stop parse_stop(const std::string& text, const Pipeline& pipeline) {
  Stop stop;
  const size_t dot = text.find('.');
  const uint64_t pass = parse_number(std::string_view(text).substr(0, dot), text);
  if (pass > pipeline.size()) fail("--at {}: there are snapshots 0 to {}", text, pipeline.size());
  stop.pass = static_cast<int>(pass);
  stop.name = pass == 0 ? "capture" : pipeline[pass - 1].pass->name;
  if (dot != std::string::npos) {
    stop.within = true;
    stop.rewrites = parse_number(std::string_view(text).substr(dot + 1), text);
    if (pass == 0) fail("--at {}: no rewrites lead to snapshot 0", text);
  }
  stop.reassociations = reassociations(pipeline, stop.pass);
  return stop;
}

std::vector<uint64_t> draw_prefixes(uint64_t below, int count, uint64_t seed) {
  std::set<uint64_t> drawn;
  if (below < 2 || count <= 0) return {};
  const uint64_t available = below - 1;
  if (available <= static_cast<uint64_t>(count)) {
    for (uint64_t k = 1; k <= available; ++k) drawn.insert(k);
  }
  Random random(seed);
  while (drawn.size() < std::min<uint64_t>(available, static_cast<uint64_t>(count))) {
    drawn.insert(1 + static_cast<uint64_t>(random.below(static_cast<int64_t>(available))));
  }
  return {drawn.begin(), drawn.end()};
}

}  // namespace stele
