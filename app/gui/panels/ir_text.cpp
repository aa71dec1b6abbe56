// The text of both snapshots side by side, changes tinted; a click selects the op, the selection is kept in view.
#include <algorithm>

#include "app/gui/canvas.h"
#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

viz::Change change_of(const PassPicture& picture, Side side, const SnapshotPicture& snapshot, viz::OpId op) {
  const auto& changes = side == Side::before ? picture.diff.before : picture.diff.after;
  const auto found = snapshot.nodes_of.find(op);
  return found == snapshot.nodes_of.end() || found->second.front() >= changes.size() ? viz::Change::same
                                                                                     : changes[found->second.front()];
}

float line_height(const Frame& frame) { return frame.fonts.mono->FontSize + frame.px(4); }

void draw_line(Frame& frame, const PassPicture& picture, Side side, const SnapshotPicture& snapshot, std::size_t index,
               bool marked) {
  const ui::Id id(static_cast<int>(index));
  const Theme& theme = frame.theme();
  const IrLine& line = snapshot.ir[index];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = line_height(frame),
              text_width = ImGui::CalcTextSize(line.text.c_str()).x + ImGui::CalcTextSize("00000  ").x;
  const float width = std::max(ImGui::GetContentRegionAvail().x, text_width);
  const viz::Change change =
      picture.before && line.op != 0 ? change_of(picture, side, snapshot, line.op) : viz::Change::same;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float left = ImGui::GetWindowPos().x;
  if (marked) list.AddRectFilled({left, at.y}, {at.x + width, at.y + height}, theme[Colour::accent_soft]);
  if (change != viz::Change::same) {
    if (!marked)
      list.AddRectFilled({left, at.y}, {at.x + width, at.y + height}, faded(change_colour(theme, change), 0.10F));
    list.AddRectFilled({left, at.y}, {left + frame.px(3), at.y + height}, change_colour(theme, change));
  }
  if (ImGui::InvisibleButton("##line", {width, height}) && line.op != 0) {
    frame.commands.push("select-op", (side == Side::before ? "before:" : "after:") + std::to_string(line.op));
    frame.commands.push("focus");
  }
  if (ImGui::IsItemHovered() && line.op != 0)
    list.AddRectFilled({left, at.y}, {at.x + width, at.y + height}, faded(theme[Colour::text], 0.05F));
  char number[16];
  std::snprintf(number, sizeof number, "%4zu", index + 1);
  list.AddText({at.x, at.y + frame.px(2)}, theme[Colour::text_faint], number);
  const ImU32 ink = line.op == 0 ? theme[Colour::text_dim] : theme[Colour::text];
  list.AddText({at.x + ImGui::CalcTextSize("00000 ").x, at.y + frame.px(2)}, ink, line.text.c_str());
}

void reveal(const SnapshotPicture& snapshot, const std::vector<viz::OpId>& marked, float height) {
  for (const viz::OpId op : marked) {
    const auto found = snapshot.line_of.find(op);
    if (found == snapshot.line_of.end()) continue;
    ImGui::SetScrollY(
        std::max(0.0F, static_cast<float>(found->second) * height - ImGui::GetWindowHeight() / 2 + height));
    return;
  }
}

void draw_side(Frame& frame, const PassPicture& picture, Side side, ImVec2 size) {
  const ui::Panel panel(side == Side::before ? "text-before" : "text-after", size, {frame.px(10), frame.px(6)},
                        ImGuiWindowFlags_HorizontalScrollbar);
  const SnapshotPicture* snapshot = side == Side::before ? picture.before.get() : picture.after.get();
  if (snapshot == nullptr) return;
  const ui::Font font(frame.fonts.mono);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const std::vector<viz::OpId> marked = marked_ops(frame.state, side);
  const float height = line_height(frame);
  if (frame.state.reveal_ir) reveal(*snapshot, marked, height);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(snapshot->ir.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const viz::OpId op = snapshot->ir[static_cast<std::size_t>(i)].op;
      const bool is_marked = op != 0 && std::find(marked.begin(), marked.end(), op) != marked.end();
      draw_line(frame, picture, side, *snapshot, static_cast<std::size_t>(i), is_marked);
    }
  }
  ImGui::PopStyleVar();
}

}  // namespace

void draw_ir_text(Frame& frame, ImVec2 size) {
  const PassPictureRef picture = current_picture(frame.state);
  if (!picture) return;
  if (!picture->before) {
    draw_side(frame, *picture, Side::after, size);
    frame.state.reveal_ir = false;
    return;
  }
  const float gap = frame.px(1), width = (size.x - gap) / 2;
  draw_side(frame, *picture, Side::before, {width, size.y});
  ImGui::SameLine(0, gap);
  draw_side(frame, *picture, Side::after, {width, size.y});
  frame.state.reveal_ir = false;
}

}  // namespace stele::app
