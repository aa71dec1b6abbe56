// The rewrites of the selected pass, in the order in which they were applied.
#include <algorithm>

#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

std::string names(const SnapshotPicture* snapshot, const std::vector<viz::OpId>& ops) {
  std::string text;
  std::size_t shown = 0;
  for (const viz::OpId op : ops) {
    if (++shown > 4) return text + " …";
    text += text.empty() ? "" : "  ";
    const auto found = snapshot != nullptr ? snapshot->nodes_of.find(op) : decltype(snapshot->nodes_of.end()){};
    const bool known = snapshot != nullptr && found != snapshot->nodes_of.end();
    text += (known ? snapshot->graph.nodes[found->second.front()].title + " " : "") + "#" + std::to_string(op);
  }
  return text;
}

bool touches(const RewriteRow& row, const std::optional<Selection>& selection) {
  if (!selection) return false;
  const auto& ops = selection->side == Side::before ? row.before : row.after;
  return std::find(ops.begin(), ops.end(), selection->op) != ops.end();
}

// Selects what the rewrite made where it can be seen, else what it matched.
void select(Frame& frame, const PassPicture& picture, const RewriteRow& row) {
  for (const Side side : {Side::after, Side::before}) {
    const SnapshotPicture* snapshot = side == Side::before ? picture.before.get() : picture.after.get();
    for (const viz::OpId op : side == Side::before ? row.before : row.after) {
      if (snapshot == nullptr || !snapshot->nodes_of.contains(op)) continue;
      frame.commands.push("select-op", (side == Side::before ? "before:" : "after:") + std::to_string(op));
      frame.commands.push("focus");
      return;
    }
  }
}

void draw_row(Frame& frame, const PassPicture& picture, const RewriteRow& row) {
  const Theme& theme = frame.theme();
  const ui::Id id(static_cast<int>(row.number));
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::Selectable(std::to_string(row.number).c_str(), touches(row, frame.state.selection),
                        ImGuiSelectableFlags_SpanAllColumns))
    select(frame, picture, row);
  ImGui::TableNextColumn();
  ui::text(row.rule, theme[Colour::text]);
  ImGui::TableNextColumn();
  ui::text(names(picture.before.get(), row.before), theme[Colour::removed]);
  ImGui::TableNextColumn();
  ui::text(names(picture.after.get(), row.after), theme[Colour::added]);
}

}  // namespace

void draw_rewrites(Frame& frame, ImVec2 size) {
  const ui::Panel panel("rewrites", size, {frame.px(12), frame.px(4)});
  const PassPictureRef picture = current_picture(frame.state);
  if (!picture) return;
  if (picture->rewrites.empty()) return ui::text("This pass applied no rewrites.", frame.theme()[Colour::text_faint]);
  constexpr ImGuiTableFlags flags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV;
  if (!ImGui::BeginTable("rows", 4, flags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("No.", ImGuiTableColumnFlags_WidthFixed, frame.px(48));
  ImGui::TableSetupColumn("Rule", ImGuiTableColumnFlags_WidthStretch, 1.0F);
  ImGui::TableSetupColumn("Matched", ImGuiTableColumnFlags_WidthStretch, 1.5F);
  ImGui::TableSetupColumn("New", ImGuiTableColumnFlags_WidthStretch, 1.0F);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(picture->rewrites.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_row(frame, *picture, picture->rewrites[static_cast<std::size_t>(i)]);
  }
  ImGui::EndTable();
}

}  // namespace stele::app
