// One frame of the window: what stands where.
#pragma once

namespace stele::app {

class App;

/// Draws everything, between ImGui's NewFrame and Render, and turns key presses into commands.
void draw_frame(App& app);

}  // namespace stele::app
