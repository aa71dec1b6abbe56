#include "passes/capture/onnx_types.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "passes/capture/tensor_proto.h"

namespace stele::capture {
namespace {

constexpr std::array<std::string_view, 5> words_of_dims = {"floordiv", "ceildiv", "mod", "max", "min"};

std::string sanitised(const std::string& text) {
  std::string name;
  for (char c : text.substr(0, 64)) name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  const bool word = std::find(words_of_dims.begin(), words_of_dims.end(), name) != words_of_dims.end();
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || word) name = "d_" + name;
  return name;
}

bool is_expression(const std::string& text) {
  return text.size() <= 256 && text.find_first_of("+-*(") != std::string::npos;
}

const onnx::TypeProto::Tensor* tensor_of(const onnx::TypeProto& proto) {
  return proto.has_tensor_type() && proto.tensor_type().has_shape() ? &proto.tensor_type() : nullptr;
}

void check_size(const Shape& shape, const std::string& what) {
  try {
    Dim bytes = 16;
    for (const Dim& dim : shape) {
      if (dim.is_static() && !dim.is(0)) bytes = bytes * dim;
    }
  } catch (const Error&) {
    fail("{}: its dims overflow", what);
  }
}

void check_dim(const onnx::TensorShapeProto::Dimension& dim, const std::string& what) {
  if (dim.has_dim_value() && dim.dim_value() < 0) fail("{}: dim {} is negative", what, dim.dim_value());
}

}  // namespace

void DimSymbols::declare_names(const onnx::TypeProto& proto) {
  const onnx::TypeProto::Tensor* tensor = tensor_of(proto);
  if (!tensor) return;
  for (const auto& dim : tensor->shape().dim()) {
    if (!dim.dim_param().empty() && !is_expression(dim.dim_param())) declare(dim.dim_param());
  }
}

Dim DimSymbols::declare(const std::string& text) {
  auto found = names_.find(text);
  if (found != names_.end()) return Dim::symbol(found->second);
  if (is_expression(text)) {
    if (std::optional<Dim> known = find(text)) return *known;
  }
  std::string name = sanitised(text);
  const std::string stem = name;
  for (int i = 1; module_.symbols.count(name) != 0; ++i) name = fmt::format("{}_{}", stem, i);
  module_.symbols[name] = SymbolBounds{.min = 0};  // ONNX states no lower bound: an empty batch is valid
  names_[text] = name;
  return Dim::symbol(name);
}

std::optional<Dim> DimSymbols::find(const std::string& text) const {
  auto found = names_.find(text);
  if (found != names_.end()) return Dim::symbol(found->second);
  if (!is_expression(text)) return std::nullopt;
  try {
    const Dim dim = Dim::parse(text);
    std::set<std::string> used;
    dim.collect_symbols(used);
    std::map<std::string, Dim> replacements;
    for (const std::string& name : used) {
      auto known = names_.find(name);
      if (known == names_.end()) return std::nullopt;
      replacements[name] = Dim::symbol(known->second);
    }
    return dim.substitute(replacements);
  } catch (const Error&) {
    return std::nullopt;  // no expression after all: "a-b(c"
  }
}

Type input_type(const onnx::TypeProto& proto, const std::string& name, const std::string& what, DimSymbols& symbols) {
  const onnx::TypeProto::Tensor* tensor = tensor_of(proto);
  const std::optional<DType> dtype = tensor ? dtype_of_onnx(tensor->elem_type()) : std::nullopt;
  if (!dtype) return Type::unknown();
  Shape shape;
  for (const auto& dim : tensor->shape().dim()) {
    check_dim(dim, what);
    if (dim.has_dim_value()) {
      shape.push_back(dim.dim_value());
    } else {
      const bool named = !dim.dim_param().empty();
      shape.push_back(symbols.declare(named ? dim.dim_param() : fmt::format("{}_d{}", name, shape.size())));
    }
  }
  check_size(shape, what);
  return Type::tensor(*dtype, std::move(shape));
}

Type stated_type(const onnx::TypeProto& proto, const std::string& what, const DimSymbols& symbols) {
  const onnx::TypeProto::Tensor* tensor = tensor_of(proto);
  const std::optional<DType> dtype = tensor ? dtype_of_onnx(tensor->elem_type()) : std::nullopt;
  if (!dtype) return Type::unknown();
  Shape shape;
  for (const auto& dim : tensor->shape().dim()) {
    check_dim(dim, what);
    std::optional<Dim> known;
    if (dim.has_dim_value()) known = dim.dim_value();
    if (dim.has_dim_param()) known = symbols.find(dim.dim_param());
    if (!known) return Type::unknown();
    shape.push_back(*known);
  }
  check_size(shape, what);
  return Type::tensor(*dtype, std::move(shape));
}

}  // namespace stele::capture
