// stele-gui [S|MODEL] [--script FILE] [--screenshot DIR]
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "app/compile/compile.h"
#include "app/gui/app.h"
#include "app/gui/assets.h"
#include "app/gui/session_document.h"
#include "app/gui/window.h"
#include "core/session/session.h"

namespace {

using namespace stele::app;

// A folder for the sessions of models that the viewer compiles itself; gone when the program ends.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "stele-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for sessions can be made: " + pattern);
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  // A new name each time: the session shown now stays open while the next is made.
  std::string next_file(const std::string& model) {
    return (path_ / (std::filesystem::path(model).stem().string() + "-" + std::to_string(++count_) + ".stele"))
        .string();
  }

 private:
  std::filesystem::path path_;
  std::atomic<int> count_ = 0;
};

std::string compile(const std::string& model, const std::string& session, Progress& progress) {
  stele::CompileRequest request;
  request.model = model;
  request.output = session;
  request.cancel = &progress.cancelled;
  request.on_progress = [&](int index, int total, std::string_view pass) {
    progress.report(total > 0 ? static_cast<double>(index) / total : 0,
                    "Compiling " + std::filesystem::path(model).filename().string() + ": " + std::string(pass));
  };
  try {
    stele::compile_model(std::move(request));
  } catch (const stele::Error& error) {
    // A model that cannot be lowered can still be looked at, as far as it went.
    if (progress.cancelled || !std::filesystem::exists(session)) throw;
    stele::Session::open(session)->set_meta("stopped", error.what());
  }
  return session;
}

struct Arguments {
  std::string file, script, screenshots;
  float scale = 0;
  bool timing = false;
};

void print_steps(const App& app) {
  for (const App::Step& step : app.steps) {
    const std::string& name = app.state.document->passes[step.pass].name;
    std::printf("%3zu  %-32s %7.1f ms, its picture after %.1f ms\n", step.pass, name.c_str(), step.ms, step.ready_ms);
  }
}

ScriptRunner script_of(const Arguments& arguments) {
  if (!arguments.script.empty()) return {arguments.script, parse_script(arguments.script, read_text(arguments.script))};
  if (arguments.screenshots.empty()) return {"", {}};
  return {"", parse_script("", "wait\nscreenshot window")};
}

void run(const Arguments& arguments) {
  ScratchFolder scratch;
  App app(open_session, [&scratch](const std::string& model, Progress& progress) {
    return compile(model, scratch.next_file(model), progress);
  });
  if (!arguments.file.empty()) app.open(arguments.file);
  WindowOptions options;
  options.scale = arguments.scale;
  if (arguments.screenshots.empty()) return run_in_window(app, options, script_of(arguments));
  options.pictures = arguments.screenshots;
  run_in_memory(app, options, script_of(arguments));
  if (arguments.timing && app.state.document) print_steps(app);
  if (app.state.message_is_error) throw std::runtime_error(app.state.message);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App parser("Shows what a tensor compiler does to a model, pass by pass.", "stele-gui");
  Arguments arguments;
  parser.add_option("file", arguments.file, "a session (.stele) or a model (.onnx, .mlir)");
  parser.add_option("--script", arguments.script, "replay the commands of this file, one a line");
  parser.add_option("--screenshot", arguments.screenshots,
                    "no window: save the pictures of the script, or one of the opened state, in this folder");
  parser.add_option("--scale", arguments.scale, "size of everything, 1 to 4; default: as the monitor says")
      ->check(CLI::Range(0.5, 4.0));
  parser.add_flag("--timing", arguments.timing,
                  "with --screenshot: print how long each step to a pass took, layout and painting included");
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = parser.exit(error);
    return status == 0 ? 0 : 2;
  }
  try {
    run(arguments);
    return 0;
  } catch (const NoWindow& error) {
    std::fprintf(stderr, "stele-gui: %s\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stele-gui: %s\n", error.what());
    return 2;
  }
}
