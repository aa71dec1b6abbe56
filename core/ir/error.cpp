#include "core/ir/error.h"

namespace stele {

std::string SourceLocation::str() const {
  std::string text = file;
  if (line > 0) text += (text.empty() ? "line " : ":") + std::to_string(line);
  if (line > 0 && column > 0) text += ":" + std::to_string(column);
  return text;
}

Error::Error(const SourceLocation& where, const std::string& message)
    : std::runtime_error(where.str().empty() ? message : where.str() + ": " + message) {}

}  // namespace stele
