#include "viz/lifeline.h"

#include <catch2/catch.hpp>

using namespace stele::viz;

namespace {

Node op(OpId id, std::vector<OpId> derived_from = {}) {
  Node node;
  node.id = id;
  node.derived_from = std::move(derived_from);
  return node;
}

Graph graph_of(std::vector<Node> nodes) {
  Graph graph;
  graph.nodes = std::move(nodes);
  return graph;
}

}  // namespace

TEST_CASE("an op is followed back to its ancestors and on to what became of it", "[viz][lifeline]") {
  const Graph s0 = graph_of({op(1), op(2)}), s1 = graph_of({op(1), op(2)}), s2 = graph_of({op(5, {1, 2})});
  const Graph s3 = graph_of({op(5), op(6, {5})}), s4 = graph_of({op(9)});
  const Diff none, d1 = diff(s0, s1), d2 = diff(s1, s2), d3 = diff(s2, s3), d4 = diff(s3, s4);
  const auto steps = lifeline({&none, &d1, &d2, &d3, &d4}, 2, 5);
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].snapshot == 0);
  CHECK(steps[0].ops == std::vector<OpId>{1, 2});
  CHECK(steps[1].snapshot == 2);
  CHECK(steps[1].ops == std::vector<OpId>{5});
  CHECK(steps[2].snapshot == 3);
  CHECK(steps[2].ops == std::vector<OpId>{5, 6});
  CHECK(steps[3].ops.empty());
}

TEST_CASE("the walk ends where a difference is not known", "[viz][lifeline]") {
  const Graph s0 = graph_of({op(1)}), s1 = graph_of({op(2, {1})});
  const Diff none, d1 = diff(s0, s1);
  CHECK(lifeline({&none, &d1, nullptr}, 1, 2).size() == 2);
  CHECK(lifeline({&none, nullptr, nullptr}, 1, 2).size() == 1);
}
