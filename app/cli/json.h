// JSON on stdout.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>

namespace stele::cli {

using Json = nlohmann::ordered_json;

// Prints the document; bytes that are no UTF-8 (names in foreign files) are replaced.
inline void print_json(const Json& document) {
  const std::string text = document.dump(2, ' ', false, Json::error_handler_t::replace);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
}

}  // namespace stele::cli
