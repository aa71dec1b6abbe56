// The stack Rosetta: five stacks on the same five stages. A picked row lights up, and what it bets on stands below.
#include <algorithm>
#include <array>

#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

constexpr std::array<Colour, viz::stage_count> stage_colours = {Colour::argument, Colour::arithmetic, Colour::fusion,
                                                                Colour::reduction, Colour::contraction};

struct Grid {
  ImVec2 origin;
  float name_width, cell_width, row_height, gap;
  ImVec2 cell(std::size_t row, std::size_t column) const {
    return {origin.x + name_width + gap + static_cast<float>(column) * (cell_width + gap),
            origin.y + static_cast<float>(row) * (row_height + gap)};
  }
};

void draw_wrapped(ImDrawList& list, ImFont* font, ImVec2 at, ImU32 ink, const std::string& text, float width,
                  float bottom) {
  const ImVec4 clip{at.x, at.y, at.x + width + 2, bottom};
  list.AddText(font, font->FontSize, at, ink, text.c_str(), text.c_str() + text.size(), width, &clip);
}

void draw_stage_headings(Frame& frame, const Grid& grid, float y) {
  const Theme& theme = frame.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::size_t s = 0; s < viz::stage_count; ++s) {
    const viz::RosettaStage& stage = frame.state.rosetta.stages[s];
    const float x = grid.cell(0, s).x;
    list.AddRectFilled({x, y}, {x + grid.cell_width, y + frame.px(3)}, theme[stage_colours[s]], frame.px(1.5F));
    const std::string title = std::to_string(s + 1) + "  " + stage.title;
    list.AddText(frame.fonts.bold, frame.fonts.bold->FontSize, {x + frame.px(2), y + frame.px(10)}, theme[Colour::text],
                 title.c_str());
    draw_wrapped(list, frame.fonts.small, {x + frame.px(2), y + frame.px(31)}, theme[Colour::text_faint],
                 stage.question, grid.cell_width - frame.px(8), y + frame.px(66));
  }
}

void draw_cell(Frame& frame, const viz::RosettaCell& cell, Colour stage, ImVec2 min, ImVec2 size, bool lit) {
  const Theme& theme = frame.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 max{min.x + size.x, min.y + size.y};
  const float pad = frame.px(11);
  list.AddRectFilled(min, max, lit ? mixed(theme[Colour::panel_raised], theme[stage], 0.22F) : theme[Colour::panel],
                     frame.px(7));
  if (lit) list.AddRect(min, max, theme[stage], frame.px(7), 0, frame.px(1.5F));
  ui::draw_text(list, frame.fonts.bold, frame.fonts.bold->FontSize, {min.x + pad, min.y + frame.px(10)},
                lit ? theme[Colour::text] : theme[Colour::text_dim], cell.name, size.x - 2 * pad);
  draw_wrapped(list, frame.fonts.small, {min.x + pad, min.y + frame.px(31)},
               lit ? theme[Colour::text] : mixed(theme[Colour::text_faint], theme[Colour::text_dim], 0.6F), cell.text,
               size.x - 2 * pad, max.y - frame.px(3));
}

void draw_stack_name(Frame& frame, const viz::RosettaStack& stack, ImVec2 min, ImVec2 size, bool lit) {
  const Theme& theme = frame.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (lit) list.AddRectFilled(min, {min.x + frame.px(4), min.y + size.y}, theme[Colour::accent], frame.px(2));
  const float x = min.x + frame.px(14);
  list.AddText(frame.fonts.large, frame.fonts.large->FontSize * 0.87F, {x, min.y + frame.px(9)},
               lit ? theme[Colour::text] : theme[Colour::text_dim], stack.title.c_str());
  float y = min.y + frame.px(36);
  for (const std::string& fact : {stack.when, stack.purpose, stack.openness}) {
    ui::draw_text(list, frame.fonts.small, frame.fonts.small->FontSize, {x, y},
                  lit ? theme[Colour::text] : mixed(theme[Colour::text_faint], theme[Colour::text_dim], 0.6F), fact,
                  size.x - frame.px(18));
    y += frame.px(17);
  }
}

