// Every colour of the window, by what it means.
#pragma once

#include <imgui.h>

#include <array>
#include <cstddef>

namespace stele::app {

enum class Colour {
  window,
  panel,
  panel_raised,
  canvas,
  border,
  text,
  text_dim,
  text_faint,
  accent,
  accent_soft,
  added,
  removed,
  changed,
  good,
  bad,
  warning,
  box,
  box_border,
  chip,
  edge,
  edge_marked,
  arithmetic,
  contraction,
  reduction,
  movement,
  control,
  fusion,
  library,
  loop,
  machine,
  constant,
  argument,
  result,
  count
};

struct Theme {
  const char* name = "";
  std::array<ImU32, static_cast<std::size_t>(Colour::count)> colours{};

  ImU32 operator[](Colour colour) const { return colours[static_cast<std::size_t>(colour)]; }
  ImVec4 vec(Colour colour) const { return ImGui::ColorConvertU32ToFloat4((*this)[colour]); }
};

const Theme& dark_theme();
const Theme& light_theme();

/// The colour with its opacity multiplied.
ImU32 faded(ImU32 colour, float opacity);

/// A mixture: `share` of b, the rest of a.
ImU32 mixed(ImU32 a, ImU32 b, float share);

/// Sets ImGui's style: colours, rounding and spacing.
void apply(const Theme& theme, float scale);

}  // namespace stele::app
