#include "passes/capture/tensor_proto.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "core/ir/error.h"

static_assert(std::endian::native == std::endian::little, "ONNX's raw data is little-endian, and is used as it stands");

namespace stele::capture {
namespace fs = std::filesystem;
namespace {

struct TypeRow {
  int onnx;
  const char* name;
  std::optional<DType> dtype;
};

// TensorProto.DataType by number: the installed schema may be older than the file.
constexpr TypeRow types[] = {
    {0, "UNDEFINED", std::nullopt},      {1, "FLOAT", DType::f32},           {2, "UINT8", DType::u8},
    {3, "INT8", DType::i8},              {4, "UINT16", DType::u16},          {5, "INT16", DType::i16},
    {6, "INT32", DType::i32},            {7, "INT64", DType::i64},           {8, "STRING", std::nullopt},
    {9, "BOOL", DType::boolean},         {10, "FLOAT16", DType::f16},        {11, "DOUBLE", DType::f64},
    {12, "UINT32", DType::u32},          {13, "UINT64", DType::u64},         {14, "COMPLEX64", DType::c64},
    {15, "COMPLEX128", DType::c128},     {16, "BFLOAT16", DType::bf16},      {17, "FLOAT8E4M3FN", DType::f8e4m3fn},
    {18, "FLOAT8E4M3FNUZ", std::nullopt}, {19, "FLOAT8E5M2", DType::f8e5m2}, {20, "FLOAT8E5M2FNUZ", std::nullopt},
    {21, "UINT4", std::nullopt},         {22, "INT4", std::nullopt},         {23, "FLOAT4E2M1", std::nullopt},
};

std::vector<int64_t> sizes_of(const onnx::TensorProto& proto, const TensorPlace& place, DType dtype) {
  std::vector<int64_t> sizes(proto.dims().begin(), proto.dims().end());
  for (int64_t size : sizes) {
    if (size < 0) fail("{}: dim {} is negative", place.what, size);
  }
  int64_t bytes = 0;
  try {
    if (__builtin_mul_overflow(checked_element_count(sizes), int64_t{size_bytes(dtype)}, &bytes)) fail("size overflows");
  } catch (const Error&) {
    fail("{}: its dims overflow", place.what);
  }
  return sizes;
}

uint64_t parse_number(const std::string& text, const std::string& key, const TensorPlace& place) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail("{}: external data has {} '{}', expected a number", place.what, key, text.substr(0, 40));
  }
  return value;
}

// The file, which must lie in the model's folder once every link is followed: a model must not read the user's files.
fs::path external_file(const std::string& location, const TensorPlace& place) {
  if (!place.folder) fail("{}: external data '{}' needs a model that is a file", place.what, location);
  const fs::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos) fail("{}: external data has no location", place.what);
  if (relative.is_absolute()) fail("{}: external data '{}' is an absolute path, expected one in the model's folder", place.what, location);
  if (std::find(relative.begin(), relative.end(), "..") != relative.end()) {
    fail("{}: external data '{}' leaves the model's folder", place.what, location);
  }
  std::error_code error;
  const fs::path folder = fs::canonical(*place.folder, error);
  if (error) fail("{}: the model's folder: {}", place.what, error.message());
  const fs::path file = fs::canonical(folder / relative, error);
  if (error) fail("{}: external data '{}': {}", place.what, location, error.message());
  if (std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first != folder.end()) {
    fail("{}: external data '{}' leads out of the model's folder", place.what, location);
  }
  return file;
}

BlobRef map_external(const onnx::TensorProto& proto, uint64_t needed, const TensorPlace& place) {
  std::string location;
  uint64_t offset = 0, length = needed;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = parse_number(entry.value(), "offset", place);
    if (entry.key() == "length") length = parse_number(entry.value(), "length", place);
  }
  const fs::path file = external_file(location, place);
  if (length != needed) fail("{}: external data has {} bytes, expected {}", place.what, length, needed);
  try {
    return Blob::map_file(file.string(), offset, length);
  } catch (const Error& error) {
    fail("{}: external data: {}", place.what, error.what());
  }
}

