// The part below the graphs: text of both sides, the rewrites of the pass, or the code of the selected kernel.
#include "app/gui/panels/panels.h"

namespace stele::app {

void draw_bottom(Frame& frame, ImVec2 size) {
  const ui::Panel panel("bottom", size, {0, 0}, ImGuiWindowFlags_NoScrollbar);
  ImGui::SetCursorPos({frame.px(8), frame.px(4)});
  ui::command_button(frame, "IR text", "show-ir", frame.state.detail == Detail::ir);
  ImGui::SameLine(0, frame.px(4));
  ui::command_button(frame, "Rewrites", "show-rewrites", frame.state.detail == Detail::rewrites);
  ImGui::SameLine(0, frame.px(4));
  ui::command_button(frame, "Code", "show-code", frame.state.detail == Detail::code);
  ImGui::SetCursorPos({0, frame.px(36)});
  const ImVec2 rest = ImGui::GetContentRegionAvail();
  switch (frame.state.detail) {
    case Detail::ir:
      return draw_ir_text(frame, rest);
    case Detail::rewrites:
      return draw_rewrites(frame, rest);
    case Detail::code:
      return draw_code(frame, rest);
  }
}

}  // namespace stele::app
