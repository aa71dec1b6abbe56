#include "app/gui/canvas.h"

#include <algorithm>
#include <cmath>

#include "app/gui/canvas_box.h"

namespace stele::app {
namespace {

// Below this zoom edges are straight lines and have no arrowheads.
constexpr float coarse_zoom = 0.16F;

bool contains(const std::vector<viz::OpId>& ids, viz::OpId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool is_lit(const GraphLook& look, const viz::Edge& edge) {
  const viz::OpId from = look.picture.graph.nodes[edge.from].id, to = look.picture.graph.nodes[edge.to].id;
  if (look.hover && (*look.hover == from || *look.hover == to)) return true;
  return contains(look.marked, from) || contains(look.marked, to);
}

void paint_arrow(ImDrawList& list, ImVec2 tip, ImVec2 from, float size, ImU32 colour) {
  const float dx = tip.x - from.x, dy = tip.y - from.y, length = std::hypot(dx, dy);
  if (length < 0.01F) return;
  const ImVec2 along{dx / length, dy / length}, across{-along.y, along.x};
  const ImVec2 base{tip.x - along.x * size, tip.y - along.y * size};
  list.AddTriangleFilled(tip, {base.x + across.x * size * 0.45F, base.y + across.y * size * 0.45F},
                         {base.x - across.x * size * 0.45F, base.y - across.y * size * 0.45F}, colour);
}

struct Stroke {
  ImU32 colour;
  float width;
};

void paint_spline(ImDrawList& list, const Canvas& canvas, const viz::Spline& spline, Stroke stroke) {
  const auto& points = spline.points;
  if (points.size() < 4) return;
  if (canvas.camera.zoom < coarse_zoom) {
    for (std::size_t i = 3; i < points.size(); i += 3)
      list.AddLine(canvas.to_screen(points[i - 3]), canvas.to_screen(points[i]), stroke.colour, 1);
    return;
  }
  list.PathLineTo(canvas.to_screen(points[0]));
  for (std::size_t i = 3; i < points.size(); i += 3) {
    list.PathBezierCubicCurveTo(canvas.to_screen(points[i - 2]), canvas.to_screen(points[i - 1]),
                                canvas.to_screen(points[i]));
  }
  list.PathStroke(stroke.colour, 0, stroke.width);
  const float arrow = std::clamp(9 * canvas.camera.zoom, 4.0F, 11.0F) * canvas.scale;
  paint_arrow(list, canvas.to_screen(points.back()), canvas.to_screen(points[points.size() - 2]), arrow, stroke.colour);
}

void paint_edges(ImDrawList& list, const Frame& frame, const Canvas& canvas, const GraphLook& look) {
  const Theme& theme = frame.theme();
  const viz::Rect visible = canvas.visible();
  const float width = std::clamp(1.5F * canvas.camera.zoom, 1.0F, 2.2F) * canvas.scale;
  const Stroke plain{faded(theme[Colour::edge], 0.85F), width},
      lit{theme[Colour::edge_marked], width + 1.2F * canvas.scale};
  const auto& edges = look.picture.graph.edges;
  for (const bool want_lit : {false, true}) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const viz::Spline& spline = look.picture.layout->splines[e];
      if (!spline.bounds.overlaps({{visible.min.x - 1, visible.min.y - 1}, {visible.max.x + 1, visible.max.y + 1}}))
        continue;
      if (is_lit(look, edges[e]) == want_lit) paint_spline(list, canvas, spline, want_lit ? lit : plain);
    }
  }
}

}  // namespace

Camera fitted(const viz::Rect& bounds, viz::Point start, const viz::Rect& view, float scale, bool whole) {
  constexpr float margin = 24, least_readable = 0.85F, most = 1.1F;
  const float width = std::max(1.0F, bounds.width()), height = std::max(1.0F, bounds.height());
  const float room_x = std::max(10.0F, view.width() / scale - 2 * margin),
              room_y = std::max(10.0F, view.height() / scale - 2 * margin);
  const float for_all = std::min(room_x / width, room_y / height);
  if (whole || for_all >= least_readable) return {bounds.centre(), std::min(for_all, most)};
  const float zoom = std::clamp(room_x / width, least_readable, 1.0F);
  const float x = room_x / width >= least_readable ? bounds.centre().x : start.x;
  return {{x, bounds.min.y + (view.height() / scale / 2 - margin) / zoom}, zoom};
}

viz::Rect on_screen(const Canvas& canvas, const viz::Rect& box) {
  const ImVec2 min = canvas.to_screen(box.min), max = canvas.to_screen(box.max);
  return {{min.x, min.y}, {max.x, max.y}};
}

ImU32 change_colour(const Theme& theme, viz::Change change) {
  switch (change) {
    case viz::Change::added:
      return theme[Colour::added];
    case viz::Change::removed:
      return theme[Colour::removed];
    case viz::Change::changed:
      return theme[Colour::changed];
    case viz::Change::same:
      break;
  }
  return theme[Colour::box_border];
}

void paint_graph(ImDrawList& list, const Frame& frame, const Canvas& canvas, const GraphLook& look) {
  paint_edges(list, frame, canvas, look);
  const viz::Rect visible = canvas.visible();
  const auto& nodes = look.picture.graph.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const viz::Rect& box = look.picture.layout->boxes[i];
    if (!box.overlaps(visible)) continue;
    BoxLook box_look;
    box_look.change = i < look.changes.size() ? look.changes[i] : viz::Change::same;
    box_look.marked = contains(look.marked, nodes[i].id);
    box_look.hovered = look.hover == nodes[i].id;
    paint_box(list, frame, canvas, nodes[i], on_screen(canvas, box), box_look);
  }
}

std::size_t box_at(const SnapshotPicture& picture, viz::Point point) {
  const auto& boxes = picture.layout->boxes;
  const auto found =
      std::find_if(boxes.begin(), boxes.end(), [&](const viz::Rect& box) { return box.contains(point); });
  return static_cast<std::size_t>(found - boxes.begin());
}

}  // namespace stele::app
