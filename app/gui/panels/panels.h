// The panels: functions of the state that paint, change their own part of it, and push what they wish for as commands.
#pragma once

#include "app/gui/ui.h"

namespace stele::app {

void draw_menu(Frame& frame);
void draw_scoreboard(Frame& frame, ImVec2 size);
void draw_pass_list(Frame& frame, ImVec2 size);
void draw_graph_pane(Frame& frame, Side side, ImVec2 size);
void draw_op_details(Frame& frame, ImVec2 size);
void draw_bottom(Frame& frame, ImVec2 size);  ///< Tabs: IR text, rewrites, code.
void draw_ir_text(Frame& frame, ImVec2 size);
void draw_rewrites(Frame& frame, ImVec2 size);
void draw_code(Frame& frame, ImVec2 size);
void draw_rosetta(Frame& frame, ImVec2 size);
void draw_start(Frame& frame, ImVec2 size);
void draw_status(Frame& frame, ImVec2 size);

// Over everything, where their state says open.
void draw_progress(Frame& frame);
void draw_open_dialog(Frame& frame);
void draw_palette(Frame& frame);
void draw_help(Frame& frame);

}  // namespace stele::app
