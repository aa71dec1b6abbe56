// Host tensors: what constants hold and what the evaluator computes with. Dense, row-major.
// They live beside the IR, below the ops, because an op's record carries its reference semantics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/ir/blob.h"
#include "core/ir/dtype.h"
#include "core/ir/type.h"

namespace stele {

// A value with copy-on-write elements. Copying is cheap. An absent optional operand is a default-made Tensor.
class Tensor {
 public:
  Tensor() = default;
  // Zeros. Throws Error where the size overflows or exceeds 2^36 bytes.
  Tensor(DType dtype, std::vector<int64_t> sizes);
  // Over immutable bytes; throws Error where their number is not what dtype and sizes need.
  Tensor(DType dtype, std::vector<int64_t> sizes, BlobRef bytes);
  // Over memory of somebody else's that outlives it (an arena); written in place, never reallocated.
  static Tensor view(DType dtype, std::vector<int64_t> sizes, std::byte* memory);
  static Tensor scalar(DType dtype, double value);
  static Tensor of_doubles(DType dtype, std::vector<int64_t> sizes, const std::vector<double>& values);
  static Tensor of_ints(DType dtype, std::vector<int64_t> sizes, const std::vector<int64_t>& values);

  bool present() const { return present_; }
  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& sizes() const { return sizes_; }
  int rank() const { return static_cast<int>(sizes_.size()); }
  int64_t elements() const { return elements_; }
  size_t size_bytes() const { return static_cast<size_t>(elements_) * static_cast<size_t>(stele::size_bytes(dtype_)); }
  Type type() const { return Type::tensor(dtype_, make_shape(sizes_)); }
  std::vector<int64_t> strides() const;  // in elements

  const std::byte* data() const { return data_; }
  std::byte* mutable_data();  // makes the bytes its own first where they are shared

  // Element i in row-major order. get/set convert: float dtypes exactly to double and rounded to nearest even back;
  // integers through int64 (u64 keeps its bits in as_int). set_int wraps to the width.
  double get(int64_t i) const;
  int64_t get_int(int64_t i) const;
  void set(int64_t i, double value);
  void set_int(int64_t i, int64_t value);

  // The same elements under other sizes (same count), sharing the bytes.
  Tensor reshaped(std::vector<int64_t> sizes) const;
  // Each element converted: float to float rounds to nearest even; float to int truncates and saturates (NaN: 0);
  // int to int wraps; to boolean: value != 0.
  Tensor converted(DType dtype) const;
  BlobRef blob() const;  // immutable bytes; copies only where they are not immutable already
  bool bitwise_equal(const Tensor& other) const;

 private:
  bool present_ = false;
  DType dtype_ = DType::f32;
  std::vector<int64_t> sizes_;
  int64_t elements_ = 0;
  const std::byte* data_ = nullptr;
  BlobRef blob_;                                      // immutable bytes, or
  std::shared_ptr<std::vector<std::byte>> owned_;     // its own, or neither: a view
};

// Counts through the subscripts of sizes in row-major order: for (Subscripts s(sizes); !s.done(); s.next()) … s[axis].
class Subscripts {
 public:
  explicit Subscripts(const std::vector<int64_t>& sizes);
  bool done() const { return done_; }
  void next();
  int64_t operator[](size_t axis) const { return at_[axis]; }
  const std::vector<int64_t>& at() const { return at_; }
  int64_t linear() const { return linear_; }

 private:
  const std::vector<int64_t> sizes_;
  std::vector<int64_t> at_;
  int64_t linear_ = 0;
  bool done_ = false;
};

std::vector<int64_t> row_major_strides(const std::vector<int64_t>& sizes);
// Product, throwing Error on overflow or a negative size.
int64_t checked_element_count(const std::vector<int64_t>& sizes);

}  // namespace stele
