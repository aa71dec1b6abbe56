// One side of a pass as a graph: pan with the left or middle button, zoom with the wheel, click to select.
#include <algorithm>
#include <cmath>

#include "app/gui/canvas.h"
#include "app/gui/pane_link.h"
#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

constexpr float minimap_width = 54;

struct Pane {
  Side side;
  PaneState& state;
  const SnapshotPicture* picture;
  const std::vector<viz::Change>* changes;
};

std::string count_text(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

// A coloured count in the header: "−12 removed".
void draw_badge(Frame& frame, const std::string& text, ImU32 colour) {
  ImGui::SameLine(0, frame.px(10));
  const ui::Font font(frame.fonts.small);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str()), at = ImGui::GetCursorScreenPos();
  const float pad = frame.px(7), height = frame.px(20), middle = at.y + ImGui::GetFrameHeight() / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({at.x, middle - height / 2}, {at.x + size.x + 2 * pad, middle + height / 2}, faded(colour, 0.16F),
                     height / 2);
  list.AddText({at.x + pad, middle - size.y / 2}, colour, text.c_str());
  ImGui::Dummy({size.x + 2 * pad, ImGui::GetFrameHeight()});
}

void draw_badges(Frame& frame, Side side, const PassPictureRef& picture) {
  const Theme& theme = frame.theme();
  const viz::DiffCounts& counts = picture->diff.counts;
  if (!picture->before) return;
  if (side == Side::before && counts.removed > 0)
    draw_badge(frame, "−" + std::to_string(counts.removed) + " removed", theme[Colour::removed]);
  if (side == Side::after && counts.added > 0)
    draw_badge(frame, "+" + std::to_string(counts.added) + " added", theme[Colour::added]);
  if (side == Side::after && counts.changed > 0)
    draw_badge(frame, std::to_string(counts.changed) + " changed", theme[Colour::changed]);
  if (side == Side::after && counts.added + counts.removed + counts.changed == 0)
    draw_badge(frame, "no change", theme[Colour::text_dim]);
}

// At the right end of the header, where there is room.
void draw_buttons(Frame& frame) {
  const float gap = frame.px(2), padding = 6 * ImGui::GetStyle().FramePadding.x;
  const float width = ImGui::CalcTextSize("FitWholeLink").x + padding + 2 * gap,
              left = ImGui::GetWindowWidth() - width - frame.px(8);
  ImGui::SameLine();
  if (ImGui::GetCursorPosX() > left) return;
  ImGui::SetCursorPosX(left);
  ui::command_button(frame, "Fit", "fit");
  ImGui::SameLine(0, gap);
  ui::command_button(frame, "Whole", "fit-all");
  ImGui::SameLine(0, gap);
  ui::command_button(frame, "Link", "link", frame.state.panes_linked);
}

void draw_header(Frame& frame, const Pane& pane, const PassPictureRef& picture) {
  const Theme& theme = frame.theme();
  const auto& passes = frame.state.document->passes;
  const bool is_before = pane.side == Side::before;
  ImGui::AlignTextToFramePadding();
  ui::text(is_before ? "Before" : "After", theme[Colour::text_faint]);
  if (picture && pane.picture != nullptr) {
    ImGui::SameLine(0, frame.px(8));
    {
      const ui::Font font(frame.fonts.bold);
      ui::text(passes[frame.state.pass].name, theme[Colour::text]);
    }
    ImGui::SameLine(0, frame.px(10));
    ui::text(count_text(pane.picture->op_count, "op", "ops"), theme[Colour::text_dim]);
    draw_badges(frame, pane.side, picture);
  }
  if (is_before) return;
  draw_buttons(frame);
}

// Pan and zoom. Whether the camera moved.
bool move_camera(Frame& frame, Pane& pane, const Canvas& canvas, bool hovered, bool dragged) {
  const ImGuiIO& io = ImGui::GetIO();
  Camera& camera = pane.state.camera;
  bool moved = false;
  if (dragged && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
    camera.centre.x -= io.MouseDelta.x / canvas.pixels();
    camera.centre.y -= io.MouseDelta.y / canvas.pixels();
    moved = true;
  }
  if (hovered && io.MouseWheel != 0 && (io.KeyShift || io.KeyAlt)) {
    const float step = 60 * io.MouseWheel / camera.zoom;
    (io.KeyShift ? camera.centre.x : camera.centre.y) -= step;
    moved = true;
  } else if (hovered && io.MouseWheel != 0) {
    const viz::Point under = canvas.to_layout(io.MousePos);
    camera.zoom = std::clamp(camera.zoom * std::pow(1.15F, io.MouseWheel), 0.02F, 8.0F);
    const viz::Point now = Canvas{canvas.view, camera, frame.state.scale}.to_layout(io.MousePos);
    camera.centre = {camera.centre.x + under.x - now.x, camera.centre.y + under.y - now.y};
    moved = true;
  }
  return moved;
}

