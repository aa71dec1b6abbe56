// The code of the kernel that the selected op became.
#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

// Labels and definitions stand out, directives and comments step back.
ImU32 ink_of(const Theme& theme, const std::string& line) {
  const auto first = line.find_first_not_of(' ');
  if (first == std::string::npos) return theme[Colour::text];
  const char c = line[first];
  if (line.back() == ':' || line.starts_with("define")) return theme[Colour::accent];
  return c == '.' || c == '#' || c == ';' || c == '!' ? theme[Colour::text_faint] : theme[Colour::text];
}

void draw_lines(Frame& frame, const std::vector<std::string>& lines) {
  const ui::Panel panel("code-lines", {0, 0}, {frame.px(12), frame.px(4)}, ImGuiWindowFlags_HorizontalScrollbar);
  const ui::Font font(frame.fonts.mono);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, frame.px(3)});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(lines.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const std::string& line = lines[static_cast<std::size_t>(i)];
      ui::text(line, ink_of(frame.theme(), line));
    }
  }
  ImGui::PopStyleVar();
}

}  // namespace

void draw_code(Frame& frame, ImVec2 size) {
  const ui::Panel panel("code", size, {0, 0}, ImGuiWindowFlags_NoScrollbar);
  const Theme& theme = frame.theme();
  ImGui::SetCursorPosX(frame.px(12));
  if (!frame.state.selection)
    return ui::text("Select an op to see the code that it became.", theme[Colour::text_faint]);
  if (!frame.state.code) return ui::text("Reading …", theme[Colour::text_faint]);
  ui::text(frame.state.code->title, theme[Colour::text_dim]);
  if (!frame.state.code->lines.empty()) draw_lines(frame, frame.state.code->lines);
}

}  // namespace stele::app
