// Types and attributes of the text form.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/ir/cursor.h"
#include "core/ir/text.h"

namespace stele {

class AttributeParser {
 public:
  AttributeParser(Cursor& cursor, const ParseOptions& options, std::map<std::string, BlobRef> resources, std::set<std::string>& symbols)
      : cursor_(cursor), options_(options), resources_(std::move(resources)), symbols_(symbols) {}

  Type type();
  std::vector<Type> type_list();  // "T, T" in or without parentheses
  Attribute attribute();
  Attributes dictionary();              // after '{' has been seen but not eaten; flattens #stablehlo.gather<…> and kin
  Attribute::Ints int_list();           // [0, 1] or [true, false]
  Tensor dense();                       // `dense<…> : type` or `dense_resource<…> : type`, keyword not eaten
  std::string symbol();                 // after '@'

 private:
  Attribute number_or_type();
  Attribute hash_attribute();
  Attribute list();
  void group_fields(Attributes& into);
  Shape shape_and_dtype(DType& dtype);
  void name_dims(Shape& shape);
  Tensor literal(const Type& type, size_t start);
  BlobRef blob(const std::string& key, size_t at);
  void enter(const char* what);

  Cursor& cursor_;
  const ParseOptions& options_;
  std::map<std::string, BlobRef> resources_;
  std::set<std::string>& symbols_;
  int depth_ = 0;
};

// Bytes of a hexadecimal string ("0x…" or without), nullopt where it is not one.
std::optional<std::vector<std::byte>> decode_hex(std::string_view text);

}  // namespace stele
