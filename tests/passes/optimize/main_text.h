// A main function as text, for tests of passes.
#pragma once

#include <string>

namespace stele::test {

// main_text("%x: tensor<4xf32>", "%y: tensor<4xf32>", "%y = stablehlo.negate %x : tensor<4xf32>")
inline std::string main_text(const std::string& arguments, const std::string& results, const std::string& body) {
  std::string values, types;
  for (size_t at = 0; at < results.size();) {  // "%a: T, %b: U", where a type may hold commas
    const size_t colon = results.find(": ", at);
    const size_t next = results.find(", %", colon);
    values += (values.empty() ? "" : ", ") + results.substr(at, colon - at);
    types += (types.empty() ? "" : ", ") + results.substr(colon + 2, next == std::string::npos ? next : next - colon - 2);
    at = next == std::string::npos ? results.size() : next + 2;
  }
  return "func.func @main(" + arguments + ") -> (" + types + ") {\n" + body + "\n  return " + values + " : " + types + "\n}\n";
}

}  // namespace stele::test
