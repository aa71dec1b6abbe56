#include "app/cli/cli.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "app/cli/commands.h"
#include "core/ir/error.h"

namespace stele::cli {
namespace {

class Cli11Arguments : public Arguments {
 public:
  explicit Cli11Arguments(CLI::App& app) : app_(app) {}
  void positional(const std::string& name, std::string& value, const std::string& help, bool required) override {
    if (!subject_) subject_ = &value;
    app_.add_option(name, value, help)->required(required);
  }
  void positional(const std::string& name, std::vector<std::string>& values, const std::string& help) override {
    app_.add_option(name, values, help)->required();
  }
  void option(const std::string& names, std::string& value, const std::string& help) override { app_.add_option(names, value, help); }
  void option(const std::string& names, int64_t& value, const std::string& help) override { app_.add_option(names, value, help); }
  void option(const std::string& names, double& value, const std::string& help) override { app_.add_option(names, value, help); }
  void option(const std::string& names, std::vector<std::string>& values, const std::string& help) override {
    app_.add_option(names, values, help)->take_all()->allow_extra_args(false);
  }
  void flag(const std::string& names, bool& value, const std::string& help) override { app_.add_flag(names, value, help); }
  // The first positional, a file: what a message is about that names none. Null where the command takes none.
  const std::string* subject() const { return subject_; }

 private:
  CLI::App& app_;
  const std::string* subject_ = nullptr;
};

struct Declared {
  CLI::App* app;
  Runner runner;
  const std::string* subject;
};

int complain(const std::string& message, int status) {
  std::string line = message;
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  std::fflush(stdout);
  std::fprintf(stderr, "stele: %s\n", line.c_str());
  return status;
}

Context make_context(bool json, const char* program) {
  Context context;
  context.json = json;
  const char* term = std::getenv("TERM");
  context.colour = ::isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR") && term && std::string_view(term) != "dumb";
  context.progress = ::isatty(STDERR_FILENO);
  context.program = program;
  return context;
}

std::string about(const std::string* subject, const std::string& message) {
  return !subject || subject->empty() || message.find(*subject) != std::string::npos ? message : *subject + ": " + message;
}

int run_guarded(const Declared& command, const Context& context) {
  try {
    const int status = command.runner(context);
    if (std::fflush(stdout) != 0) return complain("standard output cannot be written", bad_input);
    return status;
  } catch (const Unavailable& error) {
    return complain(about(command.subject, error.what()), absent);
  } catch (const Error& error) {
    return complain(about(command.subject, error.what()), bad_input);
  } catch (const std::bad_alloc&) {
    return complain(about(command.subject, "out of memory"), bad_input);
  } catch (const std::exception& error) {
    return complain(error.what(), bad_input);
  }
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  CLI::App app("Stele: step through a tensor compiler, score it, bisect it.", "stele");
  app.require_subcommand(1);
  app.set_version_flag("--version", "stele " STELE_VERSION);
  bool json = false;
  std::vector<Declared> declared;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->add_flag("--json", json, "print one JSON document on stdout");
    Cli11Arguments arguments(*sub);
    Runner runner = command.declare(arguments);
    declared.push_back({sub, std::move(runner), arguments.subject()});
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::RequiredError& error) {
    const bool unknown = argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty();
    const std::string what = unknown ? fmt::format("'{}' is no command", argv[1]) : error.what();
    return complain(what + " (see stele --help)", bad_input);
  } catch (const CLI::ParseError& error) {
    return complain(std::string(error.what()) + " (see stele --help)", bad_input);
  }
  for (const Declared& command : declared) {
    if (command.app->parsed()) return run_guarded(command, make_context(json, argv[0]));
  }
  return bad_input;
}

}  // namespace stele::cli
