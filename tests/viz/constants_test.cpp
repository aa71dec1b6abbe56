#include "viz/constants.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/transformer.h"

using namespace stele::viz;
using stele::viz::testing::transformer;

namespace {

std::size_t count_role(const Graph& graph, Role role) {
  return static_cast<std::size_t>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [role](const Node& n) { return n.role == role; }));
}

Graph shared_constant() {
  Graph graph;
  const auto add = [&](OpId id, Role role, const char* title, const char* label) {
    Node node;
    node.id = node.order = id;
    node.role = role;
    node.title = title;
    node.label = label;
    node.subtitle = "f32[4]";
    graph.nodes.push_back(node);
  };
  add(1, Role::constant, "constant", "w");
  add(2, Role::constant, "0.5", "");
  add(3, Role::op, "add", "");
  add(4, Role::op, "multiply", "");
  graph.edges = {{0, 2, 1, "f32[4]"}, {0, 3, 1, "f32[4]"}, {1, 3, 0, "f32[4]"}, {2, 3, 2, "f32[4]"}};
  return graph;
}

}  // namespace

TEST_CASE("a weight is drawn at each use, a scalar inside its user", "[viz][constants]") {
  const Graph placed = constants_at_uses(shared_constant(), ConstantStyle::chips);
  CHECK(count_role(placed, Role::constant) == 2);
  CHECK(placed.edges.size() == 3);
  const std::size_t multiply = find_node(placed, 4);
  REQUIRE(placed.nodes[multiply].lines.size() == 1);
  CHECK(placed.nodes[multiply].lines[0] == "#0 = 0.5");
}

TEST_CASE("constants can stand inside their users, or nowhere", "[viz][constants]") {
  const Graph inside = constants_at_uses(shared_constant(), ConstantStyle::inside);
  CHECK(count_role(inside, Role::constant) == 0);
  CHECK(inside.nodes[find_node(inside, 3)].lines == std::vector<std::string>{"#1 = w f32[4]"});
  const Graph hidden = constants_at_uses(shared_constant(), ConstantStyle::hidden);
  CHECK(hidden.nodes.size() == 2);
  CHECK(hidden.nodes[find_node(hidden, 3)].lines.empty());
}

TEST_CASE("a constant that nothing uses stays", "[viz][constants]") {
  Graph graph;
  graph.nodes.resize(1);
  graph.nodes[0].role = Role::constant;
  CHECK(constants_at_uses(graph, ConstantStyle::chips).nodes.size() == 1);
}

TEST_CASE("after placing, no constant feeds two ops", "[viz][constants]") {
  const Graph placed = constants_at_uses(transformer(2), ConstantStyle::chips);
  std::vector<int> uses(placed.nodes.size(), 0);
  for (const Edge& edge : placed.edges) ++uses[edge.from];
  for (std::size_t i = 0; i < placed.nodes.size(); ++i) {
    if (placed.nodes[i].role == Role::constant) CHECK(uses[i] == 1);
  }
}
