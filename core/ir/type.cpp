#include "core/ir/type.h"

namespace stele {
namespace {

std::string shaped(const char* keyword, const Type& type) {
  std::string text = keyword, names;
  text += '<';
  for (const Dim& dim : type.shape) {
    if (dim.is_static()) {
      text += std::to_string(dim.value());
    } else {
      text += '?';
      names += (names.empty() ? "" : ", ") + dim.str();
    }
    text += 'x';
  }
  text += name(type.dtype);
  if (!names.empty()) text += ", #stele.dims<" + names + ">";
  text += '>';
  return text;
}

}  // namespace

std::string Type::str() const {
  switch (kind) {
    case TypeKind::none: return "!stele.none";
    case TypeKind::unknown: return "!stele.unknown";
    case TypeKind::token: return "!stablehlo.token";
    case TypeKind::scalar: return std::string(name(dtype));
    case TypeKind::tensor: return shaped("tensor", *this);
    case TypeKind::vector: return shaped("vector", *this);
    case TypeKind::buffer: return shaped("memref", *this);
  }
  return "";
}

bool operator==(const Type& a, const Type& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == TypeKind::none || a.kind == TypeKind::unknown || a.kind == TypeKind::token) return true;
  return a.dtype == b.dtype && a.shape == b.shape;
}

}  // namespace stele