void draw_hover_tooltip(Frame& frame, const Pane& pane, std::size_t node_index) {
  const viz::Node& node = pane.picture->graph.nodes[node_index];
  std::string text = node.title + "   #" + std::to_string(node.id) + "\n" + node.subtitle;
  if (!node.label.empty()) text += "\n" + node.label;
  const viz::Change change =
      pane.changes != nullptr && node_index < pane.changes->size() ? (*pane.changes)[node_index] : viz::Change::same;
  if (change == viz::Change::added) text += "\nadded by this pass";
  if (change == viz::Change::removed) text += "\nremoved by this pass";
  if (change == viz::Change::changed) text += "\nchanged by this pass";
  ui::tooltip(frame, text);
}

void interact(Frame& frame, Pane& pane, const Canvas& canvas) {
  const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
  const bool dragged =
      held && (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 3) || ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 0));
  if (move_camera(frame, pane, canvas, hovered, dragged)) frame.state.align_to = pane.side;
  pane.state.hover.reset();
  if (!hovered) return;
  const ImGuiIO& io = ImGui::GetIO();
  const auto& nodes = pane.picture->graph.nodes;
  const std::size_t under = box_at(*pane.picture, canvas.to_layout(io.MousePos));
  if (under < nodes.size()) {
    pane.state.hover = nodes[under].id;
    if (!held) draw_hover_tooltip(frame, pane, under);
  }
  const float travelled = io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Left];
  if (!ImGui::IsMouseReleased(ImGuiMouseButton_Left) || travelled > 9) return;
  if (under == nodes.size()) {
    frame.commands.push("clear-selection");
  } else {
    frame.commands.push("select-op",
                        (pane.side == Side::before ? "before:" : "after:") + std::to_string(nodes[under].id));
  }
}

// A strip at the right edge: the whole graph, what changed, and what is in view. A click goes there.
void draw_minimap(Frame& frame, Pane& pane, const Canvas& canvas) {
  const Theme& theme = frame.theme();
  const viz::Rect& bounds = pane.picture->layout->bounds;
  const float inset = frame.px(6), width = frame.px(minimap_width) - inset;
  const ImVec2 min{canvas.view.max.x, canvas.view.min.y + inset},
      max{canvas.view.max.x + width, canvas.view.max.y - inset};
  if (max.y - min.y < frame.px(60)) return;
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton("minimap", {max.x - min.x, max.y - min.y});
  const float x_share = (width - frame.px(8)) / std::max(1.0F, bounds.width()),
              y_share = (max.y - min.y - frame.px(8)) / std::max(1.0F, bounds.height());
  const float x0 = min.x + frame.px(4), y0 = min.y + frame.px(4);
  if (ImGui::IsItemActive()) {
    pane.state.camera.centre.y = bounds.min.y + (ImGui::GetIO().MousePos.y - y0) / y_share;
    frame.state.align_to = pane.side;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, max, faded(theme[Colour::panel], 0.92F), frame.px(5));
  list.AddRect(min, max, theme[Colour::border], frame.px(5));
  const auto& boxes = pane.picture->layout->boxes;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const viz::Change change =
        pane.changes != nullptr && i < pane.changes->size() ? (*pane.changes)[i] : viz::Change::same;
    if (change == viz::Change::same && boxes.size() > 4000 && i % 8 != 0) continue;
    const ImVec2 a{x0 + (boxes[i].min.x - bounds.min.x) * x_share, y0 + (boxes[i].min.y - bounds.min.y) * y_share};
    const ImVec2 b{x0 + (boxes[i].max.x - bounds.min.x) * x_share,
                   std::max(a.y + 1, y0 + (boxes[i].max.y - bounds.min.y) * y_share)};
    list.AddRectFilled(
        a, b, change == viz::Change::same ? faded(theme[Colour::text_faint], 0.55F) : change_colour(theme, change));
  }
  for (const viz::OpId op : marked_ops(frame.state, pane.side)) {
    const auto found = pane.picture->nodes_of.find(op);
    if (found == pane.picture->nodes_of.end()) continue;
    const float y = y0 + (boxes[found->second.front()].centre().y - bounds.min.y) * y_share;
    list.AddRectFilled({min.x, y - frame.px(1)}, {max.x, y + frame.px(1)}, theme[Colour::accent]);
  }
  const viz::Rect seen = canvas.visible();
  const float top = std::clamp(y0 + (seen.min.y - bounds.min.y) * y_share, min.y, max.y),
              bottom = std::clamp(y0 + (seen.max.y - bounds.min.y) * y_share, min.y, max.y);
  list.AddRectFilled({min.x, top}, {max.x, bottom}, faded(theme[Colour::accent], 0.16F), frame.px(3));
  list.AddRect({min.x, top}, {max.x, bottom}, theme[Colour::accent], frame.px(3));
}

