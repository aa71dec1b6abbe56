#include "app/gui/commands.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

#include "app/gui/app.h"
#include "app/gui/open_dialog.h"

namespace stele::app {
namespace {

bool always(const App&) { return true; }
bool has_document(const App& app) { return app.state.document.has_value(); }
bool has_selection(const App& app) { return app.state.selection.has_value(); }
bool is_busy(const App& app) { return app.state.busy; }

std::size_t number(const std::string& text) {
  std::size_t used = 0;
  const unsigned long value = std::stoul(text, &used);
  if (used != text.size()) throw std::invalid_argument(text);
  return value;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

// ---- passes

void select_pass(App& app, const std::string& argument) {
  const auto& passes = app.state.document->passes;
  std::size_t pass = passes.size();
  if (is_number(argument)) {
    pass = number(argument);
  } else {
    const auto found =
        std::find_if(passes.begin(), passes.end(), [&](const PassRow& row) { return row.name == argument; });
    pass = static_cast<std::size_t>(found - passes.begin());
  }
  if (pass >= passes.size()) throw std::runtime_error("select-pass: no pass " + argument);
  app.select_pass(pass);
}

void step(App& app, int direction, bool only_changed) {
  const auto& passes = app.state.document->passes;
  for (std::size_t pass = app.state.pass;;) {
    if (direction < 0 ? pass == 0 : pass + 1 >= passes.size()) return;
    pass = direction < 0 ? pass - 1 : pass + 1;
    if (!only_changed || passes[pass].changed) return app.select_pass(pass);
  }
}

void next_pass(App& app, const std::string&) { step(app, 1, app.state.pass_list.hide_unchanged); }
void previous_pass(App& app, const std::string&) { step(app, -1, app.state.pass_list.hide_unchanged); }
void next_changed_pass(App& app, const std::string&) { step(app, 1, true); }
void previous_changed_pass(App& app, const std::string&) { step(app, -1, true); }
void first_pass(App& app, const std::string&) { app.select_pass(0); }
void last_pass(App& app, const std::string&) { app.select_pass(app.state.document->passes.size() - 1); }
void filter_passes(App& app, const std::string& argument) { app.state.pass_list.filter = argument; }
void hide_unchanged(App& app, const std::string&) {
  app.state.pass_list.hide_unchanged = !app.state.pass_list.hide_unchanged;
}

// ---- ops

bool contains_ignoring_case(const std::string& text, const std::string& part) {
  const auto equal = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), equal) != text.end();
}

bool fits(const viz::Node& node, const std::string& text, bool exactly) {
  if (is_number(text)) return node.id == number(text);
  if (exactly) return node.title == text || node.label == text;
  return contains_ignoring_case(node.title, text) || contains_ignoring_case(node.label, text);
}

// The next node that fits after the selected one, from the start again at the end; nothing where none fits.
std::optional<viz::OpId> next_fit(const viz::Graph& graph, std::optional<viz::OpId> selected, const std::string& text,
                                  bool exactly) {
  const std::size_t count = graph.nodes.size();
  const std::size_t start = selected ? viz::find_node(graph, *selected) + 1 : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const viz::Node& node = graph.nodes[(start + i) % count];
    if (fits(node, text, exactly)) return node.id;
  }
  return std::nullopt;
}

// "12", "after:12", "before:12", an op's name or label, or a part of one: on the right, else on the left. Asked again,
// the next one.
void select_op(App& app, const std::string& argument) {
  std::string text = argument;
  std::optional<Side> only;
  for (const auto& [prefix, side] : {std::pair{"before:", Side::before}, {"after:", Side::after}}) {
    if (!text.starts_with(prefix)) continue;
    only = side;
    text.erase(0, std::string_view(prefix).size());
  }
  const PassPictureRef picture = current_picture(app.state);
  const auto& selection = app.state.selection;
  for (const bool exactly : {true, false}) {
    for (const Side side : {Side::after, Side::before}) {
      const SnapshotPicture* snapshot = side_of(picture, side);
      if (snapshot == nullptr || (only && *only != side) || text.empty()) continue;
      const auto from = selection && selection->side == side ? std::optional(selection->op) : std::nullopt;
      if (const auto found = next_fit(snapshot->graph, from, text, exactly))
        return app.select_op(Selection{side, *found});
    }
  }
  throw std::runtime_error("select-op: no op " + argument);
}

