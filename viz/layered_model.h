// The layered layout's working state: nodes and the bends of long edges, in ranks.
#pragma once

#include <cstddef>
#include <vector>

#include "viz/layout.h"

namespace stele::viz::layered {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// A node of the graph, or a place where a long edge passes a rank.
struct Item {
  std::size_t node = none;  ///< Index into Graph::nodes; none for a bend.
  std::size_t rank = 0;
  float x = 0;  ///< Centre.
  float width = 0, height = 0;
  bool leaf = false;                      ///< A constant: it follows its user and does not pull it.
  std::vector<std::size_t> above, below;  ///< Neighbouring items, one rank away.
};

struct Model {
  std::vector<Item> items;                      ///< Nodes first, in the graph's order, then bends.
  std::vector<std::vector<std::size_t>> ranks;  ///< Items of each rank, from left to right.
  std::vector<std::vector<std::size_t>>
      paths;  ///< For each edge its items from source to target; empty for an edge drawn directly.
};

/// Rank of each node: longest path from the sources, constants and what hangs on them alone as late as they can be.
std::vector<std::size_t> assign_ranks(const Graph& graph);

/// Items and bends. Edges of one value share their bends.
Model make_model(const Graph& graph, const std::vector<std::size_t>& rank);

/// Orders each rank by the barycentre of its neighbours, sweeping down and up; keeps the order with the fewest
/// crossings.
void order_ranks(Model& model);

/// Positions within each rank: close to the neighbours, in order, without overlap (exact least squares a rank).
void place(Model& model);

}  // namespace stele::viz::layered
