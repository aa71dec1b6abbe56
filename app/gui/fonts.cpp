#include "app/gui/fonts.h"

#include <string>

namespace stele::app {
namespace {

// Latin, Greek, dashes, superscripts, arrows, operators, shapes, check marks.
constexpr std::array<ImWchar, 19> ui_ranges = {0x20,   0xFF,   0x391,  0x3C9,  0x2010, 0x2026, 0x2070,
                                               0x209F, 0x2190, 0x21D5, 0x2200, 0x226F, 0x2308, 0x230B,
                                               0x25A0, 0x25FF, 0x2713, 0x2718, 0};
constexpr std::array<ImWchar, 7> canvas_ranges = {0x20, 0xFF, 0x2010, 0x2026, 0x2190, 0x2193, 0};

constexpr std::array<float, 5> canvas_sizes = {10, 13, 17, 24, 36};

ImFont* add(const std::filesystem::path& file, float size, const ImWchar* ranges) {
  ImFontConfig config;
  config.OversampleH = 2;
  config.OversampleV = 1;
  config.PixelSnapH = size < 20;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  return std::filesystem::exists(file) ? atlas.AddFontFromFileTTF(file.c_str(), size, &config, ranges)
                                       : atlas.AddFontDefault();
}

}  // namespace

ImFont* Fonts::at(float size, bool is_bold) const {
  const auto& family = is_bold ? canvas_bold : canvas;
  for (ImFont* font : family) {
    if (font->FontSize >= size - 0.5F) return font;
  }
  return family.back();
}

Fonts load_fonts(const std::filesystem::path& assets, float scale) {
  const auto sans = assets / "fonts" / "DejaVuSans.ttf", bold = assets / "fonts" / "DejaVuSans-Bold.ttf";
  const auto mono = assets / "fonts" / "DejaVuSansMono.ttf";
  Fonts fonts;
  fonts.ui = add(sans, 15 * scale, ui_ranges.data());
  fonts.bold = add(bold, 15 * scale, ui_ranges.data());
  fonts.small = add(sans, 13 * scale, ui_ranges.data());
  fonts.mono = add(mono, 14 * scale, ui_ranges.data());
  fonts.large = add(bold, 23 * scale, ui_ranges.data());
  for (std::size_t i = 0; i < canvas_sizes.size(); ++i) {
    fonts.canvas[i] = add(sans, canvas_sizes[i] * scale, canvas_ranges.data());
    fonts.canvas_bold[i] = add(bold, canvas_sizes[i] * scale, canvas_ranges.data());
  }
  return fonts;
}

}  // namespace stele::app
