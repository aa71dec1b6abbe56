// Snapshots of a session as graphs to draw.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/session/session.h"
#include "viz/graph.h"

namespace stele::viz {

/// The order of each op by its oldest ancestor: what emission in birth order needs. Fed with the ops of one snapshot
/// after the other.
class Births {
 public:
  void add(const std::vector<OpRow>& ops);
  /// The op's own id where it was never added.
  OpId order(OpId id) const;

 private:
  std::map<OpId, OpId> order_;
};

/// What a graph is made from; all of one snapshot.
struct SnapshotRows {
  std::vector<OpRow> ops;
  std::vector<EdgeRow> edges;
  std::vector<std::string> argument_names;  ///< May be shorter than the arguments are many.
};

/// The graph of the main function: an op of a function's body is a node; what stands inside a fusion is listed in the
/// fusion's node, which counts as derived from it. Arguments and results are nodes whose ids are above all ops' ids and
/// the same in every snapshot.
Graph session_graph(const SnapshotRows& rows, const Births& births);

/// "tensor<4x64xf32>" as "f32[4,64]"; several types joined by commas; anything else unchanged.
std::string short_type(const std::string& type);

/// "a = 1, b = [2, 3]" as its parts: splits at commas outside brackets and quotes.
std::vector<Attribute> split_attributes(const std::string& text);

/// An attribute's text for people: without quotes and wrappers, hashes shortened.
std::string plain_attribute(const std::string& text);

/// Names of main's arguments as the printed module has them.
std::vector<std::string> argument_names(const std::string& module_text);

}  // namespace stele::viz
