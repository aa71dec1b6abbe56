// The graph canvas: from layout to screen and back, and painting what is in view.
#pragma once

#include <imgui.h>

#include <optional>
#include <vector>

#include "app/gui/ui.h"

namespace stele::app {

/// Maps the layout plane onto a rectangle of the screen.
struct Canvas {
  viz::Rect view;
  Camera camera;
  float scale = 1;

  float pixels() const { return camera.zoom * scale; }
  ImVec2 to_screen(viz::Point p) const {
    const viz::Point middle = view.centre();
    return {middle.x + (p.x - camera.centre.x) * pixels(), middle.y + (p.y - camera.centre.y) * pixels()};
  }
  viz::Point to_layout(ImVec2 p) const {
    const viz::Point middle = view.centre();
    return {camera.centre.x + (p.x - middle.x) / pixels(), camera.centre.y + (p.y - middle.y) / pixels()};
  }
  viz::Rect visible() const { return {to_layout({view.min.x, view.min.y}), to_layout({view.max.x, view.max.y})}; }
};

/// The camera that shows these bounds: the whole, or (where text would become too small, unless `whole`) its width from
/// the top, or where that is too much as well, the top around `start`.
Camera fitted(const viz::Rect& bounds, viz::Point start, const viz::Rect& view, float scale, bool whole);

/// What to paint.
struct GraphLook {
  const SnapshotPicture& picture;
  const std::vector<viz::Change>& changes;  ///< One a node; empty: all the same.
  const std::vector<viz::OpId>& marked;     ///< Selected here, or standing for what is selected on the other side.
  std::optional<viz::OpId> hover;
};

/// Paints edges and boxes in view, with as much text as their size allows.
void paint_graph(ImDrawList& list, const Frame& frame, const Canvas& canvas, const GraphLook& look);

/// The node under a layout point, or the number of nodes.
std::size_t box_at(const SnapshotPicture& picture, viz::Point point);

/// The colour of a change; the theme's border for `same`.
ImU32 change_colour(const Theme& theme, viz::Change change);

/// Screen rectangle of a box.
viz::Rect on_screen(const Canvas& canvas, const viz::Rect& box);

}  // namespace stele::app
