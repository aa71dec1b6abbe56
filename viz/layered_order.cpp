#include <algorithm>
#include <numeric>

#include "viz/layered_model.h"

namespace stele::viz::layered {
namespace {

constexpr std::size_t longest_bent_edge = 400;  // ranks; keeps the number of bends linear in practice
constexpr float bend_width = 10;

std::vector<std::size_t> by_birth(const Graph& graph) {
  std::vector<std::size_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return graph.nodes[a].order < graph.nodes[b].order; });
  return order;
}

void link(Model& model, std::size_t above, std::size_t below) {
  model.items[above].below.push_back(below);
  model.items[below].above.push_back(above);
}

// The bends below one source, made as far down as an edge asks for them.
class Trunk {
 public:
  Trunk(Model& model, std::size_t source) : model_(model) { items_.push_back(source); }

  std::vector<std::size_t> path_to(std::size_t target) {
    const std::size_t from = model_.items[items_.front()].rank;
    const std::size_t steps = model_.items[target].rank - from;
    while (items_.size() < steps) {
      Item bend;
      bend.rank = from + items_.size();
      bend.width = bend_width;
      model_.items.push_back(bend);
      model_.ranks[bend.rank].push_back(model_.items.size() - 1);
      link(model_, items_.back(), model_.items.size() - 1);
      items_.push_back(model_.items.size() - 1);
    }
    std::vector<std::size_t> path(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(steps));
    link(model_, path.back(), target);
    path.push_back(target);
    return path;
  }

 private:
  Model& model_;
  std::vector<std::size_t> items_;
};

using Positions = std::vector<std::size_t>;  // place of each item within its rank

Positions positions(const Model& model) {
  Positions at(model.items.size());
  for (const auto& rank : model.ranks) {
    for (std::size_t i = 0; i < rank.size(); ++i) at[rank[i]] = i;
  }
  return at;
}

// Crossings between two neighbouring ranks: inversions, counted with a Fenwick tree.
std::size_t crossings(const Model& model, const Positions& at, const std::vector<std::size_t>& upper,
                      std::size_t lower_size) {
  std::vector<std::size_t> tree(lower_size + 1, 0), ends;
  std::size_t seen = 0, count = 0;
  for (const std::size_t item : upper) {
    ends.clear();
    for (const std::size_t below : model.items[item].below) ends.push_back(at[below]);
    std::sort(ends.begin(), ends.end());
    for (const std::size_t end : ends) {
      std::size_t not_after = 0;
      for (std::size_t i = end + 1; i > 0; i -= i & (~i + 1)) not_after += tree[i];
      count += seen - not_after;
    }
    for (const std::size_t end : ends) {
      for (std::size_t i = end + 1; i <= lower_size; i += i & (~i + 1)) ++tree[i];
      ++seen;
    }
  }
  return count;
}

std::size_t all_crossings(const Model& model) {
  const Positions at = positions(model);
  std::size_t count = 0;
  for (std::size_t r = 0; r + 1 < model.ranks.size(); ++r)
    count += crossings(model, at, model.ranks[r], model.ranks[r + 1].size());
  return count;
}

void sort_rank(Model& model, std::vector<std::size_t>& rank, bool by_above, const Positions& at,
               std::vector<float>& key) {
  for (std::size_t i = 0; i < rank.size(); ++i) {
    const Item& item = model.items[rank[i]];
    const auto& neighbours = by_above ? item.above : item.below;
    float sum = 0;
    for (const std::size_t n : neighbours) sum += static_cast<float>(at[n]);
    key[rank[i]] = neighbours.empty() ? static_cast<float>(i) : sum / static_cast<float>(neighbours.size());
  }
  std::stable_sort(rank.begin(), rank.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
}

void sweep(Model& model, bool down) {
  Positions at = positions(model);
  std::vector<float> key(model.items.size(), 0);
  for (std::size_t step = 1; step < model.ranks.size(); ++step) {
    auto& rank = model.ranks[down ? step : model.ranks.size() - 1 - step];
    sort_rank(model, rank, down, at, key);
    for (std::size_t i = 0; i < rank.size(); ++i) at[rank[i]] = i;
  }
}

}  // namespace

Model make_model(const Graph& graph, const std::vector<std::size_t>& rank) {
  Model model;
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Point size = box_size(graph.nodes[i]);
    Item item;
    item.node = i;
    item.rank = rank[i];
    item.width = size.x;
    item.height = size.y;
    item.leaf = graph.nodes[i].role == Role::constant;
    model.items.push_back(item);
    deepest = std::max(deepest, rank[i]);
  }
  model.ranks.resize(deepest + 1);
  const std::vector<std::size_t> order = by_birth(graph);
  for (const std::size_t i : order) model.ranks[rank[i]].push_back(i);

  std::vector<std::vector<std::size_t>> edges_of(graph.nodes.size());
  for (std::size_t e = 0; e < graph.edges.size(); ++e) edges_of[graph.edges[e].from].push_back(e);
  model.paths.resize(graph.edges.size());
  for (const std::size_t source : order) {
    Trunk trunk(model, source);
    for (const std::size_t e : edges_of[source]) {
      const std::size_t target = graph.edges[e].to;
      if (rank[target] <= rank[source] || rank[target] - rank[source] > longest_bent_edge) continue;
      model.paths[e] = trunk.path_to(target);
    }
  }
  return model;
}

void order_ranks(Model& model) {
  constexpr int sweeps = 8;
  auto best = model.ranks;
  std::size_t fewest = all_crossings(model);
  for (int i = 0; i < sweeps && fewest > 0; ++i) {
    sweep(model, i % 2 == 0);
    const std::size_t count = all_crossings(model);
    if (count < fewest) {
      fewest = count;
      best = model.ranks;
    }
  }
  model.ranks = std::move(best);
}

}  // namespace stele::viz::layered
