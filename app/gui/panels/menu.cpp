// The menu bar, from the command table.
#include <cstring>

#include "app/gui/app.h"
#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

// Menus do not know the App; a command that is not possible says so when it is run. What depends on a document is
// greyed here.
bool is_greyed(const Frame& frame, const Command& command) {
  const bool needs_document = std::strcmp(command.menu, "Go") == 0 ||
                              (std::strcmp(command.menu, "View") == 0 && std::strcmp(command.id, "toggle-theme") != 0);
  return (needs_document && !frame.state.document) || (std::strcmp(command.id, "cancel") == 0 && !frame.state.busy);
}

void draw_items(Frame& frame, const char* menu) {
  for (const Command& command : all_commands()) {
    if (std::strcmp(command.menu, menu) != 0) continue;
    if (ImGui::MenuItem(command.title, key_text(command.key).c_str(), false, !is_greyed(frame, command)))
      frame.commands.push(command.id);
  }
}

void draw_title(Frame& frame) {
  if (!frame.state.document) return;
  const Document& document = *frame.state.document;
  const Theme& theme = frame.theme();
  const std::string& title = document.title;
  const float width =
      ImGui::CalcTextSize(title.c_str()).x + ImGui::CalcTextSize(document.subtitle.c_str()).x + frame.px(12);
  ImGui::SameLine((ImGui::GetWindowWidth() - width) / 2);
  {
    const ui::Font font(frame.fonts.bold);
    ui::text(title, theme[Colour::text]);
  }
  ImGui::SameLine(0, frame.px(12));
  ui::text(document.subtitle, theme[Colour::text_faint]);
}

void draw_page_switch(Frame& frame) {
  ImGui::SameLine(ImGui::GetWindowWidth() - frame.px(168));
  ui::command_button(frame, "Graphs", "show-graphs", frame.state.page == Page::graphs);
  ImGui::SameLine(0, frame.px(4));
  ui::command_button(frame, "Rosetta", "toggle-rosetta", frame.state.page == Page::rosetta);
}

}  // namespace

void draw_menu(Frame& frame) {
  if (!ImGui::BeginMenuBar()) return;
  {
    const ui::Font font(frame.fonts.bold);
    ImGui::SetCursorPosX(frame.px(14));
    ui::text("Stele", frame.theme()[Colour::accent]);
  }
  ImGui::SameLine(0, frame.px(16));
  for (const char* menu : {"File", "Go", "View", "Learn", "Help"}) {
    if (!ImGui::BeginMenu(menu)) continue;
    draw_items(frame, menu);
    ImGui::EndMenu();
  }
  draw_title(frame);
  draw_page_switch(frame);
  ImGui::EndMenuBar();
}

}  // namespace stele::app
