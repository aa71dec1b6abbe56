// The colour of an op by what kind of work it does.
#pragma once

#include "app/gui/theme.h"
#include "viz/graph.h"

namespace stele::app {

/// By role, and for plain ops by name: contraction, reduction, movement, control, else arithmetic.
Colour family_colour(const viz::Node& node);

/// What to call a family in the legend: "contraction".
const char* family_name(Colour family);

}  // namespace stele::app
