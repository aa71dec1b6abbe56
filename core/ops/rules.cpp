#include "core/ops/rules.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "core/ir/numerics.h"

namespace stele {

std::string short_name(const Operation& op) { return op.name().substr(op.name().find('.') + 1); }

std::string str(const Shape& shape) {
  std::string text = "[";
  for (const Dim& dim : shape) text += (text.size() > 1 ? ", " : "") + dim.str();
  return text + "]";
}

std::string str(const Ints& values) { return str(make_shape(values)); }

Shape dims_attribute(const Operation& op, std::string_view name) {
  if (const Attribute* attribute = op.attribute(name)) {
    if (const Shape* shape = attribute->get<Shape>()) return *shape;
  }
  return make_shape(op.get<Ints>(name));
}

Shape dims_attribute_or(const Operation& op, std::string_view name, Shape otherwise) {
  return op.has(name) ? dims_attribute(op, name) : std::move(otherwise);
}

Ints ints_attribute_or(const Operation& op, std::string_view name, Ints otherwise) {
  return op.get_or<Ints>(name, std::move(otherwise));
}

bool is_unknown_size(const Dim& dim) { return !dim.is_static() && dim.str().find('?') != std::string::npos; }

bool may_equal(const Dim& a, const Dim& b) { return a == b || is_unknown_size(a) || is_unknown_size(b); }

bool may_equal(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Dim& x, const Dim& y) { return may_equal(x, y); });
}

void verify_axes(const Operation& op, std::string_view constraint, const Ints& axes, int rank) {
  std::set<int64_t> seen;
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= rank) violated(op, constraint, "axis {} is out of range for rank {}", axis, rank);
    if (!seen.insert(axis).second) violated(op, constraint, "axis {} is given twice", axis);
  }
}

namespace {

// Text that has no names for its '?' calls them d0, d1 … in each type: a name that claims nothing.
bool is_unnamed(const Dim& dim) {
  const std::string text = dim.str();
  return !dim.is_static() && text.size() > 1 && text[0] == 'd' && text.find_first_not_of("0123456789", 1) == std::string::npos;
}

bool fits_declared(const Shape& declared, const Shape& inferred) {
  return std::equal(declared.begin(), declared.end(), inferred.begin(), inferred.end(),
                    [](const Dim& x, const Dim& y) { return may_equal(x, y) || is_unnamed(x); });
}

}  // namespace

void verify_inferred(const Operation& op, std::string_view constraint) {
  const std::vector<Type> types = op_def(op).infer(op);
  if (types.size() != op.result_count()) violated(op, constraint, "{} results, expected {}", op.result_count(), types.size());
  for (unsigned i = 0; i < op.result_count(); ++i) {
    const Type& type = op.result(i)->type();
    if (type.kind != types[i].kind || type.dtype != types[i].dtype || !fits_declared(type.shape, types[i].shape)) {
      violated(op, constraint, "result has type {}, expected {}", type.str(), types[i].str());
    }
  }
}

std::vector<Type> declared_result_types(const Operation& op) {
  std::vector<Type> types;
  for (const Value* result : op.results()) types.push_back(result->type());
  return types;
}

bool in_memory(const Type& type) { return type.is_tensor() || type.is_buffer(); }

Dim distinct_operand_bytes(const Operation& op) {
  Dim bytes = 0;
  for (unsigned i = 0; i < op.operand_count(); ++i) {
    const auto first = std::find(op.operands().begin(), op.operands().end(), op.operand(i));
    if (first - op.operands().begin() == i && in_memory(op.operand(i)->type())) bytes = bytes + op.operand(i)->type().bytes();
  }
  return bytes;
}

Dim result_bytes(const Operation& op) {
  Dim bytes = 0;
  for (const Value* result : op.results()) {
    if (in_memory(result->type())) bytes = bytes + result->type().bytes();
  }
  return bytes;
}

Cost one_kernel(const Operation& op, Dim flops) {
  if (op.result_count() > 0 && !in_memory(op.result()->type())) return {.kernels = 0, .flops = flops};
  return {.kernels = 1, .flops = flops, .bytes_read = distinct_operand_bytes(op), .bytes_written = result_bytes(op)};
}

