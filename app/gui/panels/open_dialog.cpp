// The file dialog: folders, models and sessions.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <filesystem>

#include "app/gui/open_dialog.h"
#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

void open(Frame& frame, const std::string& name) {
  OpenDialogState& state = frame.state.open_dialog;
  if (name.empty()) return;
  frame.commands.push("open", (std::filesystem::path(state.folder) / name).string());
  state.open = false;
}

void draw_folder_line(Frame& frame) {
  OpenDialogState& state = frame.state.open_dialog;
  if (ImGui::Button("↑ Up")) open_dialog::enter(state, std::filesystem::path(state.folder).parent_path().string());
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputText("##folder", &state.folder, ImGuiInputTextFlags_EnterReturnsTrue))
    open_dialog::enter(state, std::string(state.folder));
}

void draw_entries(Frame& frame) {
  OpenDialogState& state = frame.state.open_dialog;
  const Theme& theme = frame.theme();
  const ui::Ink back(ImGuiCol_ChildBg, theme[Colour::window]);
  const ui::Panel list("entries", {0, -frame.px(48)}, {frame.px(6), frame.px(6)});
  std::string enter;
  for (std::size_t i = 0; i < state.entries.size(); ++i) {
    const auto& [name, is_folder] = state.entries[i];
    const ui::Id id(static_cast<int>(i));
    const ui::Ink ink(ImGuiCol_Text, is_folder ? theme[Colour::text_dim] : theme[Colour::text]);
    const std::string label = is_folder ? name + "/" : name;
    if (!ImGui::Selectable(label.c_str(), name == state.name, ImGuiSelectableFlags_AllowDoubleClick)) continue;
    if (is_folder) {
      enter = name;
    } else {
      state.name = name;
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) open(frame, name);
    }
  }
  if (state.entries.empty()) ui::text("No folder, model or session here", theme[Colour::text_faint]);
  if (!enter.empty()) open_dialog::enter(state, (std::filesystem::path(state.folder) / enter).string());
}

}  // namespace

void draw_open_dialog(Frame& frame) {
  OpenDialogState& state = frame.state.open_dialog;
  constexpr const char* title = "Open a model or a session";
  if (state.open && !ImGui::IsPopupOpen(title)) ImGui::OpenPopup(title);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({frame.px(640), frame.px(480)}, ImGuiCond_Appearing);
  if (!ImGui::BeginPopupModal(title, nullptr, ImGuiWindowFlags_NoSavedSettings)) return;
  draw_folder_line(frame);
  draw_entries(frame);
  ImGui::Dummy({0, frame.px(2)});
  if (ImGui::Button("Open", {frame.px(110), frame.px(30)})) open(frame, state.name);
  ImGui::SameLine();
  if (ImGui::Button("Cancel", {frame.px(110), frame.px(30)}) ||
      ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)))
    state.open = false;
  ImGui::SameLine();
  ui::text(state.name.empty() ? ".onnx, .mlir, .stele" : state.name, frame.theme()[Colour::text_faint]);
  if (!state.open) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace stele::app
