// Any text either parses, and then prints to text that parses to the same, or is refused with an Error.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/text.h"
#include "core/ops/op_def.h"

namespace {

std::string printed(const stele::Module& module) {
  return stele::print(module, {.names = true, .identity = true, .elide_above = -1});
}

std::unique_ptr<stele::Module> parsed(std::string_view text) {
  try {
    return stele::parse(text);
  } catch (const stele::Error&) {
    return nullptr;
  }
}

[[noreturn]] void report(const char* what, const std::string& first, const std::string& second) {
  std::fprintf(stderr, "%s\n--- printed\n%s\n--- printed again\n%s\n", what, first.c_str(), second.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto module = parsed({reinterpret_cast<const char*>(bytes), size});
  if (!module) return 0;
  try {
    stele::verify(*module);
  } catch (const stele::Error&) {
    return 0;  // only modules that verify are promised to come back
  }
  const std::string first = printed(*module);
  const auto again = parsed(first);
  if (!again) report("a module's text does not parse", first, "");
  const std::string second = printed(*again);
  if (first != second) report("a module's text changes when parsed and printed", first, second);
  return 0;
}
