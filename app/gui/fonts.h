// The shipped fonts, at the sizes that the window and the canvas use.
#pragma once

#include <imgui.h>

#include <array>
#include <filesystem>

namespace stele::app {

struct Fonts {
  ImFont* ui = nullptr;
  ImFont* bold = nullptr;
  ImFont* small = nullptr;
  ImFont* mono = nullptr;
  ImFont* large = nullptr;  ///< The scoreboard's numbers, titles of pages.
  std::array<ImFont*, 5> canvas{},
      canvas_bold{};  ///< Growing sizes; the canvas takes the next larger one and scales down.

  /// The canvas font to draw text of this size with.
  ImFont* at(float size, bool is_bold) const;
};

/// Adds the fonts of assets/fonts to the current context. Without them (a folder moved away) ImGui's own font stands
/// in.
Fonts load_fonts(const std::filesystem::path& assets, float scale);

}  // namespace stele::app
