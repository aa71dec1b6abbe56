// The line at the bottom: the last notice, what is shown, how long it took.
#include "app/gui/panels/panels.h"

namespace stele::app {
namespace {

std::string picture_text(const AppState& state) {
  const PassPictureRef picture = current_picture(state);
  const SnapshotPicture* after = side_of(picture, Side::after);
  if (after == nullptr) return "";
  char text[160];
  const char* engine = after->layout->engine == viz::Engine::dot ? "Graphviz" : "layered";
  std::snprintf(text, sizeof text, "%zu boxes   %zu edges   %s layout %.0f ms   step %.0f ms   zoom %.0f %%",
                after->graph.nodes.size(), after->graph.edges.size(), engine, after->layout->elapsed_ms, state.step_ms,
                static_cast<double>(state.panes[1].camera.zoom) * 100);
  return text;
}

}  // namespace

void draw_status(Frame& frame, ImVec2 size) {
  const Theme& theme = frame.theme();
  const ui::Panel panel("status", size, {frame.px(14), frame.px(6)},
                        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const ui::Font font(frame.fonts.small);
  const std::string right = picture_text(frame.state);
  const float width = ImGui::CalcTextSize(right.c_str()).x,
              room = ImGui::GetContentRegionAvail().x - width - frame.px(30);
  const bool is_error = frame.state.message_is_error;
  const std::string hint = "↑ ↓ step   Shift: changed passes only   N next change   F fit   Ctrl+P commands";
  const std::string& left = frame.state.message.empty() ? hint : frame.state.message;
  const ImU32 ink = frame.state.message.empty() ? theme[Colour::text_faint]
                    : is_error                  ? theme[Colour::bad]
                                                : theme[Colour::text_dim];
  ui::text(ui::shortened(left, room, frame.fonts.small, frame.fonts.small->FontSize), ink);
  ui::tooltip(frame, left);
  if (right.empty()) return;
  ImGui::SameLine(ImGui::GetWindowWidth() - width - frame.px(14));
  ui::text(right, theme[Colour::text_faint]);
}

}  // namespace stele::app
