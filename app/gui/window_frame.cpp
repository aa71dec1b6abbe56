#include "app/gui/window_frame.h"

#include <algorithm>

#include "app/gui/app.h"
#include "app/gui/pane_link.h"
#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

// Keys that text fields use are theirs while one has the keyboard.
void take_keys(App& app) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool typing = io.WantTextInput || app.state.palette.open || app.state.open_dialog.open;
  for (const Command& command : all_commands()) {
    if (command.key.code == 0 || !ImGui::IsKeyPressed(command.key.code)) continue;
    const bool wants_control = (command.key.modifiers & control) != 0,
               wants_shift = (command.key.modifiers & shift) != 0;
    if (wants_control != io.KeyCtrl || wants_shift != io.KeyShift || (typing && !wants_control)) continue;
    if (command.enabled(app)) app.commands.push(command.id);
  }
}

void draw_panes(Frame& frame, ImVec2 size) {
  // The capture has nothing before it: its graph takes all the room.
  if (frame.state.pass == 0) return draw_graph_pane(frame, Side::after, size);
  Splits& splits = frame.state.splits;
  const float bar = frame.px(5), room = size.x - bar;
  float left = splits.panes * room / frame.state.scale;
  const float total = room / frame.state.scale;
  draw_graph_pane(frame, Side::before, {room * splits.panes, size.y});
  ImGui::SameLine(0, 0);
  ui::splitter(frame, "panes", true, size.y, left, total * 0.15F, total * 0.85F, 1);
  splits.panes = left / total;
  ImGui::SameLine(0, 0);
  draw_graph_pane(frame, Side::after, {size.x - bar - room * splits.panes, size.y});
}

void draw_centre(Frame& frame, ImVec2 size) {
  const ui::Child child("centre", size, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground);
  if (!frame.state.show_bottom) return draw_panes(frame, size);
  Splits& splits = frame.state.splits;
  const float bar = frame.px(5), most = std::max(120.0F, size.y / frame.state.scale - 160);
  splits.bottom = std::clamp(splits.bottom, 90.0F, most);
  draw_panes(frame, {size.x, size.y - frame.px(splits.bottom) - bar});
  ui::splitter(frame, "bottom-bar", false, size.x, splits.bottom, 90, most, -1);
  draw_bottom(frame, {size.x, frame.px(splits.bottom)});
}

void draw_body(Frame& frame, ImVec2 size) {
  Splits& splits = frame.state.splits;
  const float bar = frame.px(5), right = frame.state.show_details ? frame.px(splits.right) + bar : 0;
  draw_pass_list(frame, {frame.px(splits.left), size.y});
  ImGui::SameLine(0, 0);
  ui::splitter(frame, "left-bar", true, size.y, splits.left, 180, 480, 1);
  ImGui::SameLine(0, 0);
  draw_centre(frame, {std::max(frame.px(200), size.x - frame.px(splits.left) - bar - right), size.y});
  if (!frame.state.show_details) return;
  ImGui::SameLine(0, 0);
  ui::splitter(frame, "right-bar", true, size.y, splits.right, 200, 560, -1);
  ImGui::SameLine(0, 0);
  draw_op_details(frame, {frame.px(splits.right), size.y});
}

void draw_page(Frame& frame, ImVec2 size) {
  if (frame.state.page == Page::rosetta) return draw_rosetta(frame, size);
  if (!frame.state.document || frame.state.document->passes.empty()) return draw_start(frame, size);
  const float board = frame.px(98), gap = frame.px(5);
  draw_scoreboard(frame, {size.x, board});
  ImGui::Dummy({size.x, gap});
  draw_body(frame, {size.x, size.y - board - gap});
}

void draw_main_window(Frame& frame) {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(io.DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  constexpr ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                                     ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                     ImGuiWindowFlags_MenuBar | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                     ImGuiWindowFlags_NoNavFocus;
  ImGui::Begin("main", nullptr, flags);
  ImGui::PopStyleVar(2);
  draw_menu(frame);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float status = frame.px(28);
  draw_page(frame, {room.x, room.y - status});
  draw_status(frame, {room.x, status});
  ImGui::PopStyleVar();
  ImGui::End();
}

}  // namespace

void draw_frame(App& app) {
  Frame frame{app.state, app.fonts, app.commands};
  take_keys(app);
  ImGui::PushFont(app.fonts.ui);
  draw_main_window(frame);
  draw_progress(frame);
  draw_open_dialog(frame);
  draw_palette(frame);
  draw_help(frame);
  align_panes(app.state);
  ImGui::PopFont();
}

}  // namespace stele::app
