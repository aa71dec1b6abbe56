// The selected op: what it is, what it reads and feeds, where it came from and what became of it.
#include <algorithm>

#include "app/gui/families.h"
#include "app/gui/panels/panels.h"
#include "viz/session_graph.h"

namespace stele::app {
namespace {

const char* side_prefix(Side side) { return side == Side::before ? "before:" : "after:"; }

// A clickable line that names an op.
void draw_op_link(Frame& frame, const viz::Node& node, Side side, const std::string& note, int id) {
  const ui::Id scope(id);
  const Theme& theme = frame.theme();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = frame.px(24), width = ImGui::GetContentRegionAvail().x;
  if (ImGui::Selectable("##op", false, 0, {0, height})) {
    frame.commands.push("select-op", side_prefix(side) + std::to_string(node.id));
    frame.commands.push("focus");
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float size = frame.fonts.ui->FontSize, small = frame.fonts.small->FontSize, y = at.y + (height - size) / 2;
  list.AddRectFilled({at.x, at.y + frame.px(6)}, {at.x + frame.px(3), at.y + height - frame.px(6)},
                     theme[family_colour(node)], frame.px(1.5F));
  const bool is_named = node.role == viz::Role::constant && !node.label.empty();
  const std::string& name = is_named ? node.label : node.title;
  const float note_width = frame.fonts.small->CalcTextSizeA(small, FLT_MAX, 0, note.c_str()).x;
  ui::draw_text(list, frame.fonts.ui, size, {at.x + frame.px(10), y}, theme[Colour::text], name,
                width - note_width - frame.px(22));
  list.AddText(frame.fonts.small, small, {at.x + width - note_width - frame.px(4), at.y + (height - small) / 2},
               theme[Colour::text_faint], note.c_str());
}

// Name and value side by side; a long name stands above its value.
void draw_pair(Frame& frame, const std::string& name, const std::string& value) {
  const float column = frame.px(86);
  ui::text(name, frame.theme()[Colour::text_dim]);
  if (ImGui::CalcTextSize(name.c_str()).x < column - frame.px(8)) {
    ImGui::SameLine(column + ImGui::GetStyle().IndentSpacing * 0.6F);
  } else {
    ImGui::SetCursorPosX(column + ImGui::GetStyle().IndentSpacing * 0.6F);
  }
  ImGui::PushTextWrapPos(0);
  ui::text(value.empty() ? "yes" : value, frame.theme()[Colour::text]);
  ImGui::PopTextWrapPos();
}

void draw_facts(Frame& frame, const viz::Node& node) {
  if (!node.subtitle.empty()) draw_pair(frame, "type", node.subtitle);
  if (!node.label.empty()) draw_pair(frame, "label", node.label);
  draw_pair(frame, "id", "#" + std::to_string(node.id));
  for (const viz::Attribute& attribute : node.attributes) {
    draw_pair(frame, attribute.name, viz::plain_attribute(attribute.text));
  }
  // A kernel's line is its label, which stands above.
  const bool is_kernel = node.role == viz::Role::loop || node.role == viz::Role::machine;
  for (const std::string& line : node.lines) {
    if (!is_kernel) draw_pair(frame, node.role == viz::Role::fusion ? "inside" : "constant", line);
  }
}

bool is_on(const SnapshotPicture& picture, std::size_t node, viz::OpId op) {
  return picture.graph.nodes[node].id == op;
}

void draw_neighbours(Frame& frame, const SnapshotPicture& picture, Side side, viz::OpId op) {
  int id = 0;
  const auto list = [&](const char* title, bool incoming) {
    bool any = false;
    for (const viz::Edge& edge : picture.graph.edges) {
      if (!is_on(picture, incoming ? edge.to : edge.from, op)) continue;
      if (!any) ui::heading(frame, title);
      any = true;
      draw_op_link(frame, picture.graph.nodes[incoming ? edge.from : edge.to], side, edge.type, ++id);
    }
    if (any) ImGui::Dummy({0, frame.px(4)});
  };
  list("READS", true);
  list("FEEDS", false);
}

// Names of the ops of a step: "dot_general", "transpose, slice, slice and 5 more".
std::string step_text(const AppState& state, const viz::LifeStep& step) {
  constexpr std::size_t most_names = 3;
  if (step.ops.empty()) return "gone";
  const PassPictureRef picture = state.pictures[step.snapshot];
  const SnapshotPicture* snapshot = side_of(picture, Side::after);
  if (snapshot == nullptr) return "";
  std::string text;
  std::size_t names = 0, others = 0;
  for (const viz::OpId op : step.ops) {
    const auto found = snapshot->nodes_of.find(op);
    const bool is_shown = found != snapshot->nodes_of.end() && names < most_names;
    if (is_shown) text += (names > 0 ? ", " : "") + snapshot->graph.nodes[found->second.front()].title;
    ++(is_shown ? names : others);
  }
  return others > 0 ? text + " and " + std::to_string(others) + " more" : text;
}

void draw_life_step(Frame& frame, const viz::LifeStep& step, bool is_last) {
  const Theme& theme = frame.theme();
  const ui::Id scope(static_cast<int>(step.snapshot));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = frame.px(40), x = at.x + frame.px(7), width = ImGui::GetContentRegionAvail().x;
  if (ImGui::Selectable("##life", false, 0, {0, height}))
    frame.commands.push("select-pass", std::to_string(step.snapshot));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool here = step.snapshot == frame.state.pass;
  if (!is_last)
    list.AddLine({x, at.y + frame.px(12)}, {x, at.y + height + frame.px(12)}, theme[Colour::border], frame.px(2));
  list.AddCircleFilled({x, at.y + frame.px(12)}, frame.px(4.5F),
                       step.ops.empty() ? theme[Colour::removed]
                       : here           ? theme[Colour::accent]
                                        : theme[Colour::text_faint]);
  const float left = at.x + frame.px(20), room = width - frame.px(24);
  ui::draw_text(list, frame.fonts.ui, frame.fonts.ui->FontSize, {left, at.y + frame.px(4)}, theme[Colour::text],
                step_text(frame.state, step), room);
  const std::string pass = std::to_string(step.snapshot) + "  " + frame.state.document->passes[step.snapshot].name;
  ui::draw_text(list, frame.fonts.small, frame.fonts.small->FontSize, {left, at.y + frame.px(21)},
                theme[Colour::text_faint], pass, room);
}

void draw_lifeline(Frame& frame) {
  const auto& steps = frame.state.lifeline;
  if (steps.empty()) return;
  ui::heading(frame, "THROUGH THE PASSES");
  for (std::size_t i = 0; i < steps.size(); ++i) draw_life_step(frame, steps[i], i + 1 == steps.size());
}

void draw_empty(Frame& frame) {
  const Theme& theme = frame.theme();
  ui::heading(frame, "NOTHING SELECTED");
  ImGui::PushTextWrapPos(0);
  ui::text(
      "Click an op in either graph. It lights up on both sides, and this panel shows what it reads, what it feeds, and "
      "what it was and becomes in the other passes.",
      theme[Colour::text_dim]);
  ImGui::PopTextWrapPos();
  ImGui::Dummy({0, frame.px(10)});
  ui::heading(frame, "COLOURS");
  for (const Colour family : {Colour::contraction, Colour::arithmetic, Colour::reduction, Colour::movement,
                              Colour::fusion, Colour::control, Colour::loop, Colour::machine}) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + frame.px(2)}, {at.x + frame.px(4), at.y + frame.px(17)},
                                              theme[family], frame.px(2));
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + frame.px(13));
    ui::text(family_name(family), theme[Colour::text_dim]);
  }
  ImGui::Dummy({0, frame.px(4)});
  for (const auto& [colour, text] : {std::pair{Colour::added, "added by the pass"},
                                     {Colour::removed, "removed by the pass"},
                                     {Colour::changed, "changed in place"}}) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x - frame.px(1), at.y + frame.px(3)},
                                              {at.x + frame.px(7), at.y + frame.px(16)}, faded(theme[colour], 0.25F),
                                              frame.px(2));
    ImGui::GetWindowDrawList()->AddRect({at.x - frame.px(1), at.y + frame.px(3)},
                                        {at.x + frame.px(7), at.y + frame.px(16)}, theme[colour], frame.px(2));
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + frame.px(13));
    ui::text(text, theme[Colour::text_dim]);
  }
}

}  // namespace

void draw_op_details(Frame& frame, ImVec2 size) {
  const ui::Panel panel("op-details", size, {frame.px(12), frame.px(12)});
  const auto& selection = frame.state.selection;
  const SnapshotPicture* picture = selection ? side_of(current_picture(frame.state), selection->side) : nullptr;
  const auto found = picture != nullptr ? picture->nodes_of.find(selection->op) : decltype(picture->nodes_of.end()){};
  if (picture == nullptr || found == picture->nodes_of.end()) return draw_empty(frame);
  const viz::Node& node = picture->graph.nodes[found->second.front()];
  {
    const ui::Font font(frame.fonts.large);
    ImGui::PushTextWrapPos(0);
    ui::text(node.title, frame.theme()[Colour::text]);
    ImGui::PopTextWrapPos();
  }
  ui::text(selection->side == Side::before ? "before the pass" : "after the pass", frame.theme()[Colour::text_faint]);
  ImGui::Dummy({0, frame.px(4)});
  draw_facts(frame, node);
  ImGui::Dummy({0, frame.px(4)});
  draw_neighbours(frame, *picture, selection->side, selection->op);
  draw_lifeline(frame);
}

}  // namespace stele::app
