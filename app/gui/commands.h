// Everything that can be done, in one table: menus, palette, keys and scripts come from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stele::app {

class App;

enum Modifier { no_modifier = 0, control = 1, shift = 2 };

struct Key {
  int code = 0;  ///< GLFW's key code; 0: none.
  int modifiers = no_modifier;
};

struct Command {
  const char* id;        ///< Kebab-case, as scripts write it.
  const char* title;     ///< As menus show it.
  const char* menu;      ///< Menu it stands in; empty: scripts and panels only.
  const char* argument;  ///< What its argument is, for the help; empty: takes none.
  Key key;
  bool (*enabled)(const App&);
  void (*run)(App&, const std::string& argument);  ///< May throw std::runtime_error: bad argument.
};

std::span<const Command> all_commands();

/// The command with this id, or null.
const Command* find_command(std::string_view id);

/// "Ctrl+P", "F"; empty for none.
std::string key_text(Key key);

/// Wishes of the panels, run between frames.
class Commands {
 public:
  void push(std::string_view id, std::string argument = {}) {
    requests_.push_back({std::string(id), std::move(argument)});
  }

  struct Request {
    std::string id, argument;
  };
  std::vector<Request> take() { return std::exchange(requests_, {}); }
  bool empty() const { return requests_.empty(); }

 private:
  std::vector<Request> requests_;
};

}  // namespace stele::app
