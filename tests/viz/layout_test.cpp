#include "viz/layout.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/transformer.h"
#include "viz/constants.h"

using namespace stele::viz;
using stele::viz::testing::fuse_elementwise;
using stele::viz::testing::transformer;

namespace {

std::size_t overlapping_boxes(const GraphLayout& l) {
  std::size_t count = 0;
  for (std::size_t a = 0; a < l.boxes.size(); ++a) {
    for (std::size_t b = a + 1; b < l.boxes.size(); ++b) {
      const Rect& box = l.boxes[b];
      const Rect inner{{box.min.x + 1, box.min.y + 1}, {box.max.x - 1, box.max.y - 1}};
      if (l.boxes[a].overlaps(inner)) ++count;
    }
  }
  return count;
}

float distance_to_border(const Rect& box, Point p) {
  const float dx = std::max({box.min.x - p.x, p.x - box.max.x, 0.0F}),
              dy = std::max({box.min.y - p.y, p.y - box.max.y, 0.0F});
  const float inside = std::min({p.x - box.min.x, box.max.x - p.x, p.y - box.min.y, box.max.y - p.y});
  return inside > 0 ? inside : std::hypot(dx, dy);
}

// Edges start and end at the border of their boxes, and run downward.
void check_edges(const Graph& graph, const GraphLayout& l) {
  REQUIRE(l.splines.size() == graph.edges.size());
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const auto& points = l.splines[e].points;
    REQUIRE(points.size() >= 4);
    REQUIRE(points.size() % 3 == 1);
    CHECK(distance_to_border(l.boxes[graph.edges[e].from], points.front()) < 2);
    CHECK(distance_to_border(l.boxes[graph.edges[e].to], points.back()) < 2);
    CHECK(points.front().y < points.back().y);
  }
}

// The share of ops in both pictures whose place, seen from their common first op, moved by more than a box's width.
double moved_share(const Graph& a, const GraphLayout& la, const Graph& b, const GraphLayout& lb) {
  std::size_t both = 0, moved = 0;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    if (a.nodes[i].role == Role::constant) continue;
    const std::size_t j = find_node(b, a.nodes[i].id);
    if (j == b.nodes.size()) continue;
    ++both;
    const float shift =
        la.boxes[i].centre().x - la.boxes[0].centre().x - lb.boxes[j].centre().x + lb.boxes[0].centre().x;
    if (std::abs(shift) > la.boxes[i].width()) ++moved;
  }
  return static_cast<double>(moved) / static_cast<double>(both);
}

Graph without_op(Graph graph, std::size_t node) {
  std::size_t source = node;
  for (const Edge& edge : graph.edges) {
    if (edge.to == node && edge.operand == 0) source = edge.from;
  }
  std::erase_if(graph.edges, [&](const Edge& e) { return e.to == node; });
  for (Edge& edge : graph.edges) {
    if (edge.from == node) edge.from = source;
    if (edge.from > node) --edge.from;
    if (edge.to > node) --edge.to;
  }
  graph.nodes.erase(graph.nodes.begin() + static_cast<std::ptrdiff_t>(node));
  return graph;
}

}  // namespace

TEST_CASE("both layouts put every box apart and every edge at its boxes", "[viz][layout]") {
  const Graph graph = constants_at_uses(transformer(2), ConstantStyle::chips);
  const auto by_dot = layout_dot(graph, std::chrono::seconds(20));
  REQUIRE(by_dot);
  CHECK(by_dot->engine == Engine::dot);
  CHECK(overlapping_boxes(*by_dot) == 0);
  check_edges(graph, *by_dot);

  const GraphLayout layered = layout_layered(graph);
  CHECK(layered.engine == Engine::layered);
  CHECK(overlapping_boxes(layered) == 0);
  check_edges(graph, layered);
}

TEST_CASE("a layout is the same each time", "[viz][layout]") {
  const Graph graph = constants_at_uses(transformer(3), ConstantStyle::chips);
  const GraphLayout a = layout_layered(graph), b = layout_layered(graph);
  for (std::size_t i = 0; i < a.boxes.size(); ++i) {
    CHECK(a.boxes[i].min.x == b.boxes[i].min.x);
    CHECK(a.boxes[i].min.y == b.boxes[i].min.y);
  }
}

TEST_CASE("the picture stays put after a local rewrite", "[viz][layout]") {
  const Graph before = constants_at_uses(transformer(3), ConstantStyle::chips);
  std::size_t victim = 0;
  while (before.nodes[victim].title != "reshape") ++victim;
  const Graph after = without_op(before, victim);
  CHECK(moved_share(before, layout_layered(before), after, layout_layered(after)) <= 0.05);
  const auto a = layout_dot(before, std::chrono::seconds(20)), b = layout_dot(after, std::chrono::seconds(20));
  REQUIRE((a && b));
  CHECK(moved_share(before, *a, after, *b) <= 0.05);
}

TEST_CASE("past the deadline the layered layout answers", "[viz][layout]") {
  const Graph graph = transformer(12);  // shared constants: dot would need minutes
  LayoutOptions options;
  options.deadline = std::chrono::milliseconds(30);
  options.largest_dot_cost = 1000000;
  const GraphLayout result = layout(graph, options);
  CHECK(result.engine == Engine::layered);
  CHECK(result.elapsed_ms < 1000);
}

TEST_CASE("the layered layout takes odd graphs", "[viz][layout]") {
  CHECK(layout_layered(Graph{}).boxes.empty());
  Graph cycle;
  cycle.nodes.resize(3);
  for (std::size_t i = 0; i < 3; ++i) cycle.nodes[i].id = i + 1;
  cycle.edges = {{0, 1, 0, ""}, {1, 2, 0, ""}, {2, 0, 0, ""}, {1, 1, 0, ""}};
  const GraphLayout result = layout_layered(cycle);
  CHECK(result.boxes.size() == 3);
  CHECK(result.splines.size() == 4);
  CHECK(overlapping_boxes(result) == 0);
}

TEST_CASE("twenty thousand ops are laid out in linear time", "[viz][layout]") {
  const Graph graph = constants_at_uses(transformer(350), ConstantStyle::inside);
  REQUIRE(graph.nodes.size() > 20000);
  const auto start = std::chrono::steady_clock::now();
  const GraphLayout result = layout_layered(graph);
  const auto elapsed = std::chrono::steady_clock::now() - start;
  CHECK(result.boxes.size() == graph.nodes.size());
  CHECK(elapsed < std::chrono::seconds(5));
}

TEST_CASE("equal graphs hash alike, different ones do not", "[viz][layout]") {
  const Graph graph = transformer(1);
  Graph other = graph;
  CHECK(layout_hash(graph) == layout_hash(other));
  other.nodes[3].title += "x";
  CHECK(layout_hash(graph) != layout_hash(other));
  other = fuse_elementwise(graph);
  CHECK(layout_hash(graph) != layout_hash(other));
}
