// What a pass did to a graph, by op id and provenance.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "viz/graph.h"

namespace stele::viz {

enum class Change { same, added, removed, changed };

struct DiffCounts {
  std::size_t added = 0, removed = 0, changed = 0, same = 0;  ///< Ops; an op drawn in several places counts once.
};

struct Diff {
  std::vector<Change> before;                      ///< One a node of the graph before: same, removed or changed.
  std::vector<Change> after;                       ///< One a node of the graph after: same, added or changed.
  std::map<OpId, std::vector<OpId>> successors;    ///< Op before -> the ops after that stand for it.
  std::map<OpId, std::vector<OpId>> predecessors;  ///< Op after -> the ops before that it stands for.
  DiffCounts counts;
};

/// Compares two graphs of one session. An op in both is changed when its name, type, attributes or lines differ, or
/// when an operand comes from an op that does not stand for the one before; an op in one graph alone is removed or
/// added. n log n.
Diff diff(const Graph& before, const Graph& after);

/// Counterparts of an op on the other side; empty where it has none.
std::vector<OpId> counterparts(const std::map<OpId, std::vector<OpId>>& links, OpId id);

}  // namespace stele::viz
