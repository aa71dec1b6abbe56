#include "app/gui/app.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "app/gui/code_view.h"

namespace stele::app {
namespace {

bool is_session(const std::string& path) { return std::filesystem::path(path).extension() == ".stele"; }

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// Where a selection on the one side of a pass stands on the other.
std::optional<viz::OpId> first_counterpart(const PassPicture& picture, Selection selection) {
  const auto& links = selection.side == Side::before ? picture.diff.successors : picture.diff.predecessors;
  const auto found = viz::counterparts(links, selection.op);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

}  // namespace

std::vector<viz::OpId> marked_ops(const AppState& state, Side side) {
  const PassPictureRef picture = current_picture(state);
  if (!state.selection || !picture) return {};
  if (state.selection->side == side) return {state.selection->op};
  const auto& links = side == Side::after ? picture->diff.successors : picture->diff.predecessors;
  return viz::counterparts(links, state.selection->op);
}

App::App(OpenSessionFn open_session, CompileFn compile)
    : open_session_(std::move(open_session)), compile_(std::move(compile)) {}

App::~App() = default;

void App::open(const std::string& path) {
  cancel();
  state.message.clear();
  state.progress = 0;
  state.progress_text = (is_session(path) ? "Opening " : "Compiling ") + file_name(path);
  opening_ = std::make_unique<Job<Document>>([this, path](Progress& progress) {
    if (!std::filesystem::exists(path)) throw std::runtime_error(path + ": no such file");
    return open_session_(is_session(path) ? path : compile_(path, progress));
  });
  state.busy = true;
}

void App::cancel() {
  if (!opening_) return;
  opening_->progress.cancelled = true;
  cancelled_.push_back(std::move(opening_));
  state.busy = false;
  notice("Cancelled", false);
}

void App::show(Document document) {
  worker_.reset();
  reading_code_.reset();
  state.code.reset();
  const std::size_t count = document.passes.size();
  state.pictures.assign(count, nullptr);
  state.selection.reset();
  state.lifeline.clear();
  state.pass = state.wanted_pass = 0;
  state.page = Page::graphs;
  for (PaneState& pane : state.panes) pane = {};
  const std::size_t row = viz::find_stack(state.rosetta, document.stack);
  if (row < state.rosetta.stacks.size()) state.rosetta_row = row;
  state.document = std::move(document);
  if (!state.document->stopped.empty()) notice("Compiled no further: " + state.document->stopped, false);
  if (count > 0) worker_ = std::make_unique<PictureWorker>(*state.document, constant_style_);
}

void App::set_constant_style(viz::ConstantStyle style) {
  constant_style_ = style;
  if (!state.document) return;
  const std::size_t pass = state.pass;
  const auto selection = state.selection;
  show(std::move(*state.document));
  select_pass(pass);
  state.selection = selection;
}

void App::notice(std::string text, bool is_error) {
  state.message = std::move(text);
  state.message_is_error = is_error;
}

void App::take_document() {
  std::erase_if(cancelled_, [](const auto& job) { return job->finished(); });
  if (!opening_) return;
  state.progress = static_cast<float>(opening_->progress.fraction());
  if (std::string text = opening_->progress.text(); !text.empty()) state.progress_text = std::move(text);
  if (!opening_->finished()) return;
  auto outcome = opening_->take();
  opening_.reset();
  state.busy = false;
  if (outcome.result) {
    show(std::move(*outcome.result));
  } else {
    notice(outcome.error, true);
  }
}

void App::take_pictures() {
  if (!worker_) return;
  for (auto& [pass, picture] : worker_->take()) {
    if (!picture->error.empty()) notice(state.document->passes[pass].name + ": " + picture->error, true);
    state.pictures[pass] = std::move(picture);
  }
  show_wanted_pass();
}

void App::update() {
  take_document();
  take_pictures();
  for (const Commands::Request& request : commands.take()) {
    try {
      run(request.id, request.argument);
    } catch (const std::exception& error) {
      notice(error.what(), true);
    }
  }
  if (state.selection && state.lifeline.empty()) update_lifeline();
  update_code();
}

void App::run(const std::string& id, const std::string& argument) {
  const Command* command = find_command(id);
  if (command == nullptr) throw std::runtime_error("unknown command: " + id);
  if (!command->enabled(*this)) throw std::runtime_error(id + ": not possible now");
  command->run(*this, argument);
}

bool App::idle() const { return !opening_ && !reading_code_ && (!worker_ || worker_->idle()); }

void App::select_pass(std::size_t pass) {
  if (!state.document || pass >= state.document->passes.size() || pass == state.wanted_pass) return;
  state.wanted_pass = pass;
  state.pass_list.reveal = true;
  step_start_ = std::chrono::steady_clock::now();
  if (worker_) worker_->want(pass);
  show_wanted_pass();
}

namespace {

// The selection as it stands on the side that both the old and the new pass show; none where it has no counterpart
// there.
std::optional<Selection> carried(const PassPicture& old, Selection selection, bool forward) {
  const Side common = forward ? Side::after : Side::before;
  if (selection.side != common) {
    const auto op = first_counterpart(old, selection);
    if (!op) return std::nullopt;
    selection.op = *op;
  }
  return Selection{forward ? Side::before : Side::after, selection.op};
}

}  // namespace

// The picture that was on the right moves to the left with its camera, so that it stays put; the other side is lined up
// with it.
void App::show_wanted_pass() {
  if (state.wanted_pass == state.pass || state.wanted_pass >= state.pictures.size() ||
      !state.pictures[state.wanted_pass])
    return;
  const auto old = current_picture(state);
  const bool forward = state.wanted_pass > state.pass;
  const bool neighbour = (forward ? state.wanted_pass - state.pass : state.pass - state.wanted_pass) == 1;
  std::optional<Selection> selection;
  if (state.selection && old && neighbour) selection = carried(*old, *state.selection, forward);
  const bool had_both = old && old->before;
  if (forward) {
    state.panes[0].camera = state.panes[1].camera;
    state.align_to = Side::before;
  } else if (had_both) {
    state.panes[1].camera = state.panes[0].camera;
    state.align_to = Side::after;
  }
  state.pass = state.wanted_pass;
  step_ready_ = std::chrono::steady_clock::now();
  state.change_cursor = 0;
  for (PaneState& pane : state.panes) pane.hover.reset();
  select_op(selection);
}

void App::frame_drawn() {
  if (!step_start_ || state.pass != state.wanted_pass) return;
  const auto ms = [this](auto until) {
    return std::chrono::duration<double, std::milli>(until - *step_start_).count();
  };
  state.step_ms = ms(std::chrono::steady_clock::now());
  steps.push_back({state.pass, state.step_ms, step_ready_ ? ms(*step_ready_) : 0});
  step_start_.reset();
}

void App::select_op(std::optional<Selection> selection) {
  state.selection = selection;
  state.lifeline.clear();
  state.code.reset();
  reading_code_.reset();
  state.reveal_ir = selection.has_value();
}

void App::update_lifeline() {
  const bool on_left = state.selection->side == Side::before;
  if (on_left && state.pass == 0) return;
  std::vector<const viz::Diff*> diffs;
  for (const PassPictureRef& picture : state.pictures)
    diffs.push_back(picture && picture->error.empty() ? &picture->diff : nullptr);
  state.lifeline = viz::lifeline(diffs, on_left ? state.pass - 1 : state.pass, state.selection->op);
}

// Read when it is looked at: disassembling takes longer than a frame.
void App::update_code() {
  if (reading_code_ && reading_code_->finished()) {
    auto outcome = reading_code_->take();
    state.code = outcome.result ? std::move(*outcome.result) : CodeView{outcome.error, {}};
    reading_code_.reset();
  }
  if (state.detail != Detail::code || !state.selection || state.code || reading_code_) return;
  const std::optional<CodeTarget> target = code_target(state);
  if (!target) {
    state.code = CodeView{"No kernel has been made of this op", {}};
    return;
  }
  reading_code_ = std::make_unique<Job<CodeView>>([source = state.document->source, target = *target](Progress&) {
    return CodeView{target.title, split_lines(source->code(target.kernel))};
  });
}

void App::focus_selection() {
  for (const Side side : both_sides) {
    const auto marked = marked_ops(state, side);
    if (!marked.empty()) state.panes[static_cast<std::size_t>(side)].wants_focus = marked.front();
  }
}

// Changed ops of the right side in the order of the text, then those that are gone from the left.
void App::step_change(int direction) {
  const PassPictureRef picture = current_picture(state);
  if (!picture) return;
  std::vector<Selection> changes;
  const auto collect = [&](Side side, const std::vector<viz::Change>& change) {
    const SnapshotPicture* snapshot = side_of(picture, side);
    for (std::size_t i = 0; snapshot != nullptr && i < change.size(); ++i) {
      const bool counts = side == Side::after ? change[i] != viz::Change::same : change[i] == viz::Change::removed;
      if (counts && snapshot->graph.nodes[i].role != viz::Role::constant)
        changes.push_back({side, snapshot->graph.nodes[i].id});
    }
  };
  collect(Side::after, picture->diff.after);
  collect(Side::before, picture->diff.before);
  if (changes.empty()) return notice("This pass changed nothing", false);
  const std::size_t count = changes.size();
  if (state.selection)
    state.change_cursor =
        (state.change_cursor + count + static_cast<std::size_t>(direction + static_cast<int>(count))) % count;
  state.change_cursor %= count;
  select_op(changes[state.change_cursor]);
  focus_selection();
}

}  // namespace stele::app
