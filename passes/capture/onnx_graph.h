// The graph of an ONNX file as the body of a function. Only for the sources of this folder.
#pragma once

#include <onnx/onnx_pb.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/builder.h"
#include "passes/capture/onnx_types.h"
#include "passes/capture/tensor_proto.h"

namespace stele::capture {

// The order nodes run in: the file's own where it is sorted, else the first that respects every use, earlier nodes first.
// Throws Error naming a node on a cycle. Cost: the nodes and names once each, subgraphs as often as they are nested.
std::vector<int> execution_order(const onnx::GraphProto& graph, const std::string& file);
// "node 'x' (Gemm)", or by its number where it has no name.
std::string describe(const onnx::NodeProto& node, int index);

class GraphReader {
 public:
  // `place.what` is the file's name; opset names by domain serve nothing here: names alone decide what an op is.
  GraphReader(Module& module, TensorPlace place) : module_(module), builder_(module), place_(std::move(place)), symbols_(module) {}
  // Makes the function main. Consumes the graph: constants are moved out of it.
  void read_main(onnx::GraphProto& graph);

 private:
  struct Scope {
    const Scope* outer = nullptr;
    std::unordered_map<std::string, Value*> values;
    std::unordered_map<std::string, const onnx::TypeProto*> stated;
    Value* none = nullptr;
  };

  void read_body(onnx::GraphProto& graph, Region& region, Scope& scope);
  void read_inputs(const onnx::GraphProto& graph, Region& region, Scope& scope);
  void read_initialisers(onnx::GraphProto& graph, Scope& scope);
  void read_stated_types(const onnx::GraphProto& graph, Scope& scope) const;
  void read_node(onnx::NodeProto& node, int index, Region& region, Scope& scope);
  std::vector<Value*> read_outputs(const onnx::GraphProto& graph, const Scope& scope) const;
  std::vector<Value*> operands_of(const onnx::NodeProto& node, const std::string& what, Scope& scope);
  void read_subgraphs(onnx::NodeProto& node, Operation* op, const Scope& scope);
  void define(Scope& scope, const std::string& name, Value* value, const std::string& what);
  Value* none_value(Scope& scope);
  Value* constant(onnx::TensorProto& proto, const std::string& what);
  Attributes attributes_of(onnx::NodeProto& node, const std::string& what);
  Attribute attribute_of(onnx::AttributeProto& proto, const std::string& what);
  Attribute tensor_attribute(onnx::TensorProto& proto, const std::string& what);
  Type type_of_result(const onnx::NodeProto& node, int i, const Scope& scope) const;

  Module& module_;
  Builder builder_;
  TensorPlace place_;
  DimSymbols symbols_;
};

}  // namespace stele::capture
