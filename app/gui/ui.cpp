#include "app/gui/ui.h"

#include <algorithm>

namespace stele::app::ui {

Panel::Panel(const char* id, ImVec2 size, ImVec2 padding, ImGuiWindowFlags flags) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::BeginChild(id, size, false, flags | ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  const ImVec2 inner = ImGui::GetStyle().ItemInnerSpacing;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {inner.x * 4 / 3, inner.y * 1.5F});
}

Panel::~Panel() {
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

void text(std::string_view text, ImU32 colour) {
  const Ink ink(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
}

void heading(const Frame& frame, const char* title) {
  const Font font(frame.fonts.small);
  text(title, frame.theme()[Colour::text_faint]);
}

std::string shortened(std::string_view text, float width, ImFont* font, float size) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (font->CalcTextSizeA(size, FLT_MAX, 0, begin, end).x <= width) return std::string(text);
  const float dots = font->CalcTextSizeA(size, FLT_MAX, 0, "…").x;
  const char* fits = begin;
  font->CalcTextSizeA(size, std::max(0.0F, width - dots), 0, begin, end, &fits);
  return fits == begin ? "" : std::string(begin, fits) + "…";
}

float draw_text(ImDrawList& list, ImFont* font, float size, ImVec2 at, ImU32 colour, std::string_view text,
                float width) {
  const std::string shown = shortened(text, width, font, size);
  list.AddText(font, size, at, colour, shown.c_str());
  return font->CalcTextSizeA(size, FLT_MAX, 0, shown.c_str()).x;
}

bool command_button(Frame& frame, const char* label, const char* id, bool active) {
  const Theme& theme = frame.theme();
  const Ink button(ImGuiCol_Button, active ? theme[Colour::accent_soft] : faded(theme[Colour::panel_raised], 0));
  const Ink ink(ImGuiCol_Text, active ? theme[Colour::accent] : theme[Colour::text_dim]);
  const bool pressed = ImGui::Button(label);
  if (pressed) frame.commands.push(id);
  if (const Command* command = find_command(id)) {
    const std::string key = key_text(command->key);
    tooltip(frame, key.empty() ? command->title : std::string(command->title) + "  (" + key + ")");
  }
  return pressed;
}

void tooltip(const Frame& frame, const std::string& words) {
  if (!ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(frame.px(420));
  text(words, frame.theme()[Colour::text]);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void splitter(Frame& frame, const char* id, bool vertical, float length, float& size, float least, float most,
              float sign) {
  const float thickness = frame.px(5);
  ImGui::InvisibleButton(id, vertical ? ImVec2(thickness, length) : ImVec2(length, thickness));
  const bool held = ImGui::IsItemActive();
  if (held) {
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    size = std::clamp(size + sign * (vertical ? moved.x : moved.y) / frame.state.scale, least, most);
  }
  if (!held && !ImGui::IsItemHovered()) return;
  ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  const ImU32 colour = faded(frame.theme()[Colour::accent], held ? 0.9F : 0.5F);
  ImGui::GetWindowDrawList()->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), colour);
}

}  // namespace stele::app::ui
