// Scripts: the command table, one command a line. Blank lines and lines that start with # are skipped.
#pragma once

#include <string>
#include <vector>

#include "app/gui/app.h"

namespace stele::app {

struct ScriptLine {
  int number = 0;
  std::string command, argument;
};

/// Throws std::runtime_error naming the file and the line for a command that does not exist.
std::vector<ScriptLine> parse_script(const std::string& name, const std::string& text);

/// Replays a script, a command every few frames, so that each finds what the one before asked for.
class ScriptRunner {
 public:
  ScriptRunner(std::string name, std::vector<ScriptLine> lines) : name_(std::move(name)), lines_(std::move(lines)) {}

  /// Once a frame, after App::update(). Runs the next command when its turn has come. Throws std::runtime_error naming
  /// file and line.
  void step(App& app);
  bool finished() const { return next_ == lines_.size() && settle_ == 0; }

 private:
  bool is_due(const App& app) const;

  std::string name_;
  std::vector<ScriptLine> lines_;
  std::size_t next_ = 0;
  int settle_ = 0;  // frames left until the last command has taken effect
};

}  // namespace stele::app
