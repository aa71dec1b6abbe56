#include "viz/layout.h"

#include <algorithm>

namespace stele::viz {
namespace {

Rect around(const std::vector<Point>& points) {
  Rect rect{{0, 0}, {0, 0}};
  if (points.empty()) return rect;
  rect = {points.front(), points.front()};
  for (const Point p : points) {
    rect.min = {std::min(rect.min.x, p.x), std::min(rect.min.y, p.y)};
    rect.max = {std::max(rect.max.x, p.x), std::max(rect.max.y, p.y)};
  }
  return rect;
}

Rect join(const Rect& a, const Rect& b) {
  return {{std::min(a.min.x, b.min.x), std::min(a.min.y, b.min.y)},
          {std::max(a.max.x, b.max.x), std::max(a.max.y, b.max.y)}};
}

}  // namespace

void update_bounds(GraphLayout& result) {
  for (Spline& spline : result.splines) spline.bounds = around(spline.points);
  if (result.boxes.empty()) return;
  result.bounds = result.boxes.front();
  for (const Rect& box : result.boxes) result.bounds = join(result.bounds, box);
  for (const Spline& spline : result.splines) {
    if (!spline.points.empty()) result.bounds = join(result.bounds, spline.bounds);
  }
}

GraphLayout layout(const Graph& graph, const LayoutOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::unique_ptr<GraphLayout> by_dot;
  bool was_tried = false;
  if (graph.nodes.size() + graph.edges.size() <= options.largest_dot_cost && !graph.nodes.empty()) {
    by_dot = layout_dot(graph, options.deadline, options.hurry);
    was_tried = true;
  }
  GraphLayout result = by_dot ? std::move(*by_dot) : layout_layered(graph);
  result.hurried = was_tried && result.engine == Engine::layered && options.hurry != nullptr && *options.hurry;
  result.elapsed_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace stele::viz
