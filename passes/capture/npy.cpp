#include "passes/capture/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/ir/error.h"

namespace stele::capture {
namespace {

struct DescrRow {
  std::string_view code;  // without the byte order
  DType dtype;
};

// V2 is what NumPy writes for ml_dtypes' bfloat16.
constexpr DescrRow descrs[] = {
    {"f8", DType::f64}, {"f4", DType::f32}, {"f2", DType::f16},     {"V2", DType::bf16}, {"i8", DType::i64},
    {"i4", DType::i32}, {"i2", DType::i16}, {"i1", DType::i8},      {"u8", DType::u64},  {"u4", DType::u32},
    {"u2", DType::u16}, {"u1", DType::u8},  {"b1", DType::boolean}, {"c8", DType::c64},  {"c16", DType::c128},
};

struct Header {
  DType dtype = DType::f32;
  bool fortran = false;
  std::vector<int64_t> sizes;
  size_t data = 0;  // where it begins
};

// What stands after 'key': in the dictionary that is the header.
std::string_view after_key(std::string_view dictionary, std::string_view key, const std::string& what) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    const size_t at = dictionary.find(quoted);
    if (at == std::string_view::npos) continue;
    std::string_view rest = dictionary.substr(at + quoted.size());
    const size_t start = rest.find_first_not_of(" :");
    return start == std::string_view::npos ? std::string_view() : rest.substr(start);
  }
  fail("{}: npy header has no '{}'", what, key);
}

DType parse_descr(std::string_view text, const std::string& what) {
  const size_t end = text.empty() ? std::string_view::npos : text.find(text[0], 1);
  if (end == std::string_view::npos || (text[0] != '\'' && text[0] != '"')) fail("{}: npy element type is not a simple one", what);
  const std::string_view descr = text.substr(1, end - 1);
  if (!descr.empty() && descr[0] == '>' && descr.substr(1) != "i1") fail("{}: npy element type '{}' is big-endian, expected little-endian", what, descr);
  for (const DescrRow& row : descrs) {
    if (descr.size() > 1 && descr.substr(1) == row.code) return row.dtype;
  }
  fail("{}: npy element type '{}' is not supported", what, descr);
}

std::vector<int64_t> parse_sizes(std::string_view text, const std::string& what) {
  const size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos) fail("{}: npy shape is not a tuple", what);
  std::vector<int64_t> sizes;
  size_t at = 1;
  while (true) {
    while (at < end && (text[at] == ' ' || text[at] == ',')) ++at;
    if (at == end) return sizes;
    int64_t size = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, size);
    if (error != std::errc() || size < 0) fail("{}: npy shape '{}' is not a tuple of sizes", what, text.substr(0, end + 1));
    sizes.push_back(size);
    at = static_cast<size_t>(stop - text.data());
    if (at < end && text[at] == 'L') ++at;  // Python 2
  }
}

Header parse_header(std::string_view bytes, const std::string& what) {
  if (bytes.size() < 12 || bytes.substr(0, 6) != "\x93NUMPY") fail("{}: not an npy file", what);
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) fail("{}: npy version {} is not known, expected 1 to 3", what, version);
  const size_t prefix = version == 1 ? 10 : 12;
  size_t length = 0;
  for (size_t i = prefix; i-- > 8;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  if (length > bytes.size() - prefix) fail("{}: npy header is cut short", what);
  const std::string_view dictionary = bytes.substr(prefix, length);
  Header header;
  header.dtype = parse_descr(after_key(dictionary, "descr", what), what);
  header.fortran = after_key(dictionary, "fortran_order", what).starts_with("True");
  header.sizes = parse_sizes(after_key(dictionary, "shape", what), what);
  header.data = prefix + length;
  return header;
}

// Fortran order is row-major over the reversed sizes.
Tensor from_fortran(const Tensor& reversed, const std::vector<int64_t>& sizes) {
  Tensor result(reversed.dtype(), sizes);
  const auto width = static_cast<size_t>(size_bytes(reversed.dtype()));
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = 1; i < sizes.size(); ++i) strides[i] = strides[i - 1] * sizes[i - 1];
  std::byte* out = result.mutable_data();
  for (Subscripts s(sizes); !s.done(); s.next()) {
    int64_t from = 0;
    for (size_t axis = 0; axis < sizes.size(); ++axis) from += s[axis] * strides[axis];
    std::memcpy(out + static_cast<size_t>(s.linear()) * width, reversed.data() + static_cast<size_t>(from) * width, width);
  }
  return result;
}

}  // namespace

Tensor parse_npy(std::string_view bytes, const std::string& what) {
  const Header header = parse_header(bytes, what);
  const std::string_view data = bytes.substr(header.data);
  int64_t needed = 0;
  try {
    if (__builtin_mul_overflow(checked_element_count(header.sizes), int64_t{size_bytes(header.dtype)}, &needed)) fail("overflow");
  } catch (const Error&) {
    fail("{}: npy shape overflows", what);
  }
  if (data.size() < static_cast<uint64_t>(needed)) fail("{}: npy file has {} bytes of data, expected {}", what, data.size(), needed);
  const auto* first = reinterpret_cast<const std::byte*>(data.data());
  const BlobRef blob = Blob::from_bytes(std::vector<std::byte>(first, first + needed));
  if (!header.fortran || header.sizes.size() < 2) return Tensor(header.dtype, header.sizes, blob);
  const std::vector<int64_t> reversed(header.sizes.rbegin(), header.sizes.rend());
  return from_fortran(Tensor(header.dtype, reversed, blob), header.sizes);
}

std::string format_npy(const Tensor& tensor) {
  const auto row = std::find_if(std::begin(descrs), std::end(descrs), [&](const DescrRow& r) { return r.dtype == tensor.dtype(); });
  if (row == std::end(descrs)) fail("element type {} has no npy type", name(tensor.dtype()));
  std::string shape;
  for (int64_t size : tensor.sizes()) shape += fmt::format("{}, ", size);
  if (tensor.rank() > 1) shape.resize(shape.size() - 2);
  if (tensor.rank() == 1) shape.resize(shape.size() - 1);
  const char order = size_bytes(tensor.dtype()) == 1 ? '|' : '<';
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order, row->code, shape);
  header.append(64 - (10 + header.size() + 1) % 64, ' ');  // data begin at a multiple of 64
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  return bytes.append(reinterpret_cast<const char*>(tensor.data()), tensor.size_bytes());
}

}  // namespace stele::capture