void find_op(App& app, const std::string& argument) {
  if (argument.empty()) {
    app.state.palette = {};
    app.state.palette.open = true;
    app.state.palette.query = "find ";
    app.state.palette.is_prefilled = true;
    return;
  }
  select_op(app, argument);
  app.focus_selection();
}

void clear_selection(App& app, const std::string&) { app.select_op(std::nullopt); }
void focus(App& app, const std::string&) { app.focus_selection(); }
void next_change(App& app, const std::string&) { app.step_change(1); }
void previous_change(App& app, const std::string&) { app.step_change(-1); }

// ---- the view

void fit(App& app, const std::string&) {
  for (PaneState& pane : app.state.panes) pane.wants_fit = true;
}

void fit_all(App& app, const std::string&) {
  for (PaneState& pane : app.state.panes) pane.wants_fit = pane.wants_whole = true;
}

void set_zoom(App& app, const std::string& argument) {
  const float zoom = std::stof(argument);
  if (!(zoom >= 0.02F && zoom <= 8)) throw std::runtime_error("zoom: " + argument + " is not between 0.02 and 8");
  for (PaneState& pane : app.state.panes) pane.camera.zoom = zoom;
}

void zoom_in(App& app, const std::string&) {
  for (PaneState& pane : app.state.panes) pane.camera.zoom = std::min(8.0F, pane.camera.zoom * 1.25F);
}

void zoom_out(App& app, const std::string&) {
  for (PaneState& pane : app.state.panes) pane.camera.zoom = std::max(0.02F, pane.camera.zoom / 1.25F);
}

void show(App& app, const std::string& argument) {
  AppState& state = app.state;
  if (argument == "graphs") {
    state.page = Page::graphs;
  } else if (argument == "rosetta") {
    state.page = Page::rosetta;
  } else if (argument == "ir" || argument == "rewrites" || argument == "code") {
    state.page = Page::graphs;
    state.show_bottom = true;
    state.detail = argument == "ir" ? Detail::ir : argument == "code" ? Detail::code : Detail::rewrites;
  } else {
    throw std::runtime_error("show: " + argument + " is none of graphs, rosetta, ir, rewrites, code");
  }
}

void show_graphs(App& app, const std::string&) { app.state.page = Page::graphs; }
void toggle_rosetta(App& app, const std::string&) {
  app.state.page = app.state.page == Page::rosetta ? Page::graphs : Page::rosetta;
}
void show_ir(App& app, const std::string&) { show(app, "ir"); }
void show_rewrites(App& app, const std::string&) { show(app, "rewrites"); }
void show_code(App& app, const std::string&) { show(app, "code"); }
void toggle_details(App& app, const std::string&) { app.state.show_details = !app.state.show_details; }
void toggle_bottom(App& app, const std::string&) { app.state.show_bottom = !app.state.show_bottom; }
void toggle_minimap(App& app, const std::string&) { app.state.show_minimap = !app.state.show_minimap; }
void toggle_link(App& app, const std::string&) { app.state.panes_linked = !app.state.panes_linked; }

void constants(App& app, const std::string& argument) {
  constexpr std::array<const char*, 3> names = {"chips", "inside", "hidden"};
  const auto found = std::find(names.begin(), names.end(), argument);
  if (found == names.end()) throw std::runtime_error("constants: " + argument + " is none of chips, inside, hidden");
  app.set_constant_style(static_cast<viz::ConstantStyle>(found - names.begin()));
}

