// The program behind the window: state, commands, and the jobs that do what takes longer than a frame.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "app/gui/app_state.h"
#include "app/gui/commands.h"
#include "app/gui/fonts.h"
#include "app/gui/job.h"

namespace stele::app {

/// Reads a session file as a document. Throws std::runtime_error naming the file.
using OpenSessionFn = std::function<Document(const std::string& session_path)>;

/// Compiles a model and returns the path of the session it wrote. Reports progress, returns early (throwing) when
/// cancelled.
using CompileFn = std::function<std::string(const std::string& model_path, Progress& progress)>;

class App {
 public:
  App(OpenSessionFn open_session, CompileFn compile);
  ~App();

  /// Opens a session, or compiles a model and opens what came of it. Returns at once; the result arrives in update().
  void open(const std::string& path);
  void cancel();
  /// Shows a document; the pictures are made on a worker thread.
  void show(Document document);

  /// Runs what was asked for since the last frame and takes what jobs have finished. Once a frame, before drawing.
  void update();
  /// Runs one command now. Throws std::runtime_error for an unknown one, a disabled one or a bad argument.
  void run(const std::string& id, const std::string& argument);
  /// No job runs and every picture is made.
  bool idle() const;

  AppState state;
  Commands commands;
  Fonts fonts;
  bool wants_quit = false;
  std::string wants_screenshot;  ///< File name without ending; taken after the next frame.

  /// Called when a frame has been drawn: ends the measurement of a step.
  void frame_drawn();
  bool is_stepping() const { return step_start_.has_value(); }
  struct Step {
    std::size_t pass;
    double ms;        ///< From asking for the pass to its first frame on the screen.
    double ready_ms;  ///< … to its picture, layout included.
  };
  std::vector<Step> steps;  ///< Every step so far.

  // What commands do. Each leaves the state consistent.
  void select_pass(std::size_t pass);
  void select_op(std::optional<Selection> selection);
  void focus_selection();
  void step_change(int direction);
  void set_constant_style(viz::ConstantStyle style);
  void notice(std::string text, bool is_error);

 private:
  void take_pictures();
  void take_document();
  void update_lifeline();
  void update_code();
  void show_wanted_pass();

  OpenSessionFn open_session_;
  CompileFn compile_;
  std::unique_ptr<Job<Document>> opening_;
  std::vector<std::unique_ptr<Job<Document>>> cancelled_;  // until they notice
  std::unique_ptr<Job<CodeView>> reading_code_;
  std::unique_ptr<PictureWorker> worker_;
  std::optional<std::chrono::steady_clock::time_point> step_start_, step_ready_;
  viz::ConstantStyle constant_style_ = viz::ConstantStyle::chips;
};

}  // namespace stele::app
