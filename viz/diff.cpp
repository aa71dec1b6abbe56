#include "viz/diff.h"

#include <algorithm>
#include <set>

namespace stele::viz {
namespace {

using Operands = std::map<std::pair<std::size_t, int>, OpId>;  // (node, operand) -> id of its source

struct Index {
  std::map<OpId, std::size_t> first;  // op id -> a node with that id
  Operands operands;
};

Index index(const Graph& graph) {
  Index result;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) result.first.try_emplace(graph.nodes[i].id, i);
  for (const Edge& edge : graph.edges) result.operands[{edge.to, edge.operand}] = graph.nodes[edge.from].id;
  return result;
}

bool same_text(const Node& a, const Node& b) {
  const auto equal = [](const Attribute& x, const Attribute& y) { return x.name == y.name && x.text == y.text; };
  return a.title == b.title && a.subtitle == b.subtitle && a.role == b.role && a.lines == b.lines &&
         std::equal(a.attributes.begin(), a.attributes.end(), b.attributes.begin(), b.attributes.end(), equal);
}

void link(Diff& result, OpId before, OpId after) {
  result.successors[before].push_back(after);
  result.predecessors[after].push_back(before);
}

void link_all(Diff& result, const Index& before, const Index& after, const Graph& after_graph) {
  for (const auto& [id, node] : after.first) {
    if (before.first.contains(id)) link(result, id, id);
    for (const OpId ancestor : after_graph.nodes[node].derived_from) {
      if (ancestor != id && before.first.contains(ancestor)) link(result, ancestor, id);
    }
  }
}

bool stands_for(const Diff& result, OpId before, OpId after) {
  const auto found = result.successors.find(before);
  return found != result.successors.end() &&
         std::find(found->second.begin(), found->second.end(), after) != found->second.end();
}

// The operands of a node, operand number -> source.
std::vector<std::pair<int, OpId>> operands_of(const Index& index, std::size_t node) {
  std::vector<std::pair<int, OpId>> result;
  for (auto it = index.operands.lower_bound({node, -1}); it != index.operands.end() && it->first.first == node; ++it) {
    result.emplace_back(it->first.second, it->second);
  }
  return result;
}

bool same_operands(const Diff& links, const Index& before, std::size_t node_before, const Index& after,
                   std::size_t node_after) {
  const auto a = operands_of(before, node_before), b = operands_of(after, node_after);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return x.first == y.first && (x.second == y.second || stands_for(links, x.second, y.second));
  });
}

std::vector<Change> spread(const Graph& graph, const std::map<OpId, Change>& by_id) {
  std::vector<Change> result;
  for (const Node& node : graph.nodes) result.push_back(by_id.at(node.id));
  return result;
}

}  // namespace

Diff diff(const Graph& before, const Graph& after) {
  const Index old_index = index(before), new_index = index(after);
  Diff result;
  link_all(result, old_index, new_index, after);
  std::map<OpId, Change> old_change, new_change;
  for (const auto& [id, node] : old_index.first) {
    const auto kept = new_index.first.find(id);
    if (kept == new_index.first.end()) {
      old_change[id] = Change::removed;
      ++result.counts.removed;
      continue;
    }
    const bool same = same_text(before.nodes[node], after.nodes[kept->second]) &&
                      same_operands(result, old_index, node, new_index, kept->second);
    old_change[id] = new_change[id] = same ? Change::same : Change::changed;
    ++(same ? result.counts.same : result.counts.changed);
  }
  for (const auto& [id, node] : new_index.first) {
    if (new_change.try_emplace(id, Change::added).second) ++result.counts.added;
  }
  result.before = spread(before, old_change);
  result.after = spread(after, new_change);
  return result;
}

std::vector<OpId> counterparts(const std::map<OpId, std::vector<OpId>>& links, OpId id) {
  const auto found = links.find(id);
  return found == links.end() ? std::vector<OpId>{} : found->second;
}

}  // namespace stele::viz
