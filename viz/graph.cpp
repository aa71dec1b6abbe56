#include "viz/graph.h"

#include <algorithm>
#include <string_view>

namespace stele::viz {
namespace {

// FNV-1a over 64-bit words and text: fast, and the same on every machine.
class Hasher {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001b3ULL;
    value_ ^= value_ >> 29;
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::uint64_t layout_hash(const Graph& graph) {
  Hasher hash;
  hash.add(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    hash.add(node.id);
    hash.add(node.order);
    hash.add(static_cast<std::uint64_t>(node.role));
    hash.add(node.title);
    hash.add(node.subtitle);
    for (const std::string& line : node.lines) hash.add(line);
  }
  for (const Edge& edge : graph.edges) {
    hash.add(edge.from);
    hash.add(edge.to);
    hash.add(static_cast<std::uint64_t>(edge.operand));
  }
  return hash.value();
}

std::size_t find_node(const Graph& graph, OpId id) {
  const auto found =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [id](const Node& node) { return node.id == id; });
  return static_cast<std::size_t>(found - graph.nodes.begin());
}

}  // namespace stele::viz
