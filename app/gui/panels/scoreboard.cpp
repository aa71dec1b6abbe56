// The scoreboard: a tile a metric, and a small chart of them over the passes.
#include <algorithm>
#include <cmath>

#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

Colour metric_colour(viz::Metric metric) {
  switch (metric) {
    case viz::Metric::kernels:
      return Colour::accent;
    case viz::Metric::hbm_bytes:
      return Colour::reduction;
    case viz::Metric::peak_bytes:
      return Colour::contraction;
    case viz::Metric::flops:
      return Colour::fusion;
  }
  return Colour::text;
}

std::vector<viz::Score> scores_of(const Document& document) {
  std::vector<viz::Score> scores;
  for (const PassRow& row : document.passes) scores.push_back(row.score);
  return scores;
}

void draw_tile(Frame& frame, const viz::Tile& tile, ImVec2 min, ImVec2 max) {
  const Theme& theme = frame.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float pad = frame.px(14), small = frame.fonts.small->FontSize, large = frame.fonts.large->FontSize;
  list.AddRectFilled(min, max, theme[Colour::panel_raised], frame.px(7));
  list.AddCircleFilled({min.x + pad + frame.px(3), min.y + frame.px(17)}, frame.px(3.5F),
                       theme[metric_colour(tile.metric)]);
  list.AddText(frame.fonts.small, small, {min.x + pad + frame.px(13), min.y + frame.px(10)}, theme[Colour::text_dim],
               tile.title.c_str());
  list.AddText(frame.fonts.large, large, {min.x + pad, min.y + frame.px(27)}, theme[Colour::text], tile.value.c_str());
  const float y = max.y - frame.px(10) - small;
  const ImU32 step_ink = tile.step_ratio <= 1 ? theme[Colour::good] : theme[Colour::bad];
  float x = min.x + pad;
  if (!tile.step.empty()) {
    list.AddText(frame.fonts.small, small, {x, y}, step_ink, tile.step.c_str());
    x += frame.fonts.small->CalcTextSizeA(small, FLT_MAX, 0, tile.step.c_str()).x + frame.px(8);
  }
  const std::string overall = tile.overall.empty() ? (tile.step.empty() ? "no change" : "") : tile.overall + " overall";
  ui::draw_text(list, frame.fonts.small, small, {x, y}, theme[Colour::text_faint], overall, max.x - pad / 2 - x);
}

struct Plot {
  ImVec2 min, max;
  std::size_t count;
  float x(std::size_t i) const {
    return min.x + (max.x - min.x) * (static_cast<float>(i) + 0.5F) / static_cast<float>(count);
  }
  float left(std::size_t i) const {
    return min.x + (max.x - min.x) * static_cast<float>(i) / static_cast<float>(count);
  }
  float y(float height) const { return max.y - (max.y - min.y) * height; }
};

void draw_stage_bands(Frame& frame, const Plot& plot, float bottom) {
  const Theme& theme = frame.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto& passes = frame.state.document->passes;
  const float small = frame.fonts.small->FontSize;
  for (std::size_t start = 0; start < passes.size();) {
    std::size_t end = start;
    while (end < passes.size() && passes[end].stage == passes[start].stage) ++end;
    const float from = plot.left(start), to = plot.left(end);
    if (start > 0) list.AddLine({from, plot.min.y}, {from, bottom}, theme[Colour::border]);
    const float width = frame.fonts.small->CalcTextSizeA(small, FLT_MAX, 0, passes[start].stage.c_str()).x;
    if (width + frame.px(8) <= to - from) {
      list.AddText(frame.fonts.small, small, {(from + to - width) / 2, plot.max.y + frame.px(5)},
                   theme[Colour::text_faint], passes[start].stage.c_str());
    }
    start = end;
  }
}

void draw_series(Frame& frame, const Plot& plot, const viz::Series& series) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 colour = frame.theme()[metric_colour(series.metric)];
  for (std::size_t i = 0; i < series.heights.size(); ++i) {
    if (std::isnan(series.heights[i])) continue;
    const float y = plot.y(series.heights[i]);
    list.AddLine({plot.left(i), y}, {plot.left(i + 1), y}, colour, frame.px(2));
    if (i > 0 && !std::isnan(series.heights[i - 1]))
      list.AddLine({plot.left(i), plot.y(series.heights[i - 1])}, {plot.left(i), y}, colour, frame.px(2));
  }
}

void draw_chart_tooltip(Frame& frame, std::size_t pass, const std::vector<viz::Tile>& tiles) {
  const PassRow& row = frame.state.document->passes[pass];
  std::string text = std::to_string(pass) + "  " + row.name + (row.changed ? "" : "  (no change)");
  for (const viz::Tile& tile : tiles)
    text += "\n" + tile.title + ": " + tile.value + (tile.step.empty() ? "" : "  " + tile.step);
  ui::tooltip(frame, text);
}

void draw_chart(Frame& frame, const std::vector<viz::Score>& scores, ImVec2 min, ImVec2 max) {
  if (scores.empty() || max.x - min.x < frame.px(120)) return;
  const Theme& theme = frame.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, max, theme[Colour::panel_raised], frame.px(7));
  const Plot plot{
      {min.x + frame.px(14), min.y + frame.px(12)}, {max.x - frame.px(14), max.y - frame.px(26)}, scores.size()};
  ImGui::SetCursorScreenPos({plot.min.x, min.y});
  ImGui::InvisibleButton("chart", {plot.max.x - plot.min.x, max.y - min.y});
  const std::size_t shown = frame.state.wanted_pass;
  list.AddRectFilled({plot.left(shown), min.y + frame.px(4)},
                     {std::max(plot.left(shown + 1), plot.left(shown) + 2), max.y - frame.px(4)},
                     faded(theme[Colour::accent], 0.20F), frame.px(3));
  if (ImGui::IsItemHovered()) {
    const float share = (ImGui::GetIO().MousePos.x - plot.min.x) / (plot.max.x - plot.min.x);
    const std::size_t pass = std::min(
        scores.size() - 1, static_cast<std::size_t>(std::max(0.0F, share) * static_cast<float>(scores.size())));
    list.AddRectFilled({plot.left(pass), min.y + frame.px(4)}, {plot.left(pass + 1), max.y - frame.px(4)},
                       faded(theme[Colour::text], 0.08F), frame.px(3));
    draw_chart_tooltip(frame, pass, viz::scoreboard_tiles(scores, pass));
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) frame.commands.push("select-pass", std::to_string(pass));
  }
  draw_stage_bands(frame, plot, max.y - frame.px(4));
  list.AddLine({plot.min.x, plot.max.y}, {plot.max.x, plot.max.y}, theme[Colour::border]);
  for (const viz::Metric metric :
       {viz::Metric::flops, viz::Metric::peak_bytes, viz::Metric::hbm_bytes, viz::Metric::kernels}) {
    draw_series(frame, plot, viz::scoreboard_series(scores, metric));
  }
}

}  // namespace

void draw_scoreboard(Frame& frame, ImVec2 size) {
  const ui::Panel panel("scoreboard", size, {frame.px(10), frame.px(8)},
                        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const std::vector<viz::Score> scores = scores_of(*frame.state.document);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = frame.px(176), gap = frame.px(8);
  float x = origin.x;
  for (const viz::Tile& tile : viz::scoreboard_tiles(scores, frame.state.wanted_pass)) {
    draw_tile(frame, tile, {x, origin.y}, {x + width, origin.y + room.y});
    x += width + gap;
  }
  draw_chart(frame, scores, {x, origin.y}, {origin.x + room.x, origin.y + room.y});
}

}  // namespace stele::app
