// Constants drawn where they are used.
#pragma once

#include "viz/graph.h"

namespace stele::viz {

/// How constants appear in the picture.
enum class ConstantStyle {
  chips,   ///< Small ones as text in the box that uses them, larger ones as a chip above it.
  inside,  ///< All of them as text in the box that uses them.
  hidden,  ///< None.
};

/// The graph with each constant drawn at every use instead of once: a constant that feeds many ops makes long edges
/// that cross the whole picture, and makes dot take minutes. Constants that nothing uses stay. Linear in nodes and
/// edges.
Graph constants_at_uses(const Graph& graph, ConstantStyle style);

}  // namespace stele::viz