void place_camera(Frame& frame, Pane& pane) {
  PaneState& state = pane.state;
  if (state.wants_fit) {
    const auto& boxes = pane.picture->layout->boxes;
    const viz::Point start = boxes.empty() ? viz::Point{} : boxes.front().centre();
    state.camera = fitted(pane.picture->layout->bounds, start, state.view, frame.state.scale, state.wants_whole);
    if (pane.side == Side::after && !state.wants_whole) frame.state.align_to = Side::after;
    state.wants_fit = state.wants_whole = false;
  }
  if (state.wants_focus) {
    const auto found = pane.picture->nodes_of.find(*state.wants_focus);
    if (found != pane.picture->nodes_of.end()) {
      state.camera.centre = pane.picture->layout->boxes[found->second.front()].centre();
      state.camera.zoom = std::max(state.camera.zoom, 0.7F);
    }
    state.wants_focus.reset();
  }
}

void draw_nothing(Frame& frame, const Pane& pane, const PassPictureRef& picture) {
  const char* text = "Drawing …";
  if (pane.picture != nullptr) text = "This level has no graph; its text stands below";
  if (picture && !picture->error.empty()) text = picture->error.c_str();
  const ImVec2 size = ImGui::CalcTextSize(text);
  const viz::Point middle = pane.state.view.centre();
  ImGui::GetWindowDrawList()->AddText({middle.x - size.x / 2, middle.y - size.y / 2}, frame.theme()[Colour::text_faint],
                                      text);
}

void draw_canvas(Frame& frame, Pane& pane, const PassPictureRef& picture) {
  const ImVec2 min = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  if (size.x < 2 || size.y < 2) return;
  const bool has_minimap = frame.state.show_minimap && pane.picture != nullptr;
  const ImVec2 room{std::max(2.0F, size.x - (has_minimap ? frame.px(minimap_width) : 0)), size.y};
  pane.state.view = {{min.x, min.y}, {min.x + room.x, min.y + room.y}};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, {min.x + size.x, min.y + size.y}, frame.theme()[Colour::canvas]);
  if (pane.picture == nullptr || pane.picture->graph.nodes.empty()) return draw_nothing(frame, pane, picture);
  place_camera(frame, pane);
  ImGui::InvisibleButton("canvas", room, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  interact(frame, pane, {pane.state.view, pane.state.camera, frame.state.scale});

  const Canvas canvas{pane.state.view, pane.state.camera, frame.state.scale};
  list.PushClipRect(min, {min.x + room.x, min.y + room.y}, true);
  const std::vector<viz::Change> none;
  const std::vector<viz::OpId> marked = marked_ops(frame.state, pane.side);
  paint_graph(list, frame, canvas,
              {*pane.picture, pane.changes != nullptr ? *pane.changes : none, marked, pane.state.hover});
  list.PopClipRect();
  if (has_minimap) draw_minimap(frame, pane, canvas);
}

}  // namespace

void draw_graph_pane(Frame& frame, Side side, ImVec2 size) {
  const ui::Panel panel(side == Side::before ? "before" : "after", size, {0, 0},
                        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const PassPictureRef picture = current_picture(frame.state);
  Pane pane{side, frame.state.panes[static_cast<std::size_t>(side)], side_of(picture, side), nullptr};
  // The capture adds everything; colouring all of it would say nothing.
  if (picture && picture->before) pane.changes = side == Side::before ? &picture->diff.before : &picture->diff.after;
  ImGui::SetCursorPos({frame.px(12), frame.px(5)});
  ImGui::BeginGroup();
  draw_header(frame, pane, picture);
  ImGui::EndGroup();
  ImGui::SetCursorPos({0, frame.px(38)});
  draw_canvas(frame, pane, picture);
}

}  // namespace stele::app
