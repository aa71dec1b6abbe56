// A snapshot of a session as a graph for viz, and as Graphviz text.
#pragma once

#include <string>

#include "core/session/session.h"
#include "viz/graph.h"

namespace stele::cli {

// The ops of main's body (those inside fusions are lines of their fusion's box), its arguments and results left out.
viz::Graph graph_of(const Session& session, int snapshot);
std::string dot_text(const Session& session, int snapshot);

// A snapshot named on the command line, by its index or by the pass's name. Throws Error naming what there is.
int find_snapshot(const Session& session, const std::string& text);

}  // namespace stele::cli