Cost cost_elementwise(const Operation& op) { return one_kernel(op, op.result()->type().elements()); }
Cost cost_movement(const Operation& op) { return one_kernel(op, 0); }
Cost cost_free(const Operation&) { return {.kernels = 0}; }

Cost cost_touching(const Operation& op) {
  Cost cost = one_kernel(op, 0);
  Dim others = 0;
  for (unsigned i = 1; i < op.operand_count(); ++i) others = others + op.operand(i)->type().bytes();
  cost.bytes_read = result_bytes(op) + others;
  return cost;
}

// ---- elements in bulk -----------------------------------------------------------------------------------------------

namespace {

template <typename Stored, typename To>
void read_as(const std::byte* data, int64_t begin, int64_t count, To* to) {
  data += begin * static_cast<int64_t>(sizeof(Stored));
  for (int64_t i = 0; i < count; ++i) {
    Stored value;
    std::memcpy(&value, data + i * static_cast<int64_t>(sizeof(Stored)), sizeof(Stored));
    to[i] = static_cast<To>(value);
  }
}

template <typename Stored, typename From>
void write_as(std::byte* data, int64_t begin, int64_t count, const From* from) {
  data += begin * static_cast<int64_t>(sizeof(Stored));
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<Stored>(from[i]);
    std::memcpy(data + i * static_cast<int64_t>(sizeof(Stored)), &value, sizeof(Stored));
  }
}

}  // namespace

void read(const Tensor& tensor, int64_t begin, int64_t count, double* to) {
  switch (tensor.dtype()) {
    case DType::f64: return read_as<double>(tensor.data(), begin, count, to);
    case DType::f32: return read_as<float>(tensor.data(), begin, count, to);
    default:
      for (int64_t i = 0; i < count; ++i) to[i] = tensor.get(begin + i);
  }
}

void read(const Tensor& tensor, int64_t begin, int64_t count, int64_t* to) {
  switch (tensor.dtype()) {
    case DType::i64: return read_as<int64_t>(tensor.data(), begin, count, to);
    case DType::i32: return read_as<int32_t>(tensor.data(), begin, count, to);
    case DType::boolean: return read_as<uint8_t>(tensor.data(), begin, count, to);
    default:
      for (int64_t i = 0; i < count; ++i) to[i] = tensor.get_int(begin + i);
  }
}

void write(Tensor& tensor, int64_t begin, int64_t count, const double* from) {
  switch (tensor.dtype()) {
    case DType::f64: return write_as<double>(tensor.mutable_data(), begin, count, from);
    case DType::f32: return write_as<float>(tensor.mutable_data(), begin, count, from);
    default:
      for (int64_t i = 0; i < count; ++i) tensor.set(begin + i, from[i]);
  }
}

void write(Tensor& tensor, int64_t begin, int64_t count, const int64_t* from) {
  switch (tensor.dtype()) {
    case DType::i64: return write_as<int64_t>(tensor.mutable_data(), begin, count, from);
    case DType::i32: return write_as<uint32_t>(tensor.mutable_data(), begin, count, from);
    default:
      for (int64_t i = 0; i < count; ++i) tensor.set_int(begin + i, from[i]);
  }
}

std::vector<double> doubles(const Tensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.elements()));
  read(tensor, 0, tensor.elements(), values.data());
  return values;
}

std::vector<int64_t> ints(const Tensor& tensor) {
  std::vector<int64_t> values(static_cast<size_t>(tensor.elements()));
  read(tensor, 0, tensor.elements(), values.data());
  return values;
}

Tensor tensor_of(DType dtype, Ints sizes, const std::vector<double>& values) {
  Tensor tensor(dtype, std::move(sizes));
  write(tensor, 0, tensor.elements(), values.data());
  return tensor;
}

Tensor tensor_of(DType dtype, Ints sizes, const std::vector<int64_t>& values) {
  Tensor tensor(dtype, std::move(sizes));
  write(tensor, 0, tensor.elements(), values.data());
  return tensor;
}

Tensor own_copy(const Tensor& tensor) {
  Tensor copy(tensor.dtype(), tensor.sizes());
  if (copy.size_bytes() > 0) std::memcpy(copy.mutable_data(), tensor.data(), copy.size_bytes());
  return copy;
}

}  // namespace stele
