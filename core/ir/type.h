// Types of values.
#pragma once

#include <string>
#include <utility>

#include "core/ir/dim.h"
#include "core/ir/dtype.h"

namespace stele {

enum class TypeKind : uint8_t {
  none,     // an absent optional operand
  unknown,  // captured, and shape inference has not reached it yet
  tensor,   // a value of any rank, immutable: framework, tensor and kernel levels
  scalar,   // one element in a register: loop level
  vector,   // a register of shape[0] lanes: loop level
  buffer,   // memory, row-major unless the op says otherwise: loop level
  token,
};

// Text: tensor<?x64xf32, #stele.dims<batch>> (the list names each '?' in order), f32, vector<8xf32>,
// memref<4x64xf32>, !stele.none, !stele.unknown, !stablehlo.token.
struct Type {
  TypeKind kind = TypeKind::unknown;
  DType dtype = DType::f32;
  Shape shape;

  static Type none() { return {TypeKind::none, DType::f32, {}}; }
  static Type unknown() { return {TypeKind::unknown, DType::f32, {}}; }
  static Type token() { return {TypeKind::token, DType::f32, {}}; }
  static Type tensor(DType dtype, Shape shape) { return {TypeKind::tensor, dtype, std::move(shape)}; }
  static Type scalar(DType dtype) { return {TypeKind::scalar, dtype, {}}; }
  static Type index() { return scalar(DType::index); }
  static Type vector(DType dtype, int64_t lanes) { return {TypeKind::vector, dtype, {lanes}}; }
  static Type buffer(DType dtype, Shape shape) { return {TypeKind::buffer, dtype, std::move(shape)}; }

  bool is_tensor() const { return kind == TypeKind::tensor; }
  bool is_buffer() const { return kind == TypeKind::buffer; }
  bool is_none() const { return kind == TypeKind::none; }
  bool is_unknown() const { return kind == TypeKind::unknown; }
  int rank() const { return static_cast<int>(shape.size()); }
  Dim elements() const { return element_count(shape); }
  Dim bytes() const { return elements() * size_bytes(dtype); }  // 0 elements where a dim is 0
  Type with_dtype(DType other) const { return {kind, other, shape}; }
  Type with_shape(Shape other) const { return {kind, dtype, std::move(other)}; }
  std::string str() const;
};

bool operator==(const Type& a, const Type& b);
inline bool operator!=(const Type& a, const Type& b) { return !(a == b); }

}  // namespace stele
