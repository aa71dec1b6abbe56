// The passes by stage, unchanged ones dimmed, filterable.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>

#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

bool contains_ignoring_case(const std::string& text, const std::string& part) {
  const auto equal = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), equal) != text.end();
}

bool is_listed(const PassListState& list, const PassRow& row, bool is_current) {
  if (!list.filter.empty() && !contains_ignoring_case(row.name, list.filter)) return false;
  return row.changed || !list.hide_unchanged || is_current;
}

void draw_filter(Frame& frame) {
  PassListState& list = frame.state.pass_list;
  const float button = frame.px(80);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - frame.px(10) - button - ImGui::GetStyle().ItemSpacing.x);
  ImGui::InputTextWithHint("##filter", "Filter passes", &list.filter);
  ImGui::SameLine();
  const Theme& theme = frame.theme();
  const ui::Ink face(ImGuiCol_Button, list.hide_unchanged ? theme[Colour::accent_soft] : theme[Colour::panel_raised]);
  const ui::Ink ink(ImGuiCol_Text, list.hide_unchanged ? theme[Colour::accent] : theme[Colour::text_dim]);
  if (ImGui::Button("Changed", {button, 0})) frame.commands.push("hide-unchanged");
  ui::tooltip(frame, "Show only passes that changed something  (U)");
}

std::string effect_text(const PassRow& row) {
  if (!row.changed) return "no change";
  return row.rewrites > 0 ? std::to_string(row.rewrites) : "";
}

void draw_row_text(Frame& frame, const PassRow& row, std::size_t index, bool current, ImVec2 min, ImVec2 max) {
  const Theme& theme = frame.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float pad = frame.px(12), size = frame.fonts.ui->FontSize, small = frame.fonts.small->FontSize;
  const float y = min.y + (max.y - min.y - size) / 2, small_y = min.y + (max.y - min.y - small) / 2 + frame.px(0.5F);
  if (current) list.AddRectFilled(min, {min.x + frame.px(3), max.y}, theme[Colour::accent]);
  const std::string effect = effect_text(row), number = std::to_string(index);
  const float effect_width = frame.fonts.small->CalcTextSizeA(small, FLT_MAX, 0, effect.c_str()).x;
  const float number_width = frame.fonts.small->CalcTextSizeA(small, FLT_MAX, 0, number.c_str()).x;
  list.AddText(frame.fonts.small, small, {min.x + pad + frame.px(16) - number_width, small_y},
               theme[Colour::text_faint], number.c_str());
  const float name_x = min.x + pad + frame.px(26);
  const float room = max.x - pad - effect_width - frame.px(8) - name_x;
  const ImU32 ink = !row.changed ? theme[Colour::text_faint]
                    : current    ? theme[Colour::text]
                                 : mixed(theme[Colour::text_dim], theme[Colour::text], 0.6F);
  ui::draw_text(list, current ? frame.fonts.bold : frame.fonts.ui, size, {name_x, y}, ink, row.name, room);
  list.AddText(frame.fonts.small, small, {max.x - pad - effect_width, small_y}, theme[Colour::text_faint],
               effect.c_str());
}

void draw_row(Frame& frame, const PassRow& row, std::size_t index) {
  const ui::Id id(static_cast<int>(index));
  const bool current = index == frame.state.wanted_pass;
  const float height = frame.px(27);
  if (ImGui::Selectable("##pass", current, 0, {0, height})) frame.commands.push("select-pass", std::to_string(index));
  if (current && frame.state.pass_list.reveal) {
    ImGui::SetScrollHereY(0.5F);
    frame.state.pass_list.reveal = false;
  }
  const ImVec2 min = ImGui::GetItemRectMin();
  const ImVec2 max{ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x, ImGui::GetItemRectMax().y};
  draw_row_text(frame, row, index, current, min, max);
  if (!ImGui::IsItemHovered()) return;
  char facts[96];
  std::snprintf(facts, sizeof facts, "%zu rewrites in %.2f ms; leaves the ", row.rewrites, row.elapsed_ms);
  ui::tooltip(frame, row.name + (row.summary.empty() ? "" : "\n" + row.summary) + "\n" + facts + row.level + " level");
}

// The first stage's line carries the heading of the numbers at the right.
void draw_stage(Frame& frame, const std::string& stage, bool is_first) {
  ImGui::Dummy({0, frame.px(5)});
  ImGui::SetCursorPosX(frame.px(12));
  std::string title = stage;
  if (!title.empty()) title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  const ui::Font font(frame.fonts.small);
  ui::text(title, frame.theme()[Colour::accent]);
  if (!is_first) return;
  const float width = ImGui::CalcTextSize("rewrites").x;
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - frame.px(12) - width);
  ui::text("rewrites", frame.theme()[Colour::text_faint]);
}

}  // namespace

void draw_pass_list(Frame& frame, ImVec2 size) {
  const ui::Panel panel("pass-list", size, {0, frame.px(10)});
  ImGui::Indent(frame.px(10));
  draw_filter(frame);
  ImGui::Unindent(frame.px(10));
  const ui::Child rows("rows", {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const std::string* stage = nullptr;
  const auto& passes = frame.state.document->passes;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (!is_listed(frame.state.pass_list, passes[i], i == frame.state.wanted_pass)) continue;
    if (stage == nullptr || *stage != passes[i].stage) draw_stage(frame, passes[i].stage, stage == nullptr);
    stage = &passes[i].stage;
    draw_row(frame, passes[i], i);
  }
  ImGui::PopStyleVar();
}

}  // namespace stele::app
