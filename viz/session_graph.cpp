#include "viz/session_graph.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "viz/scoreboard.h"

namespace stele::viz {
namespace {

constexpr OpId first_argument = OpId{1} << 62, first_result = first_argument + (OpId{1} << 32);
constexpr std::size_t most_fused_lines = 8;

std::string after_dialect(const std::string& name) {
  const auto dot = name.find('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

std::string dialect(const std::string& name) { return name.substr(0, name.find('.')); }

Role role_of(const OpRow& op) {
  constexpr std::array<std::string_view, 7> control = {"while", "case", "if", "If", "Loop", "call", "Scan"};
  const std::string name = after_dialect(op.name), prefix = dialect(op.name);
  if (name == "constant" || name == "Constant") return Role::constant;
  if (op.name == "kernel.fusion") return Role::fusion;
  if (op.name == "kernel.library") return Role::library;
  if (prefix == "loop") return Role::loop;
  if (prefix == "llvm" || prefix == "machine") return Role::machine;
  return std::find(control.begin(), control.end(), name) != control.end() ? Role::control : Role::op;
}

// "1.000000e-06" as "1e-06"; what is not a float unchanged.
std::string short_number(const std::string& text) {
  if (text.find_first_of(".e") == std::string::npos || text.find_first_not_of("0123456789.e+-") != std::string::npos) {
    return text;
  }
  char shorter[32];
  std::snprintf(shorter, sizeof shorter, "%.6g", std::strtod(text.c_str(), nullptr));
  return shorter;
}

// "dense<0.5>" as "0.5"; a value that is too long or elsewhere as "constant".
std::string constant_title(const std::vector<Attribute>& attributes) {
  const auto value =
      std::find_if(attributes.begin(), attributes.end(), [](const Attribute& a) { return a.name == "value"; });
  if (value == attributes.end() || !value->text.starts_with("dense<")) return "constant";
  const auto end = value->text.find('>');
  const std::string text = value->text.substr(6, end == std::string::npos ? std::string::npos : end - 6);
  return text.empty() || text.size() > 20 || text[0] == '"' ? "constant" : short_number(text);
}

void add_shares(const OpRow& op, Node& node) {
  if (op.flops > 0) node.attributes.push_back({"work", metric_text(Metric::flops, static_cast<double>(op.flops))});
  if (op.hbm_bytes > 0)
    node.attributes.push_back({"traffic", metric_text(Metric::hbm_bytes, static_cast<double>(op.hbm_bytes))});
  if (op.kernels >= 0) node.attributes.push_back({"kernels", std::to_string(op.kernels)});
}

Node node_of(const OpRow& op, const Births& births) {
  Node node;
  node.id = op.id;
  node.order = births.order(op.id);
  node.derived_from = op.derived_from;
  node.title = after_dialect(op.name);
  node.subtitle = short_type(op.type);
  node.label = op.label;
  node.role = role_of(op);
  node.attributes = split_attributes(op.attributes);
  if (node.role == Role::constant) node.title = constant_title(node.attributes);
  node.attributes.insert(node.attributes.begin(), {"op", op.name});
  add_shares(op, node);
  // What a kernel was in the user's file says more than that it is a kernel.
  const bool is_kernel = node.role == Role::loop || node.role == Role::machine;
  if (is_kernel && !node.label.empty()) node.lines.push_back(node.label);
  return node;
}

// A line for each run of equal names, the last one for what is too much.
std::vector<std::string> body_lines(const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  std::size_t shown = 0;
  while (shown < names.size() && lines.size() < most_fused_lines) {
    std::size_t end = shown;
    while (end < names.size() && names[end] == names[shown]) ++end;
    lines.push_back(names[shown] + (end - shown > 1 ? " ×" + std::to_string(end - shown) : ""));
    shown = end;
  }
  if (shown < names.size()) lines.push_back("… " + std::to_string(names.size() - shown) + " more");
  return lines;
}

// The ops inside a fusion, named in its box; constants are not worth a line.
void list_body(Graph& graph, const std::map<OpId, std::size_t>& index, const std::vector<OpRow>& ops) {
  std::map<std::size_t, std::vector<std::string>> bodies;
  for (const OpRow& op : ops) {
    const auto parent = op.parent == 0 ? index.end() : index.find(op.parent);
    if (parent == index.end()) continue;
    Node& fusion = graph.nodes[parent->second];
    fusion.derived_from.push_back(op.id);
    fusion.derived_from.insert(fusion.derived_from.end(), op.derived_from.begin(), op.derived_from.end());
    if (role_of(op) == Role::constant) continue;
    bodies[parent->second].push_back(after_dialect(op.name));
  }
  for (auto& [node, names] : bodies) graph.nodes[node].lines = body_lines(names);
}

// Arguments and results as nodes, made as edges name them.
class Ends {
 public:
  Ends(Graph& graph, const std::vector<std::string>& names) : graph_(graph), names_(names) {}

  std::size_t argument(const EdgeRow& edge) {
    const auto number = static_cast<std::size_t>(edge.result);
    const std::string name = number < names_.size() ? names_[number] : "argument " + std::to_string(number);
    return end(first_argument + number, number, Role::argument, name, edge.type);
  }
  std::size_t result(const EdgeRow& edge) {
    const auto number = static_cast<std::size_t>(edge.operand);
    return end(first_result + number, first_result + number, Role::result, "result " + std::to_string(number),
               edge.type);
  }

 private:
  std::size_t end(OpId id, OpId order, Role role, const std::string& name, const std::string& type) {
    const auto [found, is_new] = made_.try_emplace(id, graph_.nodes.size());
    if (is_new) {
      Node node;
      node.id = id;
      node.order = order;
      node.role = role;
      node.title = name;
      node.subtitle = short_type(type);
      graph_.nodes.push_back(std::move(node));
    }
    return found->second;
  }

  Graph& graph_;
  const std::vector<std::string>& names_;
  std::map<OpId, std::size_t> made_;
};

std::string one_short_type(const std::string& type) {
  const auto open = type.find('<');
  if (open == std::string::npos || type.back() != '>') return type;
  const std::string kind = type.substr(0, open), inside = type.substr(open + 1, type.size() - open - 2);
  if (kind != "tensor" && kind != "vector" && kind != "memref") return type;
  const std::string shape = inside.substr(0, inside.find(','));
  std::vector<std::string> names;  // of the dims that are symbols, "#stele.dims<batch, n + 1>"
  if (const auto dims = inside.find("#stele.dims<"); dims != std::string::npos) {
    for (const Attribute& part : split_attributes(inside.substr(dims + 12, inside.size() - dims - 13)))
      names.push_back(part.name);
  }
  std::string sizes;
  std::size_t start = 0, symbol = 0;
  for (std::size_t x = shape.find('x'); x != std::string::npos; x = shape.find('x', start)) {
    std::string size = shape.substr(start, x - start);
    if (size == "?" && symbol < names.size()) size = names[symbol++];
    sizes += (sizes.empty() ? "" : ",") + size;
    start = x + 1;
  }
  const std::string prefix = kind == "tensor" ? "" : kind == "vector" ? "vector " : "buffer ";
  return prefix + shape.substr(start) + "[" + sizes + "]";
}

}  // namespace

void Births::add(const std::vector<OpRow>& ops) {
  for (const OpRow& op : ops) {
    OpId oldest = op.id;
    for (const OpId ancestor : op.derived_from) oldest = std::min(oldest, order(ancestor));
    const auto [found, is_new] = order_.try_emplace(op.id, oldest);
    if (op.parent != 0) {  // a fusion takes the place of its first op
      const auto parent = order_.find(op.parent);
      if (parent != order_.end()) parent->second = std::min(parent->second, found->second);
    }
  }
}

OpId Births::order(OpId id) const {
  const auto found = order_.find(id);
  return found == order_.end() ? id : found->second;
}

std::string short_type(const std::string& type) {
  std::string text;
  for (const Attribute& part : split_attributes(type)) text += (text.empty() ? "" : ", ") + one_short_type(part.name);
  return text;
}

std::vector<Attribute> split_attributes(const std::string& text) {
  std::vector<Attribute> result;
  std::string part;
  int depth = 0;
  bool quoted = false;
  const auto finish = [&] {
    const auto first = part.find_first_not_of(' ');
    if (first != std::string::npos) {
      const auto equals = part.find(" = ");
      const bool is_pair = equals != std::string::npos;
      result.push_back(
          {part.substr(first, is_pair ? equals - first : std::string::npos), is_pair ? part.substr(equals + 3) : ""});
    }
    part.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    const bool is_arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (!quoted && (c == '<' || c == '[' || c == '{' || c == '(')) ++depth;
    if (!quoted && !is_arrow && (c == '>' || c == ']' || c == '}' || c == ')')) --depth;
    if (c == ',' && !quoted && depth == 0) {
      finish();
    } else {
      part += c;
    }
  }
  finish();
  return result;
}

std::string plain_attribute(const std::string& text) {
  constexpr std::string_view dim = "#stele.dim<", blob = "#stele.blob<", array = "array<";
  constexpr std::size_t hash_digits = 8;
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  if (text.starts_with(dim) && text.back() == '>') return text.substr(dim.size(), text.size() - dim.size() - 1);
  if (text.starts_with(array) && text.back() == '>') {
    const auto colon = text.find(": ");
    return colon == std::string::npos ? "[]" : "[" + text.substr(colon + 2, text.size() - colon - 3) + "]";
  }
  if (text.starts_with(blob) && text.back() == '>') return "blob " + text.substr(blob.size(), hash_digits) + "…";
  return text;
}

std::vector<std::string> argument_names(const std::string& text) {
  std::vector<std::string> names;
  const auto main = text.find("@main(");
  if (main == std::string::npos) return names;
  int depth = 1;
  for (std::size_t i = main + 6; i < text.size() && depth > 0; ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != '%' || depth != 1) continue;
    const auto colon = text.find(':', i);
    if (colon == std::string::npos) break;
    names.push_back(text.substr(i + 1, colon - i - 1));
    i = colon;
  }
  return names;
}

Graph session_graph(const SnapshotRows& rows, const Births& births) {
  Graph graph;
  Ends ends(graph, rows.argument_names);
  for (const EdgeRow& edge : rows.edges) {
    if (edge.from == 0) ends.argument(edge);
  }
  std::map<OpId, std::size_t> index;
  for (const OpRow& op : rows.ops) {
    if (op.parent != 0 && index.contains(op.parent)) continue;
    index[op.id] = graph.nodes.size();
    graph.nodes.push_back(node_of(op, births));
  }
  list_body(graph, index, rows.ops);
  for (const EdgeRow& row : rows.edges) {
    const auto from = index.find(row.from), to = index.find(row.to);
    if ((row.from != 0 && from == index.end()) || (row.to != 0 && to == index.end())) continue;  // within a fusion
    Edge edge;
    edge.from = row.from == 0 ? ends.argument(row) : from->second;
    edge.to = row.to == 0 ? ends.result(row) : to->second;
    edge.operand = row.operand;
    edge.type = short_type(row.type);
    graph.edges.push_back(std::move(edge));
  }
  return graph;
}

}  // namespace stele::viz
