// Begin/End and Push/Pop of ImGui as scopes, and the few widgets that several panels share.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "app/gui/app_state.h"
#include "app/gui/commands.h"
#include "app/gui/fonts.h"

namespace stele::app {

/// What a draw function gets: the state to read (and its own part of it to write), fonts, and where to put wishes.
struct Frame {
  AppState& state;
  const Fonts& fonts;
  Commands& commands;

  const Theme& theme() const { return *state.theme; }
  float px(float units) const { return units * state.scale; }
};

namespace ui {

class Child {
 public:
  Child(const char* id, ImVec2 size, ImGuiWindowFlags flags = 0)
      : visible_(ImGui::BeginChild(id, size, false, flags)) {}
  ~Child() { ImGui::EndChild(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  explicit operator bool() const { return visible_; }

 private:
  bool visible_;
};

/// A child with padding inside, and ordinary spacing whatever the window around it uses.
class Panel {
 public:
  Panel(const char* id, ImVec2 size, ImVec2 padding, ImGuiWindowFlags flags = 0);
  ~Panel();
  Panel(const Panel&) = delete;
  Panel& operator=(const Panel&) = delete;
};

class Font {
 public:
  explicit Font(ImFont* font) { ImGui::PushFont(font); }
  ~Font() { ImGui::PopFont(); }
  Font(const Font&) = delete;
  Font& operator=(const Font&) = delete;
};

class Ink {
 public:
  Ink(ImGuiCol slot, ImU32 colour) { ImGui::PushStyleColor(slot, colour); }
  ~Ink() { ImGui::PopStyleColor(); }
  Ink(const Ink&) = delete;
  Ink& operator=(const Ink&) = delete;
};

class Id {
 public:
  explicit Id(int id) { ImGui::PushID(id); }
  explicit Id(const char* id) { ImGui::PushID(id); }
  ~Id() { ImGui::PopID(); }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
};

void text(std::string_view text, ImU32 colour);

/// A section's heading: small capitals' stand-in, dim.
void heading(const Frame& frame, const char* text);

/// Text that ends in "…" where it would pass `width`.
std::string shortened(std::string_view text, float width, ImFont* font, float size);

/// Draws text into the list, shortened to `width`. Returns the width it took.
float draw_text(ImDrawList& list, ImFont* font, float size, ImVec2 at, ImU32 colour, std::string_view text,
                float width);

/// A small button without a frame that runs a command; its tooltip is the command's title and key.
bool command_button(Frame& frame, const char* label, const char* command, bool active = false);

/// A tooltip for the last item, once the mouse rests on it.
void tooltip(const Frame& frame, const std::string& text);

/// A bar between two parts of the window that can be dragged; `size` follows, kept within the limits. `sign` is -1
/// where the part whose size it is lies after the bar.
void splitter(Frame& frame, const char* id, bool vertical, float length, float& size, float least, float most,
              float sign);

}  // namespace ui
}  // namespace stele::app
