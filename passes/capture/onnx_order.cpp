#include <queue>

#include "passes/capture/onnx_graph.h"

namespace stele::capture {
namespace {

using Names = std::unordered_set<std::string>;

void collect_uses(const onnx::NodeProto& node, Names& uses);

// Names a subgraph takes from the graphs around it.
void collect_free_names(const onnx::GraphProto& graph, Names& free) {
  Names own, used;
  for (const auto& input : graph.input()) own.insert(input.name());
  for (const auto& tensor : graph.initializer()) own.insert(tensor.name());
  for (const auto& node : graph.node()) {
    for (const std::string& output : node.output()) own.insert(output);
    collect_uses(node, used);
  }
  for (const auto& output : graph.output()) used.insert(output.name());
  for (const std::string& name : used) {
    if (own.count(name) == 0) free.insert(name);
  }
}

void collect_uses(const onnx::NodeProto& node, Names& uses) {
  for (const std::string& input : node.input()) uses.insert(input);
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) collect_free_names(attribute.g(), uses);
    for (const auto& graph : attribute.graphs()) collect_free_names(graph, uses);
  }
}

struct Dependencies {
  std::vector<std::vector<int>> users;  // by producer
  std::vector<int> missing;             // producers not yet run, by node
};

Dependencies dependencies_of(const onnx::GraphProto& graph) {
  std::unordered_map<std::string, int> producer;
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& output : graph.node(i).output()) producer.emplace(output, i);
  }
  const auto count = static_cast<size_t>(graph.node_size());
  Dependencies result{std::vector<std::vector<int>>(count), std::vector<int>(count, 0)};
  for (int i = 0; i < graph.node_size(); ++i) {
    Names uses;
    collect_uses(graph.node(i), uses);
    for (const std::string& name : uses) {
      auto found = name.empty() ? producer.end() : producer.find(name);
      if (found == producer.end()) continue;
      result.users[static_cast<size_t>(found->second)].push_back(i);
      ++result.missing[static_cast<size_t>(i)];
    }
  }
  return result;
}

// Every node that was not run waits for another such; following one such wait each leads into a cycle.
[[noreturn]] void fail_on_cycle(const onnx::GraphProto& graph, const Dependencies& dependencies, const std::string& file) {
  const size_t count = dependencies.missing.size();
  std::vector<int> waits_for(count, -1);
  for (size_t i = 0; i < count; ++i) {
    if (dependencies.missing[i] == 0) continue;
    for (int user : dependencies.users[i]) waits_for[static_cast<size_t>(user)] = static_cast<int>(i);
  }
  int at = 0;
  while (waits_for[static_cast<size_t>(at)] < 0) ++at;
  for (size_t step = 0; step < count; ++step) at = waits_for[static_cast<size_t>(at)];
  fail("{}: {} is on a cycle: it needs its own result", file, describe(graph.node(at), at));
}

}  // namespace

std::vector<int> execution_order(const onnx::GraphProto& graph, const std::string& file) {
  Dependencies dependencies = dependencies_of(graph);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < graph.node_size(); ++i) {
    if (dependencies.missing[static_cast<size_t>(i)] == 0) ready.push(i);
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (int user : dependencies.users[static_cast<size_t>(node)]) {
      if (--dependencies.missing[static_cast<size_t>(user)] == 0) ready.push(user);
    }
  }
  if (order.size() < dependencies.missing.size()) fail_on_cycle(graph, dependencies, file);
  return order;
}

std::string describe(const onnx::NodeProto& node, int index) {
  if (node.name().empty()) return fmt::format("node {} ({})", index, node.op_type());
  return fmt::format("node '{}' ({})", node.name(), node.op_type());
}

}  // namespace stele::capture
