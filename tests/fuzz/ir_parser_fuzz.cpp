// Whatever the text, the parser gives a module or an Error; what it gives prints, and parses again to the same text.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "core/ir/text.h"
#include "core/ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace stele;
  std::unique_ptr<Module> module;
  try {
    module = parse({reinterpret_cast<const char*>(bytes), size}, {.file = "fuzz"});
    verify_structure(*module);
  } catch (const Error&) {
    return 0;
  }
  const PrintOptions options{.identity = true, .elide_above = -1};
  const std::string once = print(*module, options);
  if (print(*parse(once), options) != once) {
    std::cerr << "does not print as it parses:\n" << once;
    std::abort();
  }
  return 0;
}