void constants_as_chips(App& app, const std::string&) { constants(app, "chips"); }
void constants_inside(App& app, const std::string&) { constants(app, "inside"); }
void constants_hidden(App& app, const std::string&) { constants(app, "hidden"); }

void set_theme(App& app, const std::string& argument) {
  if (argument != "dark" && argument != "light")
    throw std::runtime_error("theme: " + argument + " is neither dark nor light");
  app.state.theme = argument == "dark" ? &dark_theme() : &light_theme();
  apply(*app.state.theme, app.state.scale);
}

void toggle_theme(App& app, const std::string&) { set_theme(app, app.state.theme == &dark_theme() ? "light" : "dark"); }

void rosetta_select(App& app, const std::string& argument) {
  const std::size_t row = is_number(argument) ? number(argument) : viz::find_stack(app.state.rosetta, argument);
  if (row >= app.state.rosetta.stacks.size()) throw std::runtime_error("rosetta-select: no stack " + argument);
  app.state.rosetta_row = row;
}

// ---- the program

void open(App& app, const std::string& argument) {
  if (argument.empty()) return open_dialog::show(app.state.open_dialog);
  app.open(argument);
}

void cancel(App& app, const std::string&) { app.cancel(); }
void palette(App& app, const std::string&) {
  app.state.palette = {};
  app.state.palette.open = true;
}
void help(App& app, const std::string&) { app.state.help_open = !app.state.help_open; }
void quit(App& app, const std::string&) { app.wants_quit = true; }
void screenshot(App& app, const std::string& argument) {
  app.wants_screenshot = argument.empty() ? "screenshot" : argument;
}

// Scripts stop at this one until the jobs are done; by hand it does nothing.
void wait(App&, const std::string&) {}

