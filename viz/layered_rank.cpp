#include <algorithm>
#include <queue>

#include "viz/layered_model.h"

namespace stele::viz::layered {
namespace {

struct Adjacency {
  std::vector<std::vector<std::size_t>> into, out_of;  // neighbours of each node
};

Adjacency adjacency(const Graph& graph) {
  Adjacency result{std::vector<std::vector<std::size_t>>(graph.nodes.size()),
                   std::vector<std::vector<std::size_t>>(graph.nodes.size())};
  for (const Edge& edge : graph.edges) {
    if (edge.from == edge.to) continue;
    result.into[edge.to].push_back(edge.from);
    result.out_of[edge.from].push_back(edge.to);
  }
  return result;
}

// A topological order; where a cycle leaves no source, the first node not yet taken goes next.
std::vector<std::size_t> topological(const Adjacency& links) {
  const std::size_t count = links.into.size();
  std::vector<std::size_t> waiting(count), order;
  std::vector<bool> taken(count, false);
  std::queue<std::size_t> ready;
  for (std::size_t i = 0; i < count; ++i) {
    waiting[i] = links.into[i].size();
    if (waiting[i] == 0) ready.push(i);
  }
  std::size_t next = 0;
  while (order.size() < count) {
    if (ready.empty()) {
      while (taken[next]) ++next;
      ready.push(next);
    }
    const std::size_t node = ready.front();
    ready.pop();
    if (taken[node]) continue;
    taken[node] = true;
    order.push_back(node);
    for (const std::size_t user : links.out_of[node]) {
      if (!taken[user] && --waiting[user] == 0) ready.push(user);
    }
  }
  return order;
}

}  // namespace

std::vector<std::size_t> assign_ranks(const Graph& graph) {
  const Adjacency links = adjacency(graph);
  const std::vector<std::size_t> order = topological(links);
  std::vector<std::size_t> position(order.size()), rank(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::vector<bool> hangs_on_constants(order.size(), false);
  for (const std::size_t node : order) {
    bool only_constants = links.into[node].empty() ? graph.nodes[node].role != Role::argument : true;
    for (const std::size_t source : links.into[node]) {
      if (position[source] > position[node]) continue;  // a back edge
      rank[node] = std::max(rank[node], rank[source] + 1);
      only_constants = only_constants && hangs_on_constants[source];
    }
    hangs_on_constants[node] = only_constants;
  }
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (!hangs_on_constants[*it] && !links.into[*it].empty()) continue;
    std::size_t latest = none;
    for (const std::size_t user : links.out_of[*it]) {
      if (position[user] > position[*it]) latest = std::min(latest, rank[user] - 1);
    }
    if (latest != none) rank[*it] = std::max(rank[*it], latest);
  }
  return rank;
}

}  // namespace stele::viz::layered
