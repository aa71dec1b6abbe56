// Where the program finds its fonts and facts.
#pragma once

#include <filesystem>
#include <string>

namespace stele::app {

/// The assets folder: $STELE_ASSETS, or the nearest `assets` or `share/stele` upward from the executable. Empty path
/// when there is none.
std::filesystem::path assets_dir();

/// A file's contents. Throws std::runtime_error naming the file.
std::string read_text(const std::filesystem::path& file);

}  // namespace stele::app