// From the typed field of `values`, one entry an element (two for a complex number); Stored is the type in memory.
template <typename Stored, typename Values>
BlobRef pack(const Values& values, int64_t expected, const TensorPlace& place) {
  if (values.size() != expected) fail("{}: has {} values, expected {}", place.what, values.size(), expected);
  std::vector<std::byte> bytes(static_cast<size_t>(expected) * sizeof(Stored));
  for (int64_t i = 0; i < expected; ++i) {
    const Stored value = static_cast<Stored>(values.Get(static_cast<int>(i)));
    std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(Stored), &value, sizeof(Stored));
  }
  return Blob::from_bytes(std::move(bytes));
}

BlobRef pack_typed(const onnx::TensorProto& proto, DType dtype, int64_t count, const TensorPlace& place) {
  switch (dtype) {
    case DType::f32: return pack<float>(proto.float_data(), count, place);
    case DType::c64: return pack<float>(proto.float_data(), 2 * count, place);
    case DType::f64: return pack<double>(proto.double_data(), count, place);
    case DType::c128: return pack<double>(proto.double_data(), 2 * count, place);
    case DType::i64: return pack<int64_t>(proto.int64_data(), count, place);
    case DType::i32: return pack<int32_t>(proto.int32_data(), count, place);
    case DType::u64: return pack<uint64_t>(proto.uint64_data(), count, place);
    case DType::u32: return pack<uint32_t>(proto.uint64_data(), count, place);
    case DType::i16:
    case DType::u16:
    case DType::f16:
    case DType::bf16: return pack<uint16_t>(proto.int32_data(), count, place);
    default: return pack<uint8_t>(proto.int32_data(), count, place);
  }
}

// Booleans are 0 or 1 in memory; a file may hold other bytes.
Tensor normalised(Tensor tensor) {
  if (tensor.dtype() != DType::boolean) return tensor;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (tensor.get_int(i) > 1) tensor.set_int(i, 1);
  }
  return tensor;
}

}  // namespace

std::optional<DType> dtype_of_onnx(int type) {
  for (const TypeRow& row : types) {
    if (row.onnx == type) return row.dtype;
  }
  return std::nullopt;
}

int onnx_type_of(DType dtype) {
  for (const TypeRow& row : types) {
    if (row.dtype == dtype) return row.onnx;
  }
  fail("element type {} has no ONNX type", name(dtype));
}

std::string onnx_type_name(int type) {
  for (const TypeRow& row : types) {
    if (row.onnx == type) return row.name;
  }
  return fmt::format("number {}", type);
}

Tensor take_tensor(onnx::TensorProto& proto, const TensorPlace& place) {
  const std::optional<DType> dtype = dtype_of_onnx(proto.data_type());
  if (!dtype) fail("{}: element type {} is not supported", place.what, onnx_type_name(proto.data_type()));
  std::vector<int64_t> sizes = sizes_of(proto, place, *dtype);
  const int64_t count = checked_element_count(sizes);
  const auto needed = static_cast<uint64_t>(count) * static_cast<uint64_t>(size_bytes(*dtype));
  if (needed > uint64_t{1} << 40) fail("{}: {} bytes are too many, expected at most 2^40", place.what, needed);
  BlobRef bytes;
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    bytes = map_external(proto, needed, place);
  } else if (proto.has_raw_data() && !(proto.raw_data().empty() && needed > 0)) {
    if (proto.raw_data().size() != needed) fail("{}: has {} bytes, expected {}", place.what, proto.raw_data().size(), needed);
    bytes = Blob::from_string(std::move(*proto.mutable_raw_data()));
  } else {
    bytes = pack_typed(proto, *dtype, count, place);
  }
  return normalised(Tensor(*dtype, std::move(sizes), std::move(bytes)));
}

void fill_proto(onnx::TensorProto& proto, const std::string& name, const Tensor& tensor) {
  proto.set_name(name);
  proto.set_data_type(onnx_type_of(tensor.dtype()));
  for (int64_t size : tensor.sizes()) proto.add_dims(size);
  proto.set_raw_data(tensor.data(), tensor.size_bytes());
}

}  // namespace stele::capture
