// Sizes of boxes, without a window: the advance widths of the shipped font, so that text fits where it is later
// painted.
#include <algorithm>
#include <array>

#include "viz/layout.h"

namespace stele::viz {
namespace {

constexpr float units_per_em = 2048;
// ImGui's sizes are line heights (ascent + descent); the em of DejaVu Sans is this part of it.
constexpr float em_per_line = 0.859F;
constexpr float other_width = 1300;
constexpr float bold_width = 1.2F;  // of the bold face, against the regular one

// Advance widths of DejaVu Sans, U+0020 to U+007E.
constexpr std::array<unsigned short, 95> ascii_widths = {
    651,  821,  942,  1716, 1303, 1946, 1597, 563,  799,  799,  1024, 1716, 651,  739,  651,  690,  1303, 1303, 1303,
    1303, 1303, 1303, 1303, 1303, 1303, 1303, 690,  690,  1716, 1716, 1716, 1087, 2048, 1401, 1405, 1430, 1577, 1294,
    1178, 1587, 1540, 604,  604,  1343, 1141, 1767, 1532, 1612, 1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403,
    1251, 1403, 799,  690,  799,  1716, 1024, 1024, 1255, 1300, 1126, 1300, 1260, 721,  1300, 1298, 569,  569,  1186,
    569,  1995, 1298, 1253, 1300, 1300, 842,  1067, 803,  1298, 1212, 1675, 1212, 1212, 1075, 1303, 690,  1303, 1716};

bool is_chip(const Node& node) {
  return node.role == Role::constant || node.role == Role::argument || node.role == Role::result;
}

}  // namespace

float text_width(std::string_view text, float font_size) {
  float units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;  // a continuation byte of UTF-8
    units += byte >= 0x20 && byte < 0x7F ? ascii_widths[byte - 0x20] : other_width;
  }
  return units / units_per_em * em_per_line * font_size;
}

Point box_size(const Node& node) {
  using namespace box_style;
  if (is_chip(node)) {
    const std::string& name = node.label.empty() ? node.title : node.label;
    const float text = text_width(name, chip_title_size) +
                       (node.subtitle.empty() ? 0 : 8 + text_width(node.subtitle, chip_title_size));
    return {std::min(text + 2 * chip_padding_x, widest), chip_height};
  }
  float width = text_width(node.title, title_size) * bold_width;
  width = std::max(width, text_width(node.subtitle, subtitle_size));
  for (const std::string& line : node.lines) width = std::max(width, text_width(line, subtitle_size));
  const auto lines = static_cast<float>(1 + (node.subtitle.empty() ? 0 : 1) + node.lines.size());
  return {std::clamp(width + 2 * padding_x, 72.0F, widest), lines * line_height + 2 * padding_y};
}

}  // namespace stele::viz