void draw_rows(Frame& frame, const Grid& grid) {
  const auto& stacks = frame.state.rosetta.stacks;
  for (std::size_t r = 0; r < stacks.size(); ++r) {
    const ui::Id id(static_cast<int>(r));
    const ImVec2 min{grid.origin.x, grid.cell(r, 0).y},
        size{grid.name_width + (grid.cell_width + grid.gap) * viz::stage_count, grid.row_height};
    ImGui::SetCursorScreenPos(min);
    if (ImGui::InvisibleButton("row", size)) frame.commands.push("rosetta-select", stacks[r].id);
    const bool lit = r == frame.state.rosetta_row;
    if (!lit && ImGui::IsItemHovered()) {
      ImGui::GetWindowDrawList()->AddRectFilled({min.x, min.y}, {min.x + size.x, min.y + size.y},
                                                faded(frame.theme()[Colour::text], 0.05F), frame.px(7));
    }
    draw_stack_name(frame, stacks[r], min, {grid.name_width, grid.row_height}, lit);
    for (std::size_t s = 0; s < viz::stage_count; ++s)
      draw_cell(frame, stacks[r].cells[s], stage_colours[s], grid.cell(r, s), {grid.cell_width, grid.row_height}, lit);
  }
}

void draw_card(Frame& frame, const char* title, const std::string& text, Colour colour, ImVec2 min, ImVec2 size) {
  const Theme& theme = frame.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 max{min.x + size.x, min.y + size.y};
  list.AddRectFilled(min, max, theme[Colour::panel], frame.px(7));
  list.AddRectFilled(min, {min.x + frame.px(3), max.y}, theme[colour], frame.px(2));
  list.AddText(frame.fonts.small, frame.fonts.small->FontSize, {min.x + frame.px(14), min.y + frame.px(10)},
               theme[colour], title);
  draw_wrapped(list, frame.fonts.ui, {min.x + frame.px(14), min.y + frame.px(29)}, theme[Colour::text], text,
               size.x - frame.px(26), max.y - frame.px(4));
}

void draw_cards(Frame& frame, const viz::RosettaStack& stack, ImVec2 origin, ImVec2 room) {
  struct Card {
    const char* title;
    const std::string& text;
    Colour colour;
  };
  const std::array<Card, 8> cards = {{{"Its bet", stack.bet, Colour::accent},
                                      {"Its reason to exist", stack.reason, Colour::good},
                                      {"Its niche", stack.niche, Colour::fusion},
                                      {"What it costs", stack.cost, Colour::bad},
                                      {"When shapes are committed", stack.when, Colour::text_faint},
                                      {"IR spine", stack.spine, Colour::text_faint},
                                      {"Dynamic shapes", stack.shapes, Colour::text_faint},
                                      {"Open or vendor", stack.openness + "; " + stack.purpose, Colour::text_faint}}};
  const float gap = frame.px(8), width = (room.x - 3 * gap) / 4, height = std::min(frame.px(92), (room.y - gap) / 2);
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const ImVec2 min{origin.x + static_cast<float>(i % 4) * (width + gap),
                     origin.y + static_cast<float>(i / 4) * (height + gap)};
    draw_card(frame, cards[i].title, cards[i].text, cards[i].colour, min, {width, height});
  }
}

}  // namespace

void draw_rosetta(Frame& frame, ImVec2 size) {
  const ui::Ink back(ImGuiCol_ChildBg, frame.theme()[Colour::window]);
  const ui::Panel panel("rosetta", size, {frame.px(24), frame.px(16)});
  const auto& stacks = frame.state.rosetta.stacks;
  if (stacks.empty())
    return ui::text("The Rosetta's facts were not found (assets/rosetta.json).", frame.theme()[Colour::text_faint]);
  {
    const ui::Font font(frame.fonts.large);
    ui::text("Five stacks, the same five stages", frame.theme()[Colour::text]);
  }
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float headings = frame.px(74), cards = frame.px(192), gap = frame.px(6), name_width = frame.px(196);
  const float count = static_cast<float>(stacks.size());
  const float row_height =
      std::clamp((room.y - headings - cards - frame.px(18) - count * gap) / count, frame.px(92), frame.px(112));
  const Grid grid{{at.x, at.y + headings}, name_width, (room.x - name_width) / viz::stage_count - gap, row_height, gap};
  draw_stage_headings(frame, grid, at.y + frame.px(6));
  draw_rows(frame, grid);
  const float below = grid.cell(stacks.size(), 0).y + frame.px(10);
  draw_cards(frame, stacks[std::min(frame.state.rosetta_row, stacks.size() - 1)], {at.x, below}, {room.x, cards});
  ImGui::SetCursorScreenPos({at.x, below + cards});
  ImGui::Dummy({1, 1});
}

}  // namespace stele::app
