// Every command by name: type, choose with the arrows, Enter.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>

#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// By title or id; a command that takes an argument also by its id followed by the argument.
std::vector<const Command*> matches(const std::string& query) {
  const std::string wanted = lower(query);
  std::vector<const Command*> result;
  for (const Command& command : all_commands()) {
    const bool with_argument = command.argument[0] != '\0' && wanted.starts_with(std::string(command.id) + " ");
    if (with_argument || contains(lower(command.title), wanted) || contains(command.id, wanted))
      result.push_back(&command);
  }
  return result;
}

void choose(Frame& frame, const Command& command) {
  PaletteState& palette = frame.state.palette;
  const std::string id = command.id;
  const bool has_argument = palette.query.starts_with(id + " ");
  frame.commands.push(id, has_argument ? palette.query.substr(id.size() + 1) : "");
  palette.open = false;
}

void draw_match(Frame& frame, const Command& command, bool selected) {
  const ui::Id id(command.id);
  const Theme& theme = frame.theme();
  if (ImGui::Selectable("##command", selected, 0, {0, frame.px(26)})) choose(frame, command);
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = min.y + (max.y - min.y - frame.fonts.ui->FontSize) / 2;
  list.AddText(frame.fonts.ui, frame.fonts.ui->FontSize, {min.x + frame.px(8), y}, theme[Colour::text], command.title);
  const std::string right =
      command.argument[0] != '\0' ? std::string(command.id) + " <" + command.argument + ">" : key_text(command.key);
  const float width = frame.fonts.small->CalcTextSizeA(frame.fonts.small->FontSize, FLT_MAX, 0, right.c_str()).x;
  list.AddText(frame.fonts.small, frame.fonts.small->FontSize, {max.x - width - frame.px(8), y + frame.px(1)},
               theme[Colour::text_faint], right.c_str());
}

// ImGui marks all of a field that gets the keyboard; typing would then replace what is given.
int keep_prefilled(ImGuiInputTextCallbackData* edit) {
  auto& palette = *static_cast<PaletteState*>(edit->UserData);
  if (!palette.is_prefilled) return 0;
  palette.is_prefilled = false;
  edit->CursorPos = edit->BufTextLen;
  edit->ClearSelection();
  return 0;
}

void draw_contents(Frame& frame) {
  PaletteState& palette = frame.state.palette;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const bool entered = ImGui::InputTextWithHint(
      "##query", "Type a command", &palette.query,
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways, keep_prefilled, &palette);
  const auto found = matches(palette.query);
  const int count = static_cast<int>(found.size());
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_DownArrow))) ++palette.selected;
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_UpArrow))) --palette.selected;
  palette.selected = std::clamp(palette.selected, 0, std::max(0, count - 1));
  const ui::Child list("matches", {0, 0});
  for (int i = 0; i < count; ++i) {
    draw_match(frame, *found[static_cast<std::size_t>(i)], i == palette.selected);
    if (i == palette.selected && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
  }
  if (entered && count > 0) choose(frame, *found[static_cast<std::size_t>(palette.selected)]);
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) palette.open = false;
}

}  // namespace

void draw_palette(Frame& frame) {
  PaletteState& palette = frame.state.palette;
  if (palette.open && !ImGui::IsPopupOpen("palette")) ImGui::OpenPopup("palette");
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y * 0.16F}, 0, {0.5F, 0});
  ImGui::SetNextWindowSize({frame.px(620), frame.px(420)});
  if (!ImGui::BeginPopup("palette", ImGuiWindowFlags_NoMove)) {
    palette.open = false;
    return;
  }
  draw_contents(frame);
  if (!palette.open) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace stele::app
