// One box of the canvas.
#pragma once

#include "app/gui/canvas.h"

namespace stele::app {

struct BoxLook {
  viz::Change change = viz::Change::same;
  bool marked = false, hovered = false;
};

/// Paints a box into its screen rectangle: an op with title, type and lines; a chip for constants, arguments and
/// results. Small boxes show their title alone, very small ones only their colour.
void paint_box(ImDrawList& list, const Frame& frame, const Canvas& canvas, const viz::Node& node, const viz::Rect& box,
               const BoxLook& look);

}  // namespace stele::app
