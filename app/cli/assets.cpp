#include "app/cli/assets.h"

#include <filesystem>
#include <fstream>

#include "core/ir/error.h"

namespace stele::cli {

std::string read_asset(const std::string& name, const Context&) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  // build/<preset>/bin is three folders below the checkout.
  for (int up = 0; !error && up < 5 && !folder.empty(); ++up, folder = folder.parent_path()) {
    const fs::path candidate = folder / "assets" / name;
    if (!fs::exists(candidate)) continue;
    std::ifstream stream(candidate, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  throw Unavailable(fmt::format("assets/{}: not found beside the executable or above it", name));
}

}  // namespace stele::cli
