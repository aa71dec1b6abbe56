#include "viz/lifeline.h"

#include <algorithm>

namespace stele::viz {
namespace {

using Links = std::map<OpId, std::vector<OpId>>;

std::vector<OpId> follow(const std::vector<OpId>& ops, const Links& links) {
  std::vector<OpId> result;
  for (const OpId op : ops) {
    const std::vector<OpId> next = counterparts(links, op);
    result.insert(result.end(), next.begin(), next.end());
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

std::vector<LifeStep> lifeline(const std::vector<const Diff*>& diffs, std::size_t at, OpId id) {
  std::vector<LifeStep> steps = {{at, {id}}};
  for (std::size_t pass = at; pass > 0 && pass < diffs.size() && diffs[pass] != nullptr; --pass) {
    std::vector<OpId> ops = follow(steps.front().ops, diffs[pass]->predecessors);
    if (ops.empty()) break;
    if (ops == steps.front().ops) {
      steps.front().snapshot = pass - 1;
    } else {
      steps.insert(steps.begin(), {pass - 1, std::move(ops)});
    }
  }
  // The walk back names the earliest snapshot of each set only for sets that did not change; make that so for all of
  // them.
  for (LifeStep& step : steps) {
    while (step.snapshot > 0 && step.snapshot < diffs.size() && diffs[step.snapshot] != nullptr &&
           follow(step.ops, diffs[step.snapshot]->predecessors) == step.ops) {
      --step.snapshot;
    }
  }
  std::vector<OpId> ops = {id};
  for (std::size_t pass = at + 1; pass < diffs.size() && diffs[pass] != nullptr; ++pass) {
    std::vector<OpId> next = follow(ops, diffs[pass]->successors);
    if (next != ops) steps.push_back({pass, next});
    if (next.empty()) break;
    ops = std::move(next);
  }
  return steps;
}

}  // namespace stele::viz
