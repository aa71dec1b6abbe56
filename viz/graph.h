// A graph to be drawn: what viz knows about a snapshot, free of how it was stored and of how it is painted.
//
// Ids are op ids of the session. They survive passes, so two graphs of one session can be compared, an op can be
// followed, and emission in id order (`order` below) keeps a picture in place from pass to pass. An id may stand on
// several nodes: a constant drawn at each of its uses is one op in many places.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stele::viz {

using OpId = std::uint64_t;

/// What a node is, for its shape and colour.
enum class Role { op, control, fusion, library, loop, machine, constant, argument, result };

/// One attribute of an op as the details panel lists it.
struct Attribute {
  std::string name;
  std::string text;
};

struct Node {
  OpId id = 0;
  OpId order = 0;  ///< Emission order: the id of the oldest ancestor, so that a successor takes its place.
  std::vector<OpId> derived_from;  ///< Ids of the ops of earlier snapshots that this op replaces.
  std::string title;               ///< Op name: `dot_general`.
  std::string subtitle;            ///< Result type, short: `f32[8,64]`.
  std::vector<std::string> lines;  ///< Further text inside the box: folded constants, the ops of a fusion.
  std::vector<Attribute> attributes;
  std::string label;  ///< The user's own name of the op, from the model file; may be empty.
  Role role = Role::op;
};

struct Edge {
  std::size_t from = 0;  ///< Index into Graph::nodes.
  std::size_t to = 0;    ///< Index into Graph::nodes.
  int operand = 0;       ///< Which operand of `to` this edge feeds.
  std::string type;      ///< Type of the value, as text.
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

/// A hash of everything a layout depends on: node sizes and order, edges. Equal graphs have equal hashes.
std::uint64_t layout_hash(const Graph& graph);

/// Index of the first node with this id, or graph.nodes.size().
std::size_t find_node(const Graph& graph, OpId id);

}  // namespace stele::viz
