// Where frames appear: a window, or a picture in memory.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "app/gui/app.h"
#include "app/gui/script.h"

namespace stele::app {

struct WindowOptions {
  int width = 1600, height = 1000;
  float scale = 0;                       ///< 0: as the monitor says.
  std::filesystem::path pictures = ".";  ///< Where screenshots go.
};

/// There is no way to draw on this machine.
struct NoWindow : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Opens a window and runs until it is closed; replays the script meanwhile. Throws NoWindow.
void run_in_window(App& app, const WindowOptions& options, ScriptRunner script);

/// Replays the script without a window, into pictures; returns at its end. Throws NoWindow, or what the script throws.
void run_in_memory(App& app, const WindowOptions& options, ScriptRunner script);

/// Sets up the current ImGui context for the app: fonts, theme, no settings file. Once, before the first frame.
void prepare_context(App& app, float scale);

/// Tells ImGui which of GLFW's key codes are the arrows and the like, where no GLFW backend does.
void map_keys();

/// Fills the framebuffer with the colour behind all panels, so that no window has to paint it again.
void clear_picture(const Theme& theme);

/// Reads the framebuffer that is bound and writes a PNG. Throws std::runtime_error naming the file.
void save_picture(const std::filesystem::path& file, int width, int height);

}  // namespace stele::app
