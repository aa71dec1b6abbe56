#include "app/gui/script.h"

#include <sstream>
#include <stdexcept>

namespace stele::app {
namespace {

constexpr int frames_to_settle = 3;

std::string place(const std::string& name, int number) { return name + ":" + std::to_string(number) + ": "; }

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

std::vector<ScriptLine> parse_script(const std::string& name, const std::string& text) {
  std::vector<ScriptLine> lines;
  std::istringstream stream(text);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    line = trimmed(line);
    if (line.empty() || line[0] == '#') continue;
    const auto space = line.find_first_of(" \t");
    ScriptLine parsed{number, line.substr(0, space), space == std::string::npos ? "" : trimmed(line.substr(space))};
    if (find_command(parsed.command) == nullptr)
      throw std::runtime_error(place(name, number) + "unknown command " + parsed.command);
    lines.push_back(std::move(parsed));
  }
  return lines;
}

bool ScriptRunner::is_due(const App& app) const {
  const ScriptLine& line = lines_[next_];
  if (line.command == "wait") return app.idle();
  const bool is_drawn = !app.state.document || app.state.document->passes.empty() || current_picture(app.state);
  // Cancel is for jobs; everything else acts on what has been opened and shown.
  return line.command == "cancel" || (!app.state.busy && is_drawn && app.state.pass == app.state.wanted_pass);
}

void ScriptRunner::step(App& app) {
  if (settle_ > 0) {
    --settle_;
    return;
  }
  if (next_ == lines_.size() || !is_due(app)) return;
  const ScriptLine& line = lines_[next_++];
  settle_ = frames_to_settle;
  try {
    app.run(line.command, line.argument);
  } catch (const std::exception& error) {
    throw std::runtime_error(place(name_, line.number) + error.what());
  }
}

}  // namespace stele::app
