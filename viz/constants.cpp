#include "viz/constants.h"

#include <algorithm>

namespace stele::viz {
namespace {

constexpr std::size_t longest_folded_text = 22;

// A constant whose value fits in a line ("0.125") says more as text in its user's box than as a box of its own.
bool is_small(const Node& constant) {
  return constant.title != "constant" && constant.title.size() <= longest_folded_text;
}

bool is_folded(const Node& constant, ConstantStyle style) {
  return style != ConstantStyle::chips || is_small(constant);
}

std::string operand_line(const Node& constant, int operand) {
  const std::string& text = constant.label.empty() || is_small(constant) ? constant.title : constant.label;
  std::string line = "#" + std::to_string(operand) + " = " + text;
  if (!constant.subtitle.empty() && !is_small(constant)) line += " " + constant.subtitle;
  return line;
}

// Copies the nodes that stay, and returns for each old index its new one (or npos for a constant that is drawn at its
// uses).
constexpr std::size_t npos = static_cast<std::size_t>(-1);

std::vector<std::size_t> copy_nodes(const Graph& graph, const std::vector<bool>& used, Graph& result) {
  std::vector<std::size_t> new_index(graph.nodes.size(), npos);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].role == Role::constant && used[i]) continue;
    new_index[i] = result.nodes.size();
    result.nodes.push_back(graph.nodes[i]);
  }
  return new_index;
}

}  // namespace

Graph constants_at_uses(const Graph& graph, ConstantStyle style) {
  std::vector<bool> used(graph.nodes.size(), false);
  for (const Edge& edge : graph.edges) used[edge.from] = true;

  Graph result;
  result.name = graph.name;
  const std::vector<std::size_t> new_index = copy_nodes(graph, used, result);
  for (const Edge& edge : graph.edges) {
    if (new_index[edge.to] == npos) continue;
    Edge moved = edge;
    moved.to = new_index[edge.to];
    moved.from = new_index[edge.from];
    const Node& source = graph.nodes[edge.from];
    if (moved.from == npos) {
      if (style == ConstantStyle::hidden) continue;
      if (is_folded(source, style)) {
        result.nodes[moved.to].lines.push_back(operand_line(source, edge.operand));
        continue;
      }
      moved.from = result.nodes.size();
      result.nodes.push_back(source);
      // Beside its user, whatever else used it first.
      result.nodes.back().order = result.nodes[moved.to].order;
    }
    result.edges.push_back(std::move(moved));
  }
  return result;
}

}  // namespace stele::viz
