#include "app/compile/model.h"

#include <charconv>
#include <fstream>

#include "core/session/session.h"
#include "passes/capture/open_model.h"

namespace stele {
namespace {

bool is_sqlite(const std::string& path) {
  constexpr std::string_view magic = "SQLite format 3";
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(magic.size(), '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return stream && bytes == magic;
}

}  // namespace

std::unique_ptr<Module> load_model(const std::string& path) {
  return is_sqlite(path) ? Session::open(path)->module(0) : open_model(path);
}

Binding parse_dims(const std::vector<std::string>& texts) {
  Binding binding;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    int64_t value = 0;
    const char* end = text.data() + text.size();
    const char* start = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto [stop, error] = std::from_chars(start, end, value);
    if (equals == 0 || start == end || error != std::errc() || stop != end) fail("--dim {}: expected NAME=SIZE", text);
    if (value < 0) fail("--dim {}: size is negative", text);
    binding[text.substr(0, equals)] = value;
  }
  return binding;
}

}  // namespace stele
