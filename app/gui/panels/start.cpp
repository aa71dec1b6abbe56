// What the window shows before anything is open.
#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

void centred(const std::string& text, ImU32 ink) {
  ImGui::SetCursorPosX((ImGui::GetWindowWidth() - ImGui::CalcTextSize(text.c_str()).x) / 2);
  ui::text(text, ink);
}

}  // namespace

void draw_start(Frame& frame, ImVec2 size) {
  const Theme& theme = frame.theme();
  const ui::Ink back(ImGuiCol_ChildBg, theme[Colour::window]);
  const ui::Panel panel("start", size, {0, 0});
  ImGui::SetCursorPosY(size.y * 0.34F);
  {
    const ui::Font font(frame.fonts.large);
    centred("See what a tensor compiler does to your model", theme[Colour::text]);
  }
  ImGui::Dummy({0, frame.px(6)});
  centred("Drop a model (.onnx, .mlir) or a session (.stele) here, or open one.", theme[Colour::text_dim]);
  ImGui::Dummy({0, frame.px(14)});
  const float width = frame.px(180), gap = frame.px(12);
  ImGui::SetCursorPosX((size.x - 2 * width - gap) / 2);
  {
    const ui::Ink face(ImGuiCol_Button, theme[Colour::accent_soft]);
    const ui::Ink ink(ImGuiCol_Text, theme[Colour::accent]);
    if (ImGui::Button("Open …", {width, frame.px(38)})) frame.commands.push("open");
  }
  ImGui::SameLine(0, gap);
  if (ImGui::Button("Stack Rosetta", {width, frame.px(38)})) frame.commands.push("toggle-rosetta");
  ImGui::Dummy({0, frame.px(22)});
  centred("Ctrl+O opens   ·   Ctrl+P lists every command   ·   F1 shows the keys", theme[Colour::text_faint]);
}

}  // namespace stele::app
