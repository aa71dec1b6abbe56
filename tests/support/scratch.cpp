#include "tests/support/scratch.h"

#include <stdlib.h>

#include <algorithm>

#include "core/ir/error.h"

namespace stele::test {

Scratch::Scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "stele-test-XXXXXX").string();
  if (!::mkdtemp(name.data())) fail("{}: no scratch folder", name);
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::string> Scratch::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace stele::test
