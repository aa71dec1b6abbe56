#include "app/gui/canvas_box.h"

#include <algorithm>
#include <cmath>

#include "app/gui/families.h"

namespace stele::app {
namespace {

namespace style = viz::box_style;

constexpr float full_text_zoom = 0.62F, title_zoom = 0.24F;

bool is_chip(const viz::Node& node) {
  return node.role == viz::Role::constant || node.role == viz::Role::argument || node.role == viz::Role::result;
}

ImU32 fill_of(const Theme& theme, const viz::Node& node, const BoxLook& look, float zoom) {
  const ImU32 base = is_chip(node) ? theme[Colour::chip] : theme[Colour::box];
  const ImU32 family = theme[family_colour(node)];
  if (look.change != viz::Change::same)
    return mixed(base, change_colour(theme, look.change), zoom < title_zoom ? 0.75F : 0.24F);
  if (look.hovered) return mixed(base, theme[Colour::accent], 0.18F);
  return mixed(base, family, zoom < title_zoom ? 0.5F : 0.07F);
}

void paint_frame(ImDrawList& list, const Frame& frame, const Canvas& canvas, const viz::Node& node,
                 const viz::Rect& box, const BoxLook& look) {
  const Theme& theme = frame.theme();
  const ImVec2 min{box.min.x, box.min.y}, max{box.max.x, box.max.y};
  const float rounding = is_chip(node) ? box.height() / 2 : 5 * canvas.pixels();
  list.AddRectFilled(min, max, fill_of(theme, node, look, canvas.camera.zoom), rounding);
  if (!is_chip(node) && canvas.camera.zoom >= title_zoom) {
    const float stripe = std::max(2.0F, 4 * canvas.pixels());
    list.AddRectFilled(min, {min.x + stripe, max.y}, theme[family_colour(node)], std::min(rounding, stripe),
                       ImDrawFlags_RoundCornersLeft);
  }
  const bool plain = look.change == viz::Change::same;
  if (canvas.camera.zoom < title_zoom && plain && !look.marked) return;
  const ImU32 border =
      is_chip(node) && plain ? faded(theme[family_colour(node)], 0.7F) : change_colour(theme, look.change);
  list.AddRect(min, max, border, rounding, 0, (plain ? 1.0F : 1.6F) * canvas.scale);
  if (!look.marked) return;
  const float out = 3 * canvas.scale;
  const ImVec2 outer_min{min.x - out, min.y - out}, outer_max{max.x + out, max.y + out};
  list.AddRect(outer_min, outer_max, theme[Colour::accent], rounding + out, 0, 2.4F * canvas.scale);
  list.AddRect({outer_min.x - out, outer_min.y - out}, {outer_max.x + out, outer_max.y + out},
               faded(theme[Colour::accent], 0.25F), rounding + 2 * out, 0, 3 * canvas.scale);
}

const std::string& chip_name(const viz::Node& node) { return node.label.empty() ? node.title : node.label; }

void paint_chip_text(ImDrawList& list, const Frame& frame, const Canvas& canvas, const viz::Node& node,
                     const viz::Rect& box) {
  const Theme& theme = frame.theme();
  const float size = std::min(style::chip_title_size * canvas.pixels(), box.height() * 0.8F);
  ImFont* font = frame.fonts.at(size, false);
  const float padding = style::chip_padding_x * canvas.pixels();
  const float y = std::round(box.centre().y - size * 0.52F);
  const float room = box.width() - 2 * padding;
  const ImU32 ink = node.role == viz::Role::constant ? theme[Colour::text_dim] : theme[Colour::text];
  const float used =
      ui::draw_text(list, font, size, {std::round(box.min.x + padding), y}, ink, chip_name(node), room + padding);
  const float gap = 8 * canvas.pixels();
  if (room - used - gap > 12 * canvas.pixels()) {
    ui::draw_text(list, font, size, {std::round(box.min.x + padding + used + gap), y}, theme[Colour::text_faint],
                  node.subtitle, room - used - gap + 2);
  }
}

// A box in the middle distance: the title as large as the box allows.
void paint_title_alone(ImDrawList& list, const Frame& frame, const Canvas& canvas, const viz::Node& node,
                       const viz::Rect& box) {
  const float room = box.width() - 6 * canvas.scale, least = 7 * canvas.scale;
  const std::string& title = is_chip(node) ? chip_name(node) : node.title;
  float size = std::clamp(box.height() * 0.6F, least, 13 * canvas.scale);
  size = std::clamp(
      size * room / std::max(1.0F, frame.fonts.at(size, false)->CalcTextSizeA(size, FLT_MAX, 0, title.c_str()).x),
      least, size);
  ImFont* font = frame.fonts.at(size, false);
  const std::string shown = ui::shortened(title, room, font, size);
  const float width = font->CalcTextSizeA(size, FLT_MAX, 0, shown.c_str()).x;
  const ImVec2 at{std::round(box.centre().x - width / 2 + canvas.scale), std::round(box.centre().y - size * 0.52F)};
  list.AddText(font, size, at, frame.theme()[is_chip(node) ? Colour::text_dim : Colour::text], shown.c_str());
}

void paint_op_text(ImDrawList& list, const Frame& frame, const Canvas& canvas, const viz::Node& node,
                   const viz::Rect& box) {
  const Theme& theme = frame.theme();
  const float unit = canvas.pixels(), x = std::round(box.min.x + style::padding_x * unit),
              room = box.width() - 1.6F * style::padding_x * unit;
  float y = box.min.y + style::padding_y * unit;
  const auto line = [&](const std::string& text, float size, bool bold, ImU32 ink) {
    ui::draw_text(list, frame.fonts.at(size * unit, bold), size * unit, {x, std::round(y)}, ink, text, room);
    y += style::line_height * unit;
  };
  line(node.title, style::title_size, true, theme[Colour::text]);
  if (!node.subtitle.empty()) line(node.subtitle, style::subtitle_size, false, theme[Colour::text_dim]);
  for (const std::string& text : node.lines) line(text, style::subtitle_size, false, theme[Colour::text_dim]);
}

}  // namespace

void paint_box(ImDrawList& list, const Frame& frame, const Canvas& canvas, const viz::Node& node, const viz::Rect& box,
               const BoxLook& look) {
  paint_frame(list, frame, canvas, node, box, look);
  if (canvas.camera.zoom < title_zoom) return;
  if (canvas.camera.zoom < full_text_zoom) return paint_title_alone(list, frame, canvas, node, box);
  is_chip(node) ? paint_chip_text(list, frame, canvas, node, box) : paint_op_text(list, frame, canvas, node, box);
}

}  // namespace stele::app
