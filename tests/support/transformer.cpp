#include "tests/support/transformer.h"

#include <algorithm>
#include <map>
#include <set>

namespace stele::viz::testing {
namespace {

class Writer {
 public:
  std::size_t node(Role role, const std::string& title, const std::string& type, const std::string& label = "") {
    Node n;
    n.id = n.order = graph.nodes.size() + 1;
    n.role = role;
    n.title = title;
    n.subtitle = type;
    n.label = label;
    graph.nodes.push_back(n);
    return graph.nodes.size() - 1;
  }
  std::size_t op(const std::string& title, const std::string& type, const std::vector<std::size_t>& operands) {
    const std::size_t n = node(Role::op, title, type);
    for (std::size_t i = 0; i < operands.size(); ++i)
      graph.edges.push_back({operands[i], n, static_cast<int>(i), graph.nodes[operands[i]].subtitle});
    return n;
  }
  std::size_t scalar(const std::string& value) { return node(Role::constant, value, "f32[]"); }
  std::size_t weight(const std::string& name, const std::string& type) {
    return node(Role::constant, "constant", type, name);
  }

  Graph graph;
};

constexpr const char* hidden = "f32[1,16,64]";
constexpr const char* heads = "f32[1,4,16,16]";

std::size_t rms_norm(Writer& w, std::size_t x, const std::string& name) {
  const std::size_t square = w.op("multiply", hidden, {x, x});
  const std::size_t sum = w.op("reduce", "f32[1,16]", {square, w.scalar("0")});
  const std::size_t mean = w.op("divide", "f32[1,16]", {sum, w.scalar("64")});
  const std::size_t shifted = w.op("add", "f32[1,16]", {mean, w.scalar("1e-06")});
  const std::size_t scale = w.op("rsqrt", "f32[1,16]", {shifted});
  const std::size_t wide = w.op("broadcast_in_dim", hidden, {scale});
  const std::size_t normed = w.op("multiply", hidden, {x, wide});
  return w.op("multiply", hidden, {normed, w.weight(name, "f32[64]")});
}

std::size_t project(Writer& w, std::size_t x, const std::string& name) {
  const std::size_t product = w.op("dot_general", hidden, {x, w.weight(name, "f32[64,64]")});
  const std::size_t split = w.op("reshape", "f32[1,16,4,16]", {product});
  return w.op("transpose", heads, {split});
}

std::size_t rotate(Writer& w, std::size_t x, std::size_t cosine, std::size_t sine) {
  const std::size_t low = w.op("slice", "f32[1,4,16,8]", {x});
  const std::size_t high = w.op("slice", "f32[1,4,16,8]", {x});
  const std::size_t turned = w.op("concatenate", heads, {w.op("negate", "f32[1,4,16,8]", {high}), low});
  const std::size_t a = w.op("multiply", heads, {x, cosine});
  const std::size_t b = w.op("multiply", heads, {turned, sine});
  return w.op("add", heads, {a, b});
}

std::size_t softmax(Writer& w, std::size_t x) {
  const std::size_t most = w.op("reduce", "f32[1,4,16]", {x, w.scalar("-inf")});
  const std::size_t shifted = w.op("subtract", heads, {x, w.op("broadcast_in_dim", heads, {most})});
  const std::size_t e = w.op("exponential", heads, {shifted});
  const std::size_t sum = w.op("reduce", "f32[1,4,16]", {e, w.scalar("0")});
  return w.op("divide", heads, {e, w.op("broadcast_in_dim", heads, {sum})});
}

std::size_t layer(Writer& w, std::size_t x, int index, std::size_t cosine, std::size_t sine, std::size_t mask) {
  const std::string prefix = "layers." + std::to_string(index) + ".";
  const std::size_t normed = rms_norm(w, x, prefix + "norm1");
  const std::size_t q = rotate(w, project(w, normed, prefix + "wq"), cosine, sine);
  const std::size_t k = rotate(w, project(w, normed, prefix + "wk"), cosine, sine);
  const std::size_t v = project(w, normed, prefix + "wv");
  const std::size_t scores = w.op("dot_general", heads, {q, w.op("transpose", heads, {k})});
  const std::size_t scaled = w.op("multiply", heads, {scores, w.scalar("0.25")});
  const std::size_t weights = softmax(w, w.op("add", heads, {scaled, mask}));
  const std::size_t mixed = w.op("transpose", hidden, {w.op("dot_general", heads, {weights, v})});
  const std::size_t out =
      w.op("dot_general", hidden, {w.op("reshape", hidden, {mixed}), w.weight(prefix + "wo", "f32[64,64]")});
  const std::size_t middle = w.op("add", hidden, {x, out});
  const std::size_t normed2 = rms_norm(w, middle, prefix + "norm2");
  const std::size_t gate = w.op("dot_general", "f32[1,16,128]", {normed2, w.weight(prefix + "gate", "f32[64,128]")});
  const std::size_t silu = w.op("multiply", "f32[1,16,128]", {gate, w.op("logistic", "f32[1,16,128]", {gate})});
  const std::size_t up = w.op("dot_general", "f32[1,16,128]", {normed2, w.weight(prefix + "up", "f32[64,128]")});
  const std::size_t both = w.op("multiply", "f32[1,16,128]", {silu, up});
  const std::size_t down = w.op("dot_general", hidden, {both, w.weight(prefix + "down", "f32[128,64]")});
  return w.op("add", hidden, {middle, down});
}

}  // namespace

Graph transformer(int layers) {
  Writer w;
  w.graph.name = "decoder";
  const std::size_t tokens = w.node(Role::argument, "tokens", "i64[1,16]");
  const std::size_t cosine = w.weight("rope.cos", "f32[1,1,16,16]");
  const std::size_t sine = w.weight("rope.sin", "f32[1,1,16,16]");
  const std::size_t mask = w.weight("causal_mask", "f32[1,1,16,16]");
  std::size_t x = w.op("gather", hidden, {w.weight("embedding", "f32[256,64]"), tokens});
  for (int i = 0; i < layers; ++i) x = layer(w, x, i, cosine, sine, mask);
  x = rms_norm(w, x, "norm");
  const std::size_t logits = w.op("dot_general", "f32[1,16,256]", {x, w.weight("head", "f32[64,256]")});
  const std::size_t result = w.node(Role::result, "logits", "f32[1,16,256]");
  w.graph.edges.push_back({logits, result, 0, "f32[1,16,256]"});
  return w.graph;
}

namespace {

bool is_elementwise(const Node& node) {
  static const std::set<std::string> names = {"multiply",    "add",      "subtract", "divide",          "negate",
                                              "exponential", "logistic", "rsqrt",    "broadcast_in_dim"};
  return node.role == Role::op && names.contains(node.title);
}

std::vector<std::size_t> use_counts(const Graph& graph) {
  std::vector<std::size_t> uses(graph.nodes.size(), 0);
  for (const Edge& edge : graph.edges) ++uses[edge.from];
  return uses;
}

// For each op the op whose fusion it joins: an elementwise op with one use joins its elementwise user. Users come later
// in the list.
std::vector<std::size_t> fusion_roots(const Graph& graph) {
  const std::vector<std::size_t> uses = use_counts(graph);
  std::vector<std::size_t> root(graph.nodes.size());
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = i;
  for (auto edge = graph.edges.rbegin(); edge != graph.edges.rend(); ++edge) {
    if (is_elementwise(graph.nodes[edge->from]) && is_elementwise(graph.nodes[edge->to]) && uses[edge->from] == 1)
      root[edge->from] = root[edge->to];
  }
  return root;
}

}  // namespace

Graph fuse_elementwise(const Graph& graph) {
  const std::vector<std::size_t> root = fusion_roots(graph);
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < root.size(); ++i) members[root[i]].push_back(i);

  Graph result;
  result.name = graph.name;
  OpId next_id = 10000;
  std::map<std::size_t, std::size_t> new_index;
  for (const auto& [last, group] : members) {
    Node node = graph.nodes[last];
    if (group.size() > 1) {
      node.id = next_id++;
      node.order = graph.nodes[group.front()].order;
      node.role = Role::fusion;
      node.title = "fusion";
      for (const std::size_t member : group) {
        node.derived_from.push_back(graph.nodes[member].id);
        node.lines.push_back(graph.nodes[member].title);
      }
    }
    new_index[last] = result.nodes.size();
    result.nodes.push_back(node);
  }
  for (const Edge& edge : graph.edges) {
    if (root[edge.from] == root[edge.to]) continue;
    result.edges.push_back({new_index[root[edge.from]], new_index[root[edge.to]], edge.operand, edge.type});
  }
  return result;
}

}  // namespace stele::viz::testing
