#include "app/gui/open_dialog.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace stele::app::open_dialog {

bool is_openable(const std::string& name) {
  constexpr std::array<std::string_view, 6> endings = {".stele", ".onnx", ".mlir", ".stablehlo", ".hlo", ".txt"};
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

void enter(OpenDialogState& state, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path path = fs::weakly_canonical(folder, error);
  state.folder = error ? folder : path.string();
  state.entries.clear();
  state.name.clear();
  for (fs::directory_iterator it(state.folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code unreadable;
    const bool is_folder = it->is_directory(unreadable);
    if (name.starts_with(".") || (!is_folder && !is_openable(name))) continue;
    state.entries.emplace_back(name, is_folder);
  }
  std::sort(state.entries.begin(), state.entries.end(),
            [](const auto& a, const auto& b) { return a.second != b.second ? a.second : a.first < b.first; });
}

void show(OpenDialogState& state) {
  state.open = true;
  std::error_code error;
  enter(state, state.folder.empty() ? std::filesystem::current_path(error).string() : state.folder);
}

}  // namespace stele::app::open_dialog
