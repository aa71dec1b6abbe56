#include "core/ir/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/ir/error.h"
#include "core/ir/numerics.h"

namespace stele {
namespace {

constexpr int64_t max_bytes = int64_t{1} << 36;  // 64 GiB

template <typename T>
T load(const std::byte* data, int64_t i) {
  T value;
  std::memcpy(&value, data + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void store(std::byte* data, int64_t i, T value) {
  std::memcpy(data + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

int64_t saturating_truncate(double value, DType dtype) {
  if (std::isnan(value)) return 0;
  const double truncated = std::trunc(value);
  if (is_unsigned_int(dtype)) {
    const double top = std::ldexp(1.0, 8 * size_bytes(dtype));
    if (truncated <= 0) return 0;
    if (truncated >= top) return size_bytes(dtype) == 8 ? -1 : static_cast<int64_t>(top) - 1;
    return static_cast<int64_t>(static_cast<uint64_t>(truncated));
  }
  const double top = std::ldexp(1.0, 8 * size_bytes(dtype) - 1);
  if (truncated >= top) return size_bytes(dtype) == 8 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(top) - 1;
  if (truncated <= -top) return size_bytes(dtype) == 8 ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(-top);
  return static_cast<int64_t>(truncated);
}

}  // namespace

int64_t checked_element_count(const std::vector<int64_t>& sizes) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : sizes) {
    if (size < 0) fail("tensor has a negative size {}", size);
    if (size == 0) empty = true;
    if (size != 0 && __builtin_mul_overflow(count, size, &count)) fail("tensor size overflows");
  }
  return empty ? 0 : count;
}

std::vector<int64_t> row_major_strides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<int64_t>(sizes[i], 1);
  return strides;
}

Tensor::Tensor(DType dtype, std::vector<int64_t> sizes) : present_(true), dtype_(dtype), sizes_(std::move(sizes)) {
  elements_ = checked_element_count(sizes_);
  if (elements_ > max_bytes / stele::size_bytes(dtype)) fail("tensor of {} elements is too large", elements_);
  owned_ = std::make_shared<std::vector<std::byte>>(size_bytes());
  data_ = owned_->data();
}

Tensor::Tensor(DType dtype, std::vector<int64_t> sizes, BlobRef bytes)
    : present_(true), dtype_(dtype), sizes_(std::move(sizes)), blob_(std::move(bytes)) {
  elements_ = checked_element_count(sizes_);
  if (elements_ > max_bytes / stele::size_bytes(dtype) || blob_->size() != size_bytes()) {
    fail("tensor has {} bytes, expected {} elements of {}", blob_->size(), elements_, name(dtype));
  }
  data_ = blob_->bytes().data();
}

Tensor Tensor::view(DType dtype, std::vector<int64_t> sizes, std::byte* memory) {
  Tensor tensor;
  tensor.present_ = true;
  tensor.dtype_ = dtype;
  tensor.elements_ = checked_element_count(sizes);
  tensor.sizes_ = std::move(sizes);
  tensor.data_ = memory;
  return tensor;
}

Tensor Tensor::scalar(DType dtype, double value) {
  Tensor tensor(dtype, std::vector<int64_t>{});
  tensor.set(0, value);
  return tensor;
}

Tensor Tensor::of_doubles(DType dtype, std::vector<int64_t> sizes, const std::vector<double>& values) {
  Tensor tensor(dtype, std::move(sizes));
  if (static_cast<int64_t>(values.size()) != tensor.elements()) fail("{} values given, expected {}", values.size(), tensor.elements());
  for (size_t i = 0; i < values.size(); ++i) tensor.set(static_cast<int64_t>(i), values[i]);
  return tensor;
}

Tensor Tensor::of_ints(DType dtype, std::vector<int64_t> sizes, const std::vector<int64_t>& values) {
  Tensor tensor(dtype, std::move(sizes));
  if (static_cast<int64_t>(values.size()) != tensor.elements()) fail("{} values given, expected {}", values.size(), tensor.elements());
  for (size_t i = 0; i < values.size(); ++i) tensor.set_int(static_cast<int64_t>(i), values[i]);
  return tensor;
}

std::vector<int64_t> Tensor::strides() const { return row_major_strides(sizes_); }

std::byte* Tensor::mutable_data() {
  if (blob_ || (owned_ && owned_.use_count() > 1)) {
    owned_ = std::make_shared<std::vector<std::byte>>(data_, data_ + size_bytes());
    blob_ = nullptr;
    data_ = owned_->data();
  }
  return const_cast<std::byte*>(data_);
}

double Tensor::get(int64_t i) const {
  switch (dtype_) {
    case DType::f64: return load<double>(data_, i);
    case DType::f32: return load<float>(data_, i);
    case DType::f16: return f16_to_double(load<uint16_t>(data_, i));
    case DType::bf16: return bf16_to_double(load<uint16_t>(data_, i));
    case DType::u64: return static_cast<double>(load<uint64_t>(data_, i));
    default: return static_cast<double>(get_int(i));
  }
}

int64_t Tensor::get_int(int64_t i) const {
  switch (dtype_) {
    case DType::i64:
    case DType::index:
    case DType::u64: return load<int64_t>(data_, i);
    case DType::i32: return load<int32_t>(data_, i);
    case DType::i16: return load<int16_t>(data_, i);
    case DType::i8: return load<int8_t>(data_, i);
    case DType::u32: return load<uint32_t>(data_, i);
    case DType::u16: return load<uint16_t>(data_, i);
    case DType::u8:
    case DType::boolean: return load<uint8_t>(data_, i);
    case DType::f64:
    case DType::f32:
    case DType::f16:
    case DType::bf16: return saturating_truncate(get(i), DType::i64);
    default: fail("element type {} is not supported yet", name(dtype_));
  }
}

void Tensor::set(int64_t i, double value) {
  std::byte* data = mutable_data();
  switch (dtype_) {
    case DType::f64: return store(data, i, value);
    case DType::f32: return store(data, i, static_cast<float>(value));
    case DType::f16: return store(data, i, double_to_f16(value));
    case DType::bf16: return store(data, i, double_to_bf16(value));
    case DType::boolean: return store<uint8_t>(data, i, value != 0 ? 1 : 0);
    default: return set_int(i, saturating_truncate(value, dtype_));
  }
}

void Tensor::set_int(int64_t i, int64_t value) {
  std::byte* data = mutable_data();
  switch (dtype_) {
    case DType::i64:
    case DType::index:
    case DType::u64: return store(data, i, value);
    case DType::i32:
    case DType::u32: return store(data, i, static_cast<uint32_t>(value));
    case DType::i16:
    case DType::u16: return store(data, i, static_cast<uint16_t>(value));
    case DType::i8:
    case DType::u8: return store(data, i, static_cast<uint8_t>(value));
    case DType::boolean: return store<uint8_t>(data, i, value != 0 ? 1 : 0);
    case DType::f64:
    case DType::f32:
    case DType::f16:
    case DType::bf16: return set(i, static_cast<double>(value));
    default: fail("element type {} is not supported yet", name(dtype_));
  }
}

Tensor Tensor::reshaped(std::vector<int64_t> sizes) const {
  if (checked_element_count(sizes) != elements_) fail("reshape of {} elements to {} elements", elements_, checked_element_count(sizes));
  Tensor other = *this;
  other.sizes_ = std::move(sizes);
  return other;
}

Tensor Tensor::converted(DType dtype) const {
  if (dtype == dtype_) return *this;
  Tensor result(dtype, sizes_);
  const bool integral = !is_float(dtype_) && !is_float(dtype);
  for (int64_t i = 0; i < elements_; ++i) {
    if (integral) {
      result.set_int(i, get_int(i));
    } else {
      result.set(i, get(i));
    }
  }
  return result;
}

BlobRef Tensor::blob() const {
  if (blob_) return blob_;
  return Blob::from_bytes(std::vector<std::byte>(data_, data_ + size_bytes()));
}

bool Tensor::bitwise_equal(const Tensor& other) const {
  if (present_ != other.present_ || dtype_ != other.dtype_ || sizes_ != other.sizes_) return false;
  return data_ == other.data_ || size_bytes() == 0 || std::memcmp(data_, other.data_, size_bytes()) == 0;
}

Subscripts::Subscripts(const std::vector<int64_t>& sizes) : sizes_(sizes), at_(sizes.size(), 0) {
  done_ = std::any_of(sizes.begin(), sizes.end(), [](int64_t s) { return s == 0; });
}

void Subscripts::next() {
  ++linear_;
  for (size_t axis = sizes_.size(); axis-- > 0;) {
    if (++at_[axis] < sizes_[axis]) return;
    at_[axis] = 0;
  }
  done_ = true;
}

}  // namespace stele
