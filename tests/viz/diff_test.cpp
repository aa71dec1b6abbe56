#include "viz/diff.h"

#include <catch2/catch.hpp>

#include "tests/support/transformer.h"

using namespace stele::viz;
using stele::viz::testing::fuse_elementwise;
using stele::viz::testing::transformer;

namespace {

Node op(OpId id, const char* title, std::vector<OpId> derived_from = {}) {
  Node node;
  node.id = node.order = id;
  node.title = title;
  node.derived_from = std::move(derived_from);
  return node;
}

}  // namespace

TEST_CASE("a graph compared with itself is the same", "[viz][diff]") {
  const Graph graph = transformer(1);
  const Diff result = diff(graph, graph);
  CHECK(result.counts.same == graph.nodes.size());
  CHECK(result.counts.added + result.counts.removed + result.counts.changed == 0);
}

TEST_CASE("a replaced op is removed on the left, added on the right, and linked", "[viz][diff]") {
  Graph before, after;
  before.nodes = {op(1, "x"), op(2, "divide"), op(3, "tanh")};
  before.edges = {{0, 1, 0, ""}, {1, 2, 0, ""}};
  after.nodes = {op(1, "x"), op(7, "multiply", {2}), op(3, "tanh")};
  after.edges = before.edges;
  const Diff result = diff(before, after);
  CHECK(result.before == std::vector{Change::same, Change::removed, Change::same});
  CHECK(result.after == std::vector{Change::same, Change::added, Change::same});
  CHECK(counterparts(result.successors, 2) == std::vector<OpId>{7});
  CHECK(counterparts(result.predecessors, 7) == std::vector<OpId>{2});
  CHECK(counterparts(result.successors, 99).empty());
}

TEST_CASE("an op is changed by its text or by an unrelated operand", "[viz][diff]") {
  Graph before, after;
  before.nodes = {op(1, "x"), op(2, "y"), op(3, "tanh")};
  before.edges = {{0, 2, 0, ""}};
  after = before;
  after.edges = {{1, 2, 0, ""}};
  CHECK(diff(before, after).after[2] == Change::changed);
  after = before;
  after.nodes[2].attributes = {{"accuracy", "high"}};
  CHECK(diff(before, after).after[2] == Change::changed);
  CHECK(diff(before, after).before[2] == Change::changed);
}

TEST_CASE("fusions stand for all their members", "[viz][diff]") {
  const Graph before = transformer(1), after = fuse_elementwise(before);
  const Diff result = diff(before, after);
  CHECK(result.counts.added > 5);
  CHECK(result.counts.removed > result.counts.added);
  for (const Node& node : after.nodes) {
    if (node.role == Role::fusion) CHECK(counterparts(result.predecessors, node.id) == node.derived_from);
  }
}
