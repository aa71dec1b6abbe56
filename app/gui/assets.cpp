#include "app/gui/assets.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stele::app {

std::filesystem::path assets_dir() {
  if (const char* given = std::getenv("STELE_ASSETS"); given != nullptr && *given != '\0') return given;
  std::error_code ignored;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  while (!folder.empty()) {
    for (const char* name : {"assets", "share/stele"}) {
      if (std::filesystem::exists(folder / name / "rosetta.json", ignored)) return folder / name;
    }
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return {};
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(file.string() + ": cannot be read");
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace stele::app
