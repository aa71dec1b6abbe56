#include "app/gui/theme.h"

namespace stele::app {
namespace {

constexpr ImU32 rgb(unsigned hex) { return IM_COL32((hex >> 16) & 0xFF, (hex >> 8) & 0xFF, hex & 0xFF, 255); }

// In the order of Colour.
const Theme dark = {"dark",
                    {
                        // window, panel, panel_raised, canvas, border
                        rgb(0x14171C),
                        rgb(0x1A1E25),
                        rgb(0x232933),
                        rgb(0x111419),
                        rgb(0x2C333E),
                        // text, text_dim, text_faint, accent, accent_soft
                        rgb(0xE3E8EF),
                        rgb(0x9AA5B4),
                        rgb(0x667182),
                        rgb(0x5EB1FF),
                        rgb(0x1F3B57),
                        // added, removed, changed, good, bad, warning
                        rgb(0x4CC38A),
                        rgb(0xF2676B),
                        rgb(0xF0B849),
                        rgb(0x4CC38A),
                        rgb(0xF2676B),
                        rgb(0xF0B849),
                        // box, box_border, chip, edge, edge_marked
                        rgb(0x242B36),
                        rgb(0x3B4554),
                        rgb(0x1C222B),
                        rgb(0x5A6677),
                        rgb(0x8CC8FF),
                        // arithmetic, contraction, reduction, movement, control
                        rgb(0x6CA8F0),
                        rgb(0xB58CF5),
                        rgb(0xF09A5E),
                        rgb(0x7D8CA3),
                        rgb(0xE87DB4),
                        // fusion, library, loop, machine, constant, argument, result
                        rgb(0x45C4B8),
                        rgb(0xB58CF5),
                        rgb(0x9CCB5C),
                        rgb(0xD9A441),
                        rgb(0x5D6878),
                        rgb(0x4CC38A),
                        rgb(0x4CC38A),
                    }};

const Theme light = {
    "light",
    {
        rgb(0xECEFF3), rgb(0xF8F9FB), rgb(0xE4E9F0), rgb(0xFFFFFF), rgb(0xD0D7E0), rgb(0x1D2430), rgb(0x566274),
        rgb(0x8C97A8), rgb(0x1769D6), rgb(0xD3E5FC), rgb(0x178A55), rgb(0xCE3239), rgb(0xB27700), rgb(0x178A55),
        rgb(0xCE3239), rgb(0xB27700), rgb(0xF4F6F9), rgb(0xBCC6D3), rgb(0xE9EDF2), rgb(0x99A5B5), rgb(0x1769D6),
        rgb(0x2F74D0), rgb(0x7B4FD0), rgb(0xC76417), rgb(0x6E7C91), rgb(0xC24489), rgb(0x0C8F86), rgb(0x7B4FD0),
        rgb(0x5E8F1D), rgb(0x9A6B00), rgb(0x8B96A6), rgb(0x178A55), rgb(0x178A55),
    }};

void apply_sizes(ImGuiStyle& style) {
  style.WindowPadding = {10, 10};
  style.FramePadding = {9, 5};
  style.ItemSpacing = {8, 6};
  style.ItemInnerSpacing = {6, 4};
  style.CellPadding = {6, 4};
  style.ScrollbarSize = 12;
  style.GrabMinSize = 24;
  style.WindowRounding = 8;
  style.ChildRounding = 0;
  style.FrameRounding = 5;
  style.PopupRounding = 8;
  style.ScrollbarRounding = 6;
  style.GrabRounding = 5;
  style.TabRounding = 5;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
}

}  // namespace

const Theme& dark_theme() { return dark; }
const Theme& light_theme() { return light; }

ImU32 faded(ImU32 colour, float opacity) {
  const auto alpha = static_cast<ImU32>(static_cast<float>(colour >> IM_COL32_A_SHIFT) * opacity);
  return (colour & ~IM_COL32_A_MASK) | (alpha << IM_COL32_A_SHIFT);
}

ImU32 mixed(ImU32 a, ImU32 b, float share) {
  const ImVec4 x = ImGui::ColorConvertU32ToFloat4(a), y = ImGui::ColorConvertU32ToFloat4(b);
  const float rest = 1 - share;
  return ImGui::ColorConvertFloat4ToU32(
      {x.x * rest + y.x * share, x.y * rest + y.y * share, x.z * rest + y.z * share, x.w * rest + y.w * share});
}

void apply(const Theme& theme, float scale) {
  ImGuiStyle style;
  apply_sizes(style);
  style.ScaleAllSizes(scale);
  const auto set = [&](ImGuiCol slot, ImU32 colour) { style.Colors[slot] = ImGui::ColorConvertU32ToFloat4(colour); };
  const ImU32 accent = theme[Colour::accent], soft = theme[Colour::accent_soft], raised = theme[Colour::panel_raised];
  set(ImGuiCol_Text, theme[Colour::text]);
  set(ImGuiCol_TextDisabled, theme[Colour::text_faint]);
  set(ImGuiCol_WindowBg, theme[Colour::window]);
  set(ImGuiCol_ChildBg, theme[Colour::panel]);
  set(ImGuiCol_PopupBg, theme[Colour::panel]);
  set(ImGuiCol_MenuBarBg, theme[Colour::panel]);
  set(ImGuiCol_Border, theme[Colour::border]);
  set(ImGuiCol_FrameBg, raised);
  set(ImGuiCol_FrameBgHovered, mixed(raised, accent, 0.15F));
  set(ImGuiCol_FrameBgActive, mixed(raised, accent, 0.25F));
  set(ImGuiCol_TitleBg, theme[Colour::panel]);
  set(ImGuiCol_TitleBgActive, theme[Colour::panel]);
  set(ImGuiCol_ScrollbarBg, faded(theme[Colour::panel], 0));
  set(ImGuiCol_ScrollbarGrab, theme[Colour::border]);
  set(ImGuiCol_ScrollbarGrabHovered, theme[Colour::text_faint]);
  set(ImGuiCol_ScrollbarGrabActive, theme[Colour::text_dim]);
  set(ImGuiCol_CheckMark, accent);
  set(ImGuiCol_Button, raised);
  set(ImGuiCol_ButtonHovered, mixed(raised, accent, 0.25F));
  set(ImGuiCol_ButtonActive, mixed(raised, accent, 0.45F));
  set(ImGuiCol_Header, soft);
  set(ImGuiCol_HeaderHovered, mixed(raised, accent, 0.18F));
  set(ImGuiCol_HeaderActive, mixed(raised, accent, 0.30F));
  set(ImGuiCol_Separator, theme[Colour::border]);
  set(ImGuiCol_Tab, faded(raised, 0));
  set(ImGuiCol_TabHovered, mixed(raised, accent, 0.18F));
  set(ImGuiCol_TabActive, raised);
  set(ImGuiCol_PlotHistogram, accent);
  set(ImGuiCol_TableHeaderBg, raised);
  set(ImGuiCol_TableBorderStrong, theme[Colour::border]);
  set(ImGuiCol_TableBorderLight, theme[Colour::border]);
  set(ImGuiCol_TableRowBgAlt, faded(theme[Colour::text], 0.02F));
  set(ImGuiCol_TextSelectedBg, faded(accent, 0.35F));
  set(ImGuiCol_NavHighlight, accent);
  set(ImGuiCol_ModalWindowDimBg, IM_COL32(0, 0, 0, 130));
  ImGui::GetStyle() = style;
}

}  // namespace stele::app
