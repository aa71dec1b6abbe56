#include "app/cli/session_graph.h"

#include <charconv>
#include <map>

namespace stele::cli {
namespace {

std::string short_name(const std::string& name) {
  const size_t dot = name.find('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

viz::Graph graph_of(const Session& session, int snapshot) {
  viz::Graph graph;
  std::map<OpId, size_t> at;
  for (const OpRow& op : session.ops(snapshot)) {
    const auto outer = at.find(op.parent);
    if (op.parent != 0 && outer != at.end()) {
      graph.nodes[outer->second].lines.push_back(short_name(op.name));
      continue;
    }
    viz::Node node;
    node.id = node.order = op.id;
    node.derived_from.assign(op.derived_from.begin(), op.derived_from.end());
    node.title = op.name;
    node.subtitle = op.type;
    node.label = op.label;
    if (!op.attributes.empty()) node.attributes.push_back({"", op.attributes});
    at[op.id] = graph.nodes.size();
    graph.nodes.push_back(std::move(node));
  }
  for (const EdgeRow& edge : session.edges(snapshot)) {
    const auto from = at.find(edge.from), to = at.find(edge.to);
    if (from != at.end() && to != at.end()) graph.edges.push_back({from->second, to->second, edge.operand, edge.type});
  }
  return graph;
}

std::string dot_text(const Session& session, int snapshot) {
  const std::vector<OpRow> ops = session.ops(snapshot);
  std::string text = fmt::format("digraph {} {{\n  node [shape=box];\n", quoted(session.title()));
  std::map<OpId, bool> drawn;
  for (const OpRow& op : ops) {
    if (op.parent != 0) continue;
    drawn[op.id] = true;
    text += fmt::format("  n{} [label={}];\n", op.id, quoted(short_name(op.name) + "\n" + op.type));
  }
  for (const EdgeRow& edge : session.edges(snapshot)) {
    const bool argument = edge.from == 0, result = edge.to == 0;
    if ((!argument && !drawn.contains(edge.from)) || (!result && !drawn.contains(edge.to))) continue;
    const std::string from = argument ? fmt::format("argument{}", edge.result) : fmt::format("n{}", edge.from);
    const std::string to = result ? fmt::format("result{}", edge.operand) : fmt::format("n{}", edge.to);
    text += fmt::format("  {} -> {} [label={}];\n", from, to, quoted(edge.type));
  }
  return text + "}\n";
}

int find_snapshot(const Session& session, const std::string& text) {
  const std::vector<SnapshotRow> rows = session.snapshots();
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool number = error == std::errc() && end == text.data() + text.size();
  for (const SnapshotRow& row : rows) {
    if (number ? row.index == index : row.name == text) return row.index;
  }
  fail("{}: no snapshot '{}', it holds 0 to {}", session.path(), text, static_cast<int>(rows.size()) - 1);
}

}  // namespace stele::cli
