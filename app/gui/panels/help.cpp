// Keys, from the command table, and how the mouse works.
#include <array>
#include <utility>

#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

void draw_pair(Frame& frame, const std::string& left, const char* right) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ui::text(left, frame.theme()[Colour::accent]);
  ImGui::TableNextColumn();
  ui::text(right, frame.theme()[Colour::text]);
}

// The commands from `first` up to `last` that have a key, counted among those.
void draw_keys(Frame& frame, const char* id, std::size_t first, std::size_t last) {
  ui::heading(frame, "KEYS");
  if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingFixedFit)) return;
  std::size_t number = 0;
  for (const Command& command : all_commands()) {
    if (command.key.code == 0) continue;
    if (number >= first && number < last) draw_pair(frame, key_text(command.key), command.title);
    ++number;
  }
  ImGui::EndTable();
}

void draw_mouse(Frame& frame) {
  constexpr std::array<std::pair<const char*, const char*>, 5> rows = {
      {{"Wheel", "zoom"},
       {"Shift+wheel, Alt+wheel", "move sideways, up and down"},
       {"Drag", "move the graph"},
       {"Click an op", "select it, on both sides"},
       {"Click the minimap", "go there"}}};
  ui::heading(frame, "MOUSE");
  if (!ImGui::BeginTable("mouse", 2, ImGuiTableFlags_SizingFixedFit)) return;
  for (const auto& [left, right] : rows) draw_pair(frame, left, right);
  ImGui::EndTable();
}

}  // namespace

void draw_help(Frame& frame) {
  if (!frame.state.help_open) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({frame.px(900), frame.px(610)}, ImGuiCond_Appearing);
  const ui::Ink back(ImGuiCol_WindowBg, frame.theme()[Colour::panel]);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  if (ImGui::Begin("Keys and mouse", &frame.state.help_open,
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse)) {
    ImGui::Columns(2, "help", false);
    constexpr std::size_t keys_in_a_column = 21;
    draw_keys(frame, "keys", 0, keys_in_a_column);
    ImGui::NextColumn();
    draw_keys(frame, "more-keys", keys_in_a_column, all_commands().size());
    ImGui::Dummy({0, frame.px(8)});
    draw_mouse(frame);
    ImGui::Columns(1);
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace stele::app
