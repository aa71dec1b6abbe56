#include "passes/capture/onnx_graph.h"

#include <cctype>

namespace stele::capture {
namespace {

std::string dotted(const std::string& text) {
  std::string name;
  for (char c : text) name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ? c : '_';
  return name;
}

// Names are shown, copied to every op made from another, and stand in messages: one of megabytes is cut.
std::string shown(std::string name) {
  constexpr size_t longest = 1024;
  if (name.size() <= longest) return name;
  name.resize(longest);
  name.append("...");
  return name;
}

bool is_onnx_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

std::string op_name(const onnx::NodeProto& node) {
  const std::string domain = is_onnx_domain(node.domain()) ? "" : dotted(shown(node.domain())) + ".";
  return "onnx." + domain + dotted(shown(node.op_type()));
}

int count_without_trailing_empty(const google::protobuf::RepeatedPtrField<std::string>& names) {
  int count = names.size();
  while (count > 0 && names.Get(count - 1).empty()) --count;
  return count;
}

}  // namespace

void GraphReader::read_main(onnx::GraphProto& graph) {
  Function& main = builder_.add_function("main");
  builder_.at_end(main.body());
  Scope scope;
  read_body(graph, main.body(), scope);
  const std::vector<Value*> outputs = read_outputs(graph, scope);
  builder_.set_origin({});
  builder_.create("func.return", outputs, {});
  std::vector<Type> types;
  std::vector<std::string> names;
  for (Value* output : outputs) types.push_back(output->type());
  for (const auto& output : graph.output()) names.push_back(shown(output.name()));
  builder_.set_results(main, std::move(types), std::move(names));
  if (static_cast<unsigned>(graph.input_size()) == main.body().argument_count()) return;
  Attribute::Strings inputs;
  for (const auto& input : graph.input()) inputs.push_back(shown(input.name()));
  builder_.set_function_attribute(main, "graph_inputs", std::move(inputs));
}

void GraphReader::read_body(onnx::GraphProto& graph, Region& region, Scope& scope) {
  read_inputs(graph, region, scope);
  read_stated_types(graph, scope);
  read_initialisers(graph, scope);
  const std::vector<int> order = execution_order(graph, place_.what);
  // Checked before any node is made, so that the message does not depend on the order.
  std::unordered_map<std::string, int> producer;
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& output : graph.node(i).output()) {
      if (output.empty()) continue;
      auto [at, fresh] = producer.emplace(output, i);
      if (fresh) continue;
      fail("{}: tensor '{}' is produced by {} and again by {}", place_.what, output, describe(graph.node(at->second), at->second),
           describe(graph.node(i), i));
    }
  }
  for (int index : order) read_node(*graph.mutable_node(index), index, region, scope);
}

void GraphReader::read_inputs(const onnx::GraphProto& graph, Region& region, Scope& scope) {
  // Before IR version 4 every initialiser had to be an input too; it is a constant all the same.
  std::unordered_set<std::string> initialised;
  for (const auto& tensor : graph.initializer()) initialised.insert(tensor.name());
  for (const auto& input : graph.input()) symbols_.declare_names(input.type());
  for (const auto& input : graph.input()) {
    if (initialised.count(input.name()) != 0) continue;
    if (input.name().empty()) fail("{}: a graph input has no name", place_.what);
    const std::string what = fmt::format("{}: input '{}'", place_.what, input.name());
    const Type type = input_type(input.type(), input.name(), what, symbols_);
    define(scope, input.name(), builder_.add_argument(region, type, shown(input.name())), "input");
  }
}

void GraphReader::read_initialisers(onnx::GraphProto& graph, Scope& scope) {
  builder_.set_origin({});
  for (auto& tensor : *graph.mutable_initializer()) {
    if (tensor.name().empty()) fail("{}: an initialiser has no name", place_.what);
    Value* value = constant(tensor, fmt::format("{}: initialiser '{}'", place_.what, tensor.name()));
    builder_.set_name(value, shown(tensor.name()));
    define(scope, tensor.name(), value, "initialiser");
  }
  for (const auto& sparse : graph.sparse_initializer()) {
    Value* value = builder_.create_value("onnx.Constant", {}, Type::unknown(), {{"not_read", "sparse tensor"}});
    builder_.set_name(value, shown(sparse.values().name()));
    define(scope, sparse.values().name(), value, "initialiser");
  }
}

void GraphReader::read_stated_types(const onnx::GraphProto& graph, Scope& scope) const {
  for (const auto& value : graph.value_info()) scope.stated.emplace(value.name(), &value.type());
  for (const auto& value : graph.output()) scope.stated.emplace(value.name(), &value.type());
}

