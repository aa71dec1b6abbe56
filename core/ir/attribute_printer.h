// Attributes and constants as text.
#pragma once

#include <set>
#include <string>

#include "core/ir/attribute.h"

namespace stele {

std::string quoted(std::string_view text);
bool is_bare(std::string_view name);  // may stand without quotes
std::string symbol_text(const std::string& name);   // @main, @"a b"
std::string hex(std::span<const std::byte> bytes);  // 0x…
std::string ints_text(const Attribute::Ints& values);

class AttributePrinter {
 public:
  // Constants of more elements than this are printed by their hash; -1: none is.
  explicit AttributePrinter(int64_t elide_above) : elide_above_(elide_above) {}

  std::string attribute(const Attribute& attribute) const;
  // "{a = 1 : i64, b}"; the names in `without` are left out, and "" is given where nothing is left and `without` is not empty.
  std::string dictionary(const Attributes& attributes, const std::set<std::string_view>& without = {}) const;

 private:
  std::string text(Unit) const;
  std::string text(bool v) const;
  std::string text(int64_t v) const;
  std::string text(double v) const;
  std::string text(const std::string& v) const;
  std::string text(const Type& v) const;
  std::string text(const Attribute::Symbol& v) const;
  std::string text(const BlobRef& v) const;
  std::string text(const Attributes& v) const;
  std::string text(const Attribute::Ints& v) const;
  std::string text(const Attribute::Doubles& v) const;
  std::string text(const Attribute::Strings& v) const;
  std::string text(const Shape& v) const;
  std::string text(const Attribute::Array& v) const;
  std::string text(const Tensor& v) const;

  int64_t elide_above_;
};

}  // namespace stele
