#include "tests/support/paths.h"

#include <cstdlib>
#include <iostream>
#include <string>

namespace stele::test {
namespace {

std::optional<std::filesystem::path> existing(std::filesystem::path path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path;
}

std::string environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

}  // namespace

std::filesystem::path source_dir() { return STELE_SOURCE_DIR; }

std::optional<std::filesystem::path> shared(std::string_view relative) {
  const std::string beside = (source_dir().parent_path() / "shared").string();
  return existing(std::filesystem::path(environment("STELE_SHARED", beside)) / relative);
}

std::optional<std::filesystem::path> onnx_testdata(std::string_view relative) {
  return existing(std::filesystem::path(environment("STELE_ONNX_TESTDATA", "/usr/share/libonnx-testdata/data")) /
                  relative);
}

bool long_mode() { return !environment("STELE_LONG", "").empty(); }

void skip(std::string_view name, std::string_view why) {
  std::cout << "SKIPPED " << name << ": " << why << std::endl;
}

}  // namespace stele::test
