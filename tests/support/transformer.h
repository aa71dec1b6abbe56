// A synthetic decoder-only transformer after decomposition: about 57 ops a layer, weights, shared tables. The viz and
// app tests draw it.
#pragma once

#include "viz/graph.h"

namespace stele::viz::testing {

/// `layers` decoder layers; ids grow in creation order. cos, sin and the mask feed every layer, as in the real models.
Graph transformer(int layers);

/// The same after fusing each chain of elementwise ops into its producer: new fusion nodes derived from the ops they
/// swallow.
Graph fuse_elementwise(const Graph& graph);

}  // namespace stele::viz::testing
