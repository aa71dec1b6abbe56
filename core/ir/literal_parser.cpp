// Constants of the text form: dense<…> in its several spellings, and resources by their hash.
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "core/ir/attribute_parser.h"

namespace stele {
namespace {

constexpr int64_t max_splat_bytes = int64_t{1} << 28;  // a short text may not take all memory

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::vector<std::byte>> decode_hex(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes(text.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return bytes;
}

BlobRef AttributeParser::blob(const std::string& key, size_t at) {
  auto found = resources_.find(key);
  BlobRef bytes = found != resources_.end() ? found->second : options_.blobs ? options_.blobs(key) : nullptr;
  if (!bytes) cursor_.error_at(at, "bytes of resource '" + key + "' are not here");
  return bytes;
}

namespace {

// One number, boolean or (re, im) pair into element i.
class ElementWriter {
 public:
  ElementWriter(Cursor& cursor, Tensor& tensor) : cursor_(cursor), tensor_(tensor) {}

  void write(int64_t i) {
    if (is_complex(tensor_.dtype())) {
      cursor_.expect("(");
      const double re = real();
      cursor_.expect(",");
      const double im = real();
      cursor_.expect(")");
      return put_complex(i, re, im);
    }
    if (is_float(tensor_.dtype())) return write_float(i);
    if (cursor_.eat("true")) return tensor_.set_int(i, 1);
    if (cursor_.eat("false")) return tensor_.set_int(i, 0);
    const std::string_view text = cursor_.number();
    int64_t value = 0;
    uint64_t wide = 0;
    const char *begin = text.data(), *end = begin + text.size();
    const auto whole = [end](std::from_chars_result r) { return r.ec == std::errc() && r.ptr == end; };
    if (whole(std::from_chars(begin, end, value))) return tensor_.set_int(i, value);
    if (whole(std::from_chars(begin, end, wide))) return tensor_.set_int(i, static_cast<int64_t>(wide));
    cursor_.error("'" + std::string(text) + "' is not an integer");
  }

 private:
  double real() {
    const std::string text(cursor_.number());
    if (text.starts_with("0x")) {
      const uint64_t bits = std::strtoull(text.c_str(), nullptr, 16);
      return tensor_.dtype() == DType::c128 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits));
    }
    return std::strtod(text.c_str(), nullptr);
  }

  void put_complex(int64_t i, double re, double im) {
    std::byte* at = tensor_.mutable_data() + i * size_bytes(tensor_.dtype());
    if (tensor_.dtype() == DType::c128) {
      const double pair[] = {re, im};
      std::memcpy(at, pair, sizeof(pair));
    } else {
      const float pair[] = {static_cast<float>(re), static_cast<float>(im)};
      std::memcpy(at, pair, sizeof(pair));
    }
  }

  void write_float(int64_t i) {
    const std::string text(cursor_.number());
    if (text.starts_with("0x")) {
      const uint64_t bits = std::strtoull(text.c_str(), nullptr, 16);
      std::memcpy(tensor_.mutable_data() + i * size_bytes(tensor_.dtype()), &bits, static_cast<size_t>(size_bytes(tensor_.dtype())));
      return;
    }
    char* end = nullptr;
    const double value = tensor_.dtype() == DType::f32 ? static_cast<double>(std::strtof(text.c_str(), &end)) : std::strtod(text.c_str(), &end);
    if (*end != '\0') cursor_.error("'" + text + "' is not a number");
    tensor_.set(i, value);
  }

  Cursor& cursor_;
  Tensor& tensor_;
};

void nested_elements(Cursor& cursor, Tensor& tensor, ElementWriter& writer, size_t axis, int64_t& next) {
  if (axis == tensor.sizes().size()) {
    if (next >= tensor.elements()) cursor.error("more elements than the type has");
    writer.write(next++);
    return;
  }
  cursor.expect("[");
  for (int64_t i = 0; i < tensor.sizes()[axis]; ++i) {
    if (i) cursor.expect(",");
    nested_elements(cursor, tensor, writer, axis + 1, next);
  }
  cursor.expect("]");
}

// i1 in hexadecimal is a bit an element, little end first (or one byte 0xFF / 0x00 for a splat).
Tensor from_hex(Cursor& cursor, const Type& type, const std::vector<std::byte>& bytes) {
  if (checked_element_count(static_sizes(type.shape)) > max_splat_bytes / size_bytes(type.dtype)) cursor.error("literal is too large: " + type.str());
  Tensor tensor(type.dtype, static_sizes(type.shape));
  const auto width = static_cast<size_t>(size_bytes(type.dtype));
  if (type.dtype == DType::boolean) {
    if (bytes.size() < (static_cast<size_t>(tensor.elements()) + 7) / 8) cursor.error("hexadecimal literal is too short");
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      tensor.set_int(i, (std::to_integer<int>(bytes[static_cast<size_t>(i / 8)]) >> (i % 8)) & 1);
    }
    return tensor;
  }
  if (bytes.size() == tensor.size_bytes()) return Tensor(type.dtype, tensor.sizes(), Blob::from_bytes(bytes));
  if (bytes.size() != width) cursor.error("hexadecimal literal has " + std::to_string(bytes.size()) + " bytes, expected " + std::to_string(tensor.size_bytes()));
  for (int64_t i = 0; i < tensor.elements(); ++i) std::memcpy(tensor.mutable_data() + static_cast<size_t>(i) * width, bytes.data(), width);
  return tensor;
}

}  // namespace

