// A card over the window while a job runs, with its progress and a way out.
#include "app/gui/panels/panels.h"

namespace stele::app {

void draw_progress(Frame& frame) {
  if (!frame.state.busy) return;
  const Theme& theme = frame.theme();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y * 0.42F}, 0, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({frame.px(480), 0});
  const ui::Ink back(ImGuiCol_WindowBg, theme[Colour::panel]);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {frame.px(20), frame.px(18)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  constexpr ImGuiWindowFlags flags =
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
  ImGui::Begin("progress", nullptr, flags);
  const float room = ImGui::GetContentRegionAvail().x;
  ui::text(ui::shortened(frame.state.progress_text, room, frame.fonts.ui, frame.fonts.ui->FontSize),
           theme[Colour::text]);
  ImGui::Dummy({0, frame.px(4)});
  const float button = frame.px(84);
  ImGui::ProgressBar(frame.state.progress, {room - button - frame.px(12), frame.px(28)});
  ImGui::SameLine(0, frame.px(12));
  if (ImGui::Button("Cancel", {button, frame.px(28)})) frame.commands.push("cancel");
  ImGui::End();
  ImGui::PopStyleVar(2);
}

}  // namespace stele::app