constexpr std::array commands = {
    Command{"open", "Open …", "File", "path of a model or a session", {GLFW_KEY_O, control}, always, open},
    Command{"cancel", "Cancel", "File", "", {}, is_busy, cancel},
    Command{"screenshot",
            "Save a picture of the window",
            "File",
            "file name without ending",
            {GLFW_KEY_F12},
            always,
            screenshot},
    Command{"quit", "Quit", "File", "", {GLFW_KEY_Q, control}, always, quit},

    Command{"next-pass", "Next pass", "Go", "", {GLFW_KEY_DOWN}, has_document, next_pass},
    Command{"previous-pass", "Previous pass", "Go", "", {GLFW_KEY_UP}, has_document, previous_pass},
    Command{"next-changed-pass",
            "Next pass that changed something",
            "Go",
            "",
            {GLFW_KEY_DOWN, shift},
            has_document,
            next_changed_pass},
    Command{"previous-changed-pass",
            "Previous pass that changed something",
            "Go",
            "",
            {GLFW_KEY_UP, shift},
            has_document,
            previous_changed_pass},
    Command{"first-pass", "First pass", "Go", "", {GLFW_KEY_HOME}, has_document, first_pass},
    Command{"last-pass", "Last pass", "Go", "", {GLFW_KEY_END}, has_document, last_pass},
    Command{"next-change", "Next changed op", "Go", "", {GLFW_KEY_N}, has_document, next_change},
    Command{"previous-change", "Previous changed op", "Go", "", {GLFW_KEY_N, shift}, has_document, previous_change},
    Command{"find",
            "Find an op …",
            "Go",
            "id, name, label or a part of them",
            {GLFW_KEY_F, control},
            has_document,
            find_op},
    Command{"focus", "Centre the selected op", "Go", "", {GLFW_KEY_C}, has_selection, focus},
    Command{"clear-selection", "Clear the selection", "Go", "", {GLFW_KEY_ESCAPE}, has_selection, clear_selection},

    Command{"fit", "Fit to width", "View", "", {GLFW_KEY_F}, has_document, fit},
    Command{"fit-all", "Fit the whole graph", "View", "", {GLFW_KEY_F, shift}, has_document, fit_all},
    Command{"zoom-in", "Zoom in", "View", "", {GLFW_KEY_EQUAL, control}, has_document, zoom_in},
    Command{"zoom-out", "Zoom out", "View", "", {GLFW_KEY_MINUS, control}, has_document, zoom_out},
    Command{"link", "Move both graphs together", "View", "", {GLFW_KEY_L}, has_document, toggle_link},
    Command{"minimap", "Minimap", "View", "", {GLFW_KEY_M}, has_document, toggle_minimap},
    Command{"details", "Op details", "View", "", {GLFW_KEY_D}, has_document, toggle_details},
    Command{"bottom", "IR text and rewrites", "View", "", {GLFW_KEY_B}, has_document, toggle_bottom},
    Command{"show-ir", "Show IR text", "View", "", {GLFW_KEY_I}, has_document, show_ir},
    Command{"show-rewrites", "Show rewrites", "View", "", {GLFW_KEY_W}, has_document, show_rewrites},
    Command{"show-code", "Show machine code", "View", "", {GLFW_KEY_A}, has_document, show_code},
    Command{
        "hide-unchanged", "Hide passes that changed nothing", "View", "", {GLFW_KEY_U}, has_document, hide_unchanged},
    Command{"constants-as-chips", "Constants at their uses", "View", "", {}, has_document, constants_as_chips},
    Command{"constants-inside", "Constants inside the ops", "View", "", {}, has_document, constants_inside},
    Command{"constants-hidden", "No constants", "View", "", {}, has_document, constants_hidden},
    Command{"toggle-theme", "Light or dark", "View", "", {GLFW_KEY_T, control}, always, toggle_theme},

    Command{"toggle-rosetta", "Stack Rosetta", "Learn", "", {GLFW_KEY_R}, always, toggle_rosetta},
    Command{"show-graphs", "Graphs", "Learn", "", {GLFW_KEY_G}, always, show_graphs},

    Command{"palette", "All commands …", "Help", "", {GLFW_KEY_P, control}, always, palette},
    Command{"help", "Keys and mouse", "Help", "", {GLFW_KEY_F1}, always, help},

    Command{"select-pass", "Select a pass", "", "number or name", {}, has_document, select_pass},
    Command{"filter-passes", "Filter the passes", "", "text", {}, has_document, filter_passes},
    Command{"select-op", "Select an op", "", "id, name or label", {}, has_document, select_op},
    Command{"zoom", "Set the zoom", "", "factor", {}, has_document, set_zoom},
    Command{"show", "Show a page", "", "graphs, rosetta, ir, rewrites or code", {}, always, show},
    Command{"constants", "Set how constants are drawn", "", "chips, inside or hidden", {}, always, constants},
    Command{"theme", "Set the theme", "", "dark or light", {}, always, set_theme},
    Command{"rosetta-select", "Light up a stack", "", "id or number", {}, always, rosetta_select},
    Command{"wait", "Wait until the jobs are done", "", "", {}, always, wait},
};

std::string key_name(int code) {
  switch (code) {
    case GLFW_KEY_DOWN:
      return "↓";
    case GLFW_KEY_UP:
      return "↑";
    case GLFW_KEY_HOME:
      return "Home";
    case GLFW_KEY_END:
      return "End";
    case GLFW_KEY_ESCAPE:
      return "Esc";
    case GLFW_KEY_F1:
      return "F1";
    case GLFW_KEY_F12:
      return "F12";
    case GLFW_KEY_EQUAL:
      return "+";
    case GLFW_KEY_MINUS:
      return "−";
    default:
      return std::string(1, static_cast<char>(code));
  }
}

}  // namespace

std::span<const Command> all_commands() { return commands; }

const Command* find_command(std::string_view id) {
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return id == c.id; });
  return found == commands.end() ? nullptr : &*found;
}

std::string key_text(Key key) {
  if (key.code == 0) return "";
  return std::string((key.modifiers & control) != 0 ? "Ctrl+" : "") + ((key.modifiers & shift) != 0 ? "Shift+" : "") +
         key_name(key.code);
}

}  // namespace stele::app
