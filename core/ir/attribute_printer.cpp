#include "core/ir/attribute_printer.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "core/ir/error.h"
#include "core/ir/numerics.h"
#include "core/ir/text.h"

namespace stele {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

bool is_bare(std::string_view name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '$'; });
}

std::string symbol_text(const std::string& name) { return "@" + (is_bare(name) ? name : quoted(name)); }

std::string hex(std::span<const std::byte> bytes) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out = "0x";
  out.reserve(2 + 2 * bytes.size());
  for (std::byte b : bytes) {
    out += digits[static_cast<unsigned>(b) >> 4];
    out += digits[static_cast<unsigned>(b) & 15];
  }
  return out;
}

std::string ints_text(const Attribute::Ints& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

namespace {

std::string key_text(const std::string& key) { return is_bare(key) ? key : quoted(key); }

// Shortest of MLIR's styles that reads back as the same value of the dtype; bits where the value is not finite.
std::string float_text(double value, DType dtype) {
  if (!std::isfinite(value)) {
    switch (dtype) {
      case DType::f64: return fmt::format("0x{:016X}", std::bit_cast<uint64_t>(value));
      case DType::f32: return fmt::format("0x{:08X}", std::bit_cast<uint32_t>(static_cast<float>(value)));
      case DType::bf16: return fmt::format("0x{:04X}", double_to_bf16(value));
      default: return fmt::format("0x{:04X}", double_to_f16(value));
    }
  }
  const auto rounded = [&](const std::string& text) {
    const double parsed = std::strtod(text.c_str(), nullptr);
    switch (dtype) {
      case DType::f64: return parsed;
      case DType::f32: return static_cast<double>(static_cast<float>(parsed));
      case DType::bf16: return bf16_to_double(double_to_bf16(parsed));
      default: return f16_to_double(double_to_f16(parsed));
    }
  };
  std::string text = fmt::format("{:.6e}", value);
  for (int digits = 9; digits <= 17 && rounded(text) != value; digits += 4) {
    text = fmt::format("{:.{}g}", value, digits);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
  }
  return text;
}

std::string element_text(const Tensor& tensor, int64_t i) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::boolean) return tensor.get_int(i) ? "true" : "false";
  if (is_float(dtype)) return float_text(tensor.get(i), dtype);
  if (is_unsigned_int(dtype)) return std::to_string(static_cast<uint64_t>(tensor.get_int(i)));
  return std::to_string(tensor.get_int(i));
}

bool is_splat(const Tensor& tensor) {
  const size_t size = static_cast<size_t>(size_bytes(tensor.dtype()));
  for (int64_t i = 1; i < tensor.elements(); ++i) {
    if (!std::equal(tensor.data(), tensor.data() + size, tensor.data() + static_cast<size_t>(i) * size)) return false;
  }
  return tensor.elements() > 0;
}

void append_nested(std::string& out, const Tensor& tensor, size_t axis, int64_t& next) {
  if (axis == tensor.sizes().size()) {
    out += element_text(tensor, next++);
    return;
  }
  out += '[';
  for (int64_t i = 0; i < tensor.sizes()[axis]; ++i) {
    if (i) out += ", ";
    append_nested(out, tensor, axis + 1, next);
  }
  out += ']';
}

std::string dims_text(const Shape& shape) {
  std::string list;
  for (const Dim& d : shape) list += (list.empty() ? "" : ", ") + d.str();
  return "[" + list + "]";
}

}  // namespace

std::string AttributePrinter::attribute(const Attribute& attribute) const {
  return std::visit([this](const auto& value) { return text(value); }, attribute.value());
}

std::string AttributePrinter::text(Unit) const { return "unit"; }
std::string AttributePrinter::text(bool v) const { return v ? "true" : "false"; }
std::string AttributePrinter::text(int64_t v) const { return std::to_string(v) + " : i64"; }
std::string AttributePrinter::text(double v) const { return float_text(v, DType::f64) + " : f64"; }
std::string AttributePrinter::text(const std::string& v) const { return quoted(v); }
std::string AttributePrinter::text(const Type& v) const { return v.str(); }
std::string AttributePrinter::text(const Attribute::Symbol& v) const { return symbol_text(v.name); }
std::string AttributePrinter::text(const BlobRef& v) const { return "#stele.blob<" + v->hash() + ">"; }
std::string AttributePrinter::text(const Attributes& v) const { return dictionary(v); }

std::string AttributePrinter::text(const Attribute::Ints& v) const {
  return v.empty() ? "array<i64>" : fmt::format("array<i64: {}>", fmt::join(v, ", "));
}

std::string AttributePrinter::text(const Attribute::Doubles& v) const {
  std::string list;
  for (double d : v) list += (list.empty() ? ": " : ", ") + float_text(d, DType::f64);
  return "array<f64" + list + ">";
}

std::string AttributePrinter::text(const Attribute::Strings& v) const {
  if (v.empty()) return "#stele.strings<>";
  std::string list;
  for (const std::string& s : v) list += (list.empty() ? "" : ", ") + quoted(s);
  return "[" + list + "]";
}
std::string AttributePrinter::text(const Shape& v) const { return "#stele.dim<" + dims_text(v) + ">"; }

std::string AttributePrinter::text(const Attribute::Array& v) const {
  std::string list;
  for (const Attribute& a : v) list += (list.empty() ? "" : ", ") + attribute(a);
  return "[" + list + "]";
}

std::string AttributePrinter::text(const Tensor& v) const {
  if (!v.present()) return "#stele.absent";
  const std::string type = " : " + v.type().str();
  if (is_complex(v.dtype())) return "dense<\"" + hex({v.data(), v.size_bytes()}) + "\">" + type;
  if (v.elements() == 0) return "dense<>" + type;
  if (v.elements() > 1 && is_splat(v)) return "dense<" + element_text(v, 0) + ">" + type;
  if (elide_above_ >= 0 && v.elements() > elide_above_) return "dense_resource<" + v.blob()->hash() + ">" + type;
  std::string list;
  int64_t next = 0;
  append_nested(list, v, 0, next);
  return "dense<" + list + ">" + type;
}

std::string AttributePrinter::dictionary(const Attributes& attributes, const std::set<std::string_view>& without) const {
  std::string list;
  for (const auto& [name, value] : attributes) {
    if (without.contains(name)) continue;
    list += (list.empty() ? "" : ", ") + key_text(name);
    if (!value.get<Unit>()) list += " = " + attribute(value);
  }
  return list.empty() && !without.empty() ? "" : "{" + list + "}";
}

std::string print(const Attribute& attribute) { return AttributePrinter(PrintOptions{}.elide_above).attribute(attribute); }

}  // namespace stele
