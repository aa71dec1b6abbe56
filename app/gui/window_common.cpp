#include <GLFW/glfw3.h>

#include <vector>

#include "app/gui/assets.h"
#include "app/gui/theme.h"
#include "app/gui/window.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace stele::app {

void prepare_context(App& app, float scale) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  app.state.scale = scale;
  apply(*app.state.theme, scale);
  const std::filesystem::path assets = assets_dir();
  app.fonts = load_fonts(assets, scale);
  if (assets.empty()) return app.notice("assets not found: no fonts, no Rosetta", true);
  app.state.rosetta = viz::parse_rosetta(read_text(assets / "rosetta.json"));
}

void map_keys() {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Tab] = GLFW_KEY_TAB;
  io.KeyMap[ImGuiKey_LeftArrow] = GLFW_KEY_LEFT;
  io.KeyMap[ImGuiKey_RightArrow] = GLFW_KEY_RIGHT;
  io.KeyMap[ImGuiKey_UpArrow] = GLFW_KEY_UP;
  io.KeyMap[ImGuiKey_DownArrow] = GLFW_KEY_DOWN;
  io.KeyMap[ImGuiKey_Home] = GLFW_KEY_HOME;
  io.KeyMap[ImGuiKey_End] = GLFW_KEY_END;
  io.KeyMap[ImGuiKey_Backspace] = GLFW_KEY_BACKSPACE;
  io.KeyMap[ImGuiKey_Enter] = GLFW_KEY_ENTER;
  io.KeyMap[ImGuiKey_Escape] = GLFW_KEY_ESCAPE;
}

void clear_picture(const Theme& theme) {
  const ImVec4 colour = theme.vec(Colour::window);
  glClearColor(colour.x, colour.y, colour.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

void save_picture(const std::filesystem::path& file, int width, int height) {
  const auto row = static_cast<std::size_t>(width) * 3;
  std::vector<unsigned char> pixels(row * static_cast<std::size_t>(height)), flipped(pixels.size());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    const auto from = pixels.begin() + static_cast<std::ptrdiff_t>((static_cast<std::size_t>(height) - 1 - y) * row);
    std::copy_n(from, row, flipped.begin() + static_cast<std::ptrdiff_t>(y * row));
  }
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  if (stbi_write_png(file.c_str(), width, height, 3, flipped.data(), static_cast<int>(row)) == 0)
    throw std::runtime_error(file.string() + ": cannot be written");
}

}  // namespace stele::app
