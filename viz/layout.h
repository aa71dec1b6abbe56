// Where each box and each edge of a graph goes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "viz/graph.h"

namespace stele::viz {

struct Point {
  float x = 0, y = 0;
};

/// A rectangle by its least and greatest corner; y grows downward.
struct Rect {
  Point min, max;
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
  Point centre() const { return {(min.x + max.x) / 2, (min.y + max.y) / 2}; }
  bool contains(Point p) const { return p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y; }
  bool overlaps(const Rect& r) const {
    return min.x < r.max.x && r.min.x < max.x && min.y < r.max.y && r.min.y < max.y;
  }
};

/// A path of cubic Bézier pieces: a start, then three points a piece. The arrow stands at its end.
struct Spline {
  std::vector<Point> points;
  Rect bounds;
};

enum class Engine { dot, layered };

struct GraphLayout {
  std::vector<Rect> boxes;      ///< One a node, in the order of Graph::nodes.
  std::vector<Spline> splines;  ///< One an edge, in the order of Graph::edges.
  Rect bounds;
  Engine engine = Engine::layered;
  bool hurried = false;  ///< Asked to hurry, dot gave up before its deadline.
  double elapsed_ms = 0;
};

struct LayoutOptions {
  std::chrono::milliseconds deadline{80};    ///< After this, dot is stopped and the layered layout answers.
  std::size_t largest_dot_cost = 600;        ///< Nodes plus edges beyond which dot is not tried.
  const std::atomic<bool>* hurry = nullptr;  ///< Once true, dot is given up within ten milliseconds. Null: never.
};

/// Lays out a graph: Graphviz's dot for what it can do in time, the layered layout for the rest. Pure and thread-safe.
/// Requires edges that refer to nodes; cycles are allowed. Returns within the deadline plus the layered layout's time
/// (linear).
GraphLayout layout(const Graph& graph, const LayoutOptions& options);

/// The linear layout: ranks by longest path, barycentre order, least-squares positions, one spline an edge.
GraphLayout layout_layered(const Graph& graph);

/// Graphviz's dot in a child process (it is neither thread-safe nor interruptible); null when it missed the deadline or
/// failed.
std::unique_ptr<GraphLayout> layout_dot(const Graph& graph, std::chrono::milliseconds deadline,
                                        const std::atomic<bool>* hurry = nullptr);

/// The size of a node's box, from its text in the shipped font. Both engines and the painter use it.
Point box_size(const Node& node);

/// Width of a line of text at the box's font sizes, in layout units.
float text_width(std::string_view text, float font_size);

/// The box of the points, and of each spline's points.
void update_bounds(GraphLayout& result);

/// Font sizes inside a box, and the space around its text; the painter reads them too.
namespace box_style {
constexpr float title_size = 14, subtitle_size = 11.5F, line_height = 16, padding_x = 12, padding_y = 7;
constexpr float chip_title_size = 11.5F, chip_height = 22, chip_padding_x = 9;
constexpr float widest = 260;
}  // namespace box_style

}  // namespace stele::viz
