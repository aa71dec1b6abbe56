// One op followed through all passes: what it came from, what became of it.
#pragma once

#include <vector>

#include "viz/diff.h"

namespace stele::viz {

/// The ops that stand for the followed one in one snapshot.
struct LifeStep {
  std::size_t snapshot = 0;
  std::vector<OpId> ops;
};

/// Follows `id`, an op of snapshot `at`, through the diffs (diffs[i] compares snapshot i-1 with i; null where not
/// known, which ends the walk). One step for each snapshot in which the set of ops differs from the snapshot before; in
/// order of snapshots.
std::vector<LifeStep> lifeline(const std::vector<const Diff*>& diffs, std::size_t at, OpId id);

}  // namespace stele::viz