Type GraphReader::type_of_result(const onnx::NodeProto& node, int i, const Scope& scope) const {
  const std::string& name = node.output(i);
  auto found = scope.stated.find(name);
  if (name.empty() || found == scope.stated.end()) return Type::unknown();
  return stated_type(*found->second, fmt::format("{}: tensor '{}'", place_.what, name), symbols_);
}

void GraphReader::read_node(onnx::NodeProto& node, int index, Region& region, Scope& scope) {
  const std::string what = fmt::format("{}: {}", place_.what, describe(node, index));
  if (node.op_type().empty()) fail("{}: has no op type", what);
  std::vector<Value*> operands = operands_of(node, what, scope);
  Attributes attributes = attributes_of(node, what);
  if (!is_onnx_domain(node.domain())) attributes["domain"] = shown(node.domain());
  const int results = count_without_trailing_empty(node.output());
  if (results == 0) fail("{}: has no output", what);
  std::vector<Type> types;
  for (int i = 0; i < results; ++i) types.push_back(type_of_result(node, i, scope));
  if (op_name(node) == "onnx.Constant" && results == 1) {
    auto value = attributes.find("value");
    const Tensor* tensor = value == attributes.end() ? nullptr : value->second.get<Tensor>();
    if (tensor) types[0] = tensor->type();
  }
  unsigned graphs = 0;
  for (const auto& attribute : node.attribute()) graphs += attribute.has_g() ? 1 : 0;
  builder_.set_origin({}, shown(node.name()));
  Operation* op = builder_.create(op_name(node), std::move(operands), std::move(types), std::move(attributes), graphs);
  for (int i = 0; i < results; ++i) {
    if (node.output(i).empty()) continue;
    builder_.set_name(op->result(static_cast<unsigned>(i)), shown(node.output(i)));
    define(scope, node.output(i), op->result(static_cast<unsigned>(i)), describe(node, index));
  }
  if (graphs == 0) return;
  read_subgraphs(node, op, scope);
  builder_.at_end(region);
}

void GraphReader::read_subgraphs(onnx::NodeProto& node, Operation* op, const Scope& scope) {
  unsigned next = 0;
  for (auto& attribute : *node.mutable_attribute()) {
    if (!attribute.has_g()) continue;
    Region& region = op->region(next++);
    Scope inner;
    inner.outer = &scope;
    builder_.at_end(region);
    read_body(*attribute.mutable_g(), region, inner);
    builder_.set_origin({});
    builder_.create("stablehlo.return", read_outputs(attribute.g(), inner), {});
  }
}

std::vector<Value*> GraphReader::operands_of(const onnx::NodeProto& node, const std::string& what, Scope& scope) {
  std::vector<Value*> operands;
  const int count = count_without_trailing_empty(node.input());
  for (int i = 0; i < count; ++i) {
    const std::string& name = node.input(i);
    Value* value = name.empty() ? none_value(scope) : nullptr;
    for (const Scope* at = &scope; at && !value; at = at->outer) {
      auto found = at->values.find(name);
      if (found != at->values.end()) value = found->second;
    }
    if (!value) fail("{}: input '{}' is not defined", what, name);
    operands.push_back(value);
  }
  return operands;
}

std::vector<Value*> GraphReader::read_outputs(const onnx::GraphProto& graph, const Scope& scope) const {
  std::vector<Value*> outputs;
  for (const auto& output : graph.output()) {
    Value* value = nullptr;
    for (const Scope* at = &scope; at && !value; at = at->outer) {
      auto found = at->values.find(output.name());
      if (found != at->values.end()) value = found->second;
    }
    if (!value) fail("{}: graph output '{}' is not defined", place_.what, output.name());
    outputs.push_back(value);
  }
  return outputs;
}

void GraphReader::define(Scope& scope, const std::string& name, Value* value, const std::string& what) {
  if (!scope.values.emplace(name, value).second) fail("{}: {}: tensor '{}' is defined twice", place_.what, what, name);
}

// Made where it is first needed, once a graph.
Value* GraphReader::none_value(Scope& scope) {
  if (!scope.none) {
    builder_.set_origin({});
    scope.none = builder_.create_value("onnx.None", {}, Type::none());
  }
  return scope.none;
}

Value* GraphReader::constant(onnx::TensorProto& proto, const std::string& what) {
  Attribute value = tensor_attribute(proto, what);
  if (const Tensor* tensor = value.get<Tensor>()) {
    Type type = tensor->type();
    return builder_.create_value("onnx.Constant", {}, std::move(type), {{"value", std::move(value)}});
  }
  return builder_.create_value("onnx.Constant", {}, Type::unknown(), {{"not_read", std::move(value)}});
}

}  // namespace stele::capture
