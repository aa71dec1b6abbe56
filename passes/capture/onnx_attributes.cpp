#include "passes/capture/onnx_graph.h"

namespace stele::capture {
namespace {

using Proto = onnx::AttributeProto;

// Which of its fields hold something.
std::vector<int> kinds_held(const Proto& proto) {
  std::vector<int> kinds;
  if (proto.has_f()) kinds.push_back(Proto::FLOAT);
  if (proto.has_i()) kinds.push_back(Proto::INT);
  if (proto.has_s()) kinds.push_back(Proto::STRING);
  if (proto.has_t()) kinds.push_back(Proto::TENSOR);
  if (proto.has_g()) kinds.push_back(Proto::GRAPH);
  if (proto.has_sparse_tensor()) kinds.push_back(Proto::SPARSE_TENSOR);
  if (proto.has_tp()) kinds.push_back(Proto::TYPE_PROTO);
  if (proto.floats_size() > 0) kinds.push_back(Proto::FLOATS);
  if (proto.ints_size() > 0) kinds.push_back(Proto::INTS);
  if (proto.strings_size() > 0) kinds.push_back(Proto::STRINGS);
  if (proto.tensors_size() > 0) kinds.push_back(Proto::TENSORS);
  if (proto.graphs_size() > 0) kinds.push_back(Proto::GRAPHS);
  return kinds;
}

// The stated kind; the kind of the field that is set where none is stated (IR version 1).
int kind_of(const Proto& proto, const std::string& what) {
  const std::vector<int> held = kinds_held(proto);
  int kind = proto.type();
  if (kind == Proto::UNDEFINED && !held.empty()) kind = held[0];
  for (int other : held) {
    // An exporter may write the zeros of the other single fields; a list is never there by default.
    const bool zero = (other == Proto::FLOAT && proto.f() == 0) || (other == Proto::INT && proto.i() == 0) ||
                      (other == Proto::STRING && proto.s().empty());
    if (other == kind || zero) continue;
    fail("{}: attribute '{}' is stated to be of kind {} and holds one of kind {}", what, proto.name(),
         onnx::AttributeProto_AttributeType_Name(static_cast<Proto::AttributeType>(kind)),
         onnx::AttributeProto_AttributeType_Name(static_cast<Proto::AttributeType>(other)));
  }
  return kind;
}

Tensor tensor_of_floats(std::vector<int64_t> sizes, const std::vector<double>& values) {
  return Tensor::of_doubles(DType::f32, std::move(sizes), values);
}

// Constant has one attribute of many; here it has "value", a tensor, or "not_read".
void normalise_constant(Attributes& attributes) {
  if (attributes.count("value") != 0 || attributes.size() != 1) return;
  const auto& [name, given] = *attributes.begin();
  Attribute value;
  if (const auto* f = given.get<double>()) value = tensor_of_floats({}, {*f});
  if (const auto* i = given.get<int64_t>()) value = Tensor::of_ints(DType::i64, {}, {*i});
  if (const auto* fs = given.get<Attribute::Doubles>()) value = tensor_of_floats({static_cast<int64_t>(fs->size())}, *fs);
  if (const auto* is = given.get<Attribute::Ints>()) value = Tensor::of_ints(DType::i64, {static_cast<int64_t>(is->size())}, *is);
  if (value.get<Tensor>()) {
    attributes = {{"value", value}};
  } else {
    attributes["not_read"] = "attribute " + name;
  }
}

}  // namespace

Attribute GraphReader::tensor_attribute(onnx::TensorProto& proto, const std::string& what) {
  if (!dtype_of_onnx(proto.data_type())) return "element type " + onnx_type_name(proto.data_type());
  return take_tensor(proto, {what, place_.folder});
}

Attribute GraphReader::attribute_of(onnx::AttributeProto& proto, const std::string& what) {
  switch (kind_of(proto, what)) {
    case Proto::FLOAT: return static_cast<double>(proto.f());
    case Proto::INT: return static_cast<int64_t>(proto.i());
    case Proto::STRING: return proto.s();
    case Proto::TENSOR: return tensor_attribute(*proto.mutable_t(), fmt::format("{}: attribute '{}'", what, proto.name()));
    case Proto::FLOATS: return Attribute::Doubles(proto.floats().begin(), proto.floats().end());
    case Proto::INTS: return Attribute::Ints(proto.ints().begin(), proto.ints().end());
    case Proto::STRINGS: return Attribute::Strings(proto.strings().begin(), proto.strings().end());
    case Proto::TENSORS: {
      Attribute::Array tensors;
      for (auto& tensor : *proto.mutable_tensors()) {
        tensors.push_back(tensor_attribute(tensor, fmt::format("{}: attribute '{}'", what, proto.name())));
      }
      return tensors;
    }
    case Proto::TYPE_PROTO: return stated_type(proto.tp(), what, symbols_);
    case Proto::SPARSE_TENSOR: return "a sparse tensor, not read";
    case Proto::UNDEFINED: fail("{}: attribute '{}' has no kind", what, proto.name());
    default: return fmt::format("of kind {}, not read", static_cast<int>(proto.type()));
  }
}

Attributes GraphReader::attributes_of(onnx::NodeProto& node, const std::string& what) {
  Attributes attributes;
  Attribute::Strings graphs;
  for (auto& proto : *node.mutable_attribute()) {
    if (proto.name().empty()) fail("{}: an attribute has no name", what);
    if (!proto.ref_attr_name().empty()) fail("{}: attribute '{}' refers to a function's, outside of a function", what, proto.name());
    if (kind_of(proto, what) == Proto::GRAPH) {
      if (!proto.has_g()) fail("{}: attribute '{}' holds no graph", what, proto.name());
      graphs.push_back(proto.name());
    } else if (!attributes.emplace(proto.name(), attribute_of(proto, what)).second) {
      fail("{}: attribute '{}' is given twice", what, proto.name());
    }
  }
  if (!graphs.empty()) attributes["graphs"] = std::move(graphs);
  if (node.op_type() == "Constant") {
    auto value = attributes.find("value");
    if (value != attributes.end() && !value->second.get<Tensor>()) attributes = {{"not_read", value->second}};
    normalise_constant(attributes);
  }
  return attributes;
}

}  // namespace stele::capture