// `type` is known; the literal starts at `start`, just after "dense<".
Tensor AttributeParser::literal(const Type& type, size_t start) {
  const size_t end = cursor_.offset();
  cursor_.rewind(start);
  Tensor tensor;
  const int64_t elements = checked_element_count(static_sizes(type.shape));
  if (cursor_.peek() == '"') {
    const auto bytes = decode_hex(cursor_.string());
    if (!bytes) cursor_.error("literal is not hexadecimal");
    tensor = from_hex(cursor_, type, *bytes);
  } else if (cursor_.peek() == '>') {
    if (elements != 0) cursor_.error("literal is empty, expected " + std::to_string(elements) + " elements");
    tensor = Tensor(type.dtype, static_sizes(type.shape));
  } else if (cursor_.peek() == '[' && type.rank() > 0) {
    // Every element takes two characters at the least: refuses a size the text cannot hold before memory is taken.
    if (elements > static_cast<int64_t>(end - start)) cursor_.error("literal has fewer elements than " + type.str());
    tensor = Tensor(type.dtype, static_sizes(type.shape));
    ElementWriter writer(cursor_, tensor);
    int64_t next = 0;
    nested_elements(cursor_, tensor, writer, 0, next);
  } else {
    if (elements > max_splat_bytes / size_bytes(type.dtype)) cursor_.error("literal is too large: " + type.str());
    tensor = Tensor(type.dtype, static_sizes(type.shape));
    if (tensor.elements() > 0) {
      ElementWriter(cursor_, tensor).write(0);
      const auto width = static_cast<size_t>(size_bytes(type.dtype));
      std::byte* data = tensor.mutable_data();
      for (int64_t i = 1; i < tensor.elements(); ++i) std::memcpy(data + static_cast<size_t>(i) * width, data, width);
    } else {
      cursor_.number();
    }
  }
  cursor_.expect(">");
  cursor_.rewind(end);
  return tensor;
}

Tensor AttributeParser::dense() {
  const size_t begin = cursor_.offset();
  try {
    if (cursor_.eat("dense_resource<")) {
      const size_t at = cursor_.offset();
      const std::string key(cursor_.peek() == '"' ? cursor_.string() : std::string(cursor_.word(true)));
      cursor_.expect(">");
      cursor_.expect(":");
      const Type type = this->type();
      if (!type.is_tensor() || !is_static(type.shape)) cursor_.error_at(at, "a constant has a static tensor type");
      return Tensor(type.dtype, static_sizes(type.shape), blob(key, at));
    }
    cursor_.expect("dense<");
    const size_t start = cursor_.offset();
    cursor_.until_balanced('>');
    cursor_.expect(":");
    const Type type = this->type();
    if (!(type.is_tensor() || type.kind == TypeKind::vector) || !is_static(type.shape)) cursor_.error_at(begin, "a constant has a static tensor type");
    return literal(type, start);
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.starts_with(options_.file)) throw;
    cursor_.error_at(begin, message);
  }
}

}  // namespace stele
