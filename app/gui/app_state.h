// Everything the window remembers. Panels read it, commands change it; nothing here owns a thread or a file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/document.h"
#include "app/gui/pictures.h"
#include "app/gui/theme.h"
#include "viz/layout.h"
#include "viz/lifeline.h"
#include "viz/rosetta.h"

namespace stele::app {

enum class Side { before, after };
constexpr std::array<Side, 2> both_sides = {Side::before, Side::after};

enum class Page { graphs, rosetta };
enum class Detail { ir, rewrites, code };

/// The code of the kernel that the selected op became, or is.
struct CodeView {
  std::string title;  ///< "kernel_a79d · after emit-assembly"
  std::vector<std::string> lines;
};

struct Selection {
  Side side = Side::after;
  viz::OpId op = 0;
};

/// How one graph pane looks at its picture: the layout point at the pane's centre, and pixels per layout unit.
struct Camera {
  viz::Point centre;
  float zoom = 1;
};

struct PaneState {
  Camera camera;
  viz::Rect view;                  ///< The pane's rectangle on the screen, as last drawn.
  std::optional<viz::OpId> hover;  ///< The op under the mouse.
  bool wants_fit = true;           ///< Fit at the next frame.
  bool wants_whole = false;        ///< … the whole graph, however small the boxes become.
  std::optional<viz::OpId> wants_focus;
};

struct PassListState {
  std::string filter;
  bool hide_unchanged = false;
  bool reveal = false;  ///< Scroll to the selected pass at the next frame.
};

struct PaletteState {
  bool open = false;
  std::string query;
  bool is_prefilled = false;  ///< The query's beginning is given: the cursor goes to its end, nothing is marked.
  int selected = 0;
};

struct OpenDialogState {
  bool open = false;
  std::string folder;
  std::string name;
  std::vector<std::pair<std::string, bool>> entries;  ///< Name, whether it is a folder.
};

/// Sizes of the parts of the window, in units of the scale.
struct Splits {
  float left = 272, right = 300, bottom = 210, panes = 0.5F;
};

struct AppState {
  std::optional<Document> document;
  std::vector<PassPictureRef> pictures;  ///< One a pass, null until made.
  std::size_t pass = 0;                  ///< The pass that is shown.
  std::size_t wanted_pass = 0;           ///< The pass that was asked for; shown as soon as its picture is made.
  std::optional<Selection> selection;
  std::vector<viz::LifeStep> lifeline;  ///< Of the selection.

  std::array<PaneState, 2> panes;
  bool panes_linked = true;
  std::optional<Side> align_to;  ///< At the next frame the other pane follows this one.
  bool show_minimap = true, show_details = true, show_bottom = true;
  Detail detail = Detail::ir;
  std::size_t change_cursor = 0;  ///< Which change `next-change` goes to.

  std::optional<CodeView> code;  ///< Absent until it has been read.

  Page page = Page::graphs;
  viz::RosettaGrid rosetta;
  std::size_t rosetta_row = 0;

  PassListState pass_list;
  PaletteState palette;
  OpenDialogState open_dialog;
  bool help_open = false;
  bool reveal_ir = false;  ///< Scroll the text to the selection at the next frame.
  Splits splits;

  const Theme* theme = &dark_theme();
  float scale = 1;

  bool busy = false;  ///< A job runs; these two are what it says of itself.
  float progress = 0;
  std::string progress_text;
  std::string message;  ///< The last error or notice, shown in the status bar.
  bool message_is_error = false;
  double frame_ms = 0;  ///< Time that the last frame took to build.
  double step_ms = 0;   ///< Time from asking for the shown pass to its first frame.
};

/// The picture of the selected pass, or null.
inline PassPictureRef current_picture(const AppState& state) {
  return state.pass < state.pictures.size() ? state.pictures[state.pass] : nullptr;
}

/// One side of it, or null.
inline const SnapshotPicture* side_of(const PassPictureRef& picture, Side side) {
  if (!picture) return nullptr;
  return side == Side::before ? picture->before.get() : picture->after.get();
}

/// The selected op on this side: itself, or those it stands for.
std::vector<viz::OpId> marked_ops(const AppState& state, Side side);

}  // namespace stele::app
