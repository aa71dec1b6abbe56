// stele gui [S|MODEL]: becomes stele-gui, which stands beside this executable.

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "app/cli/commands.h"
#include "core/ir/error.h"

namespace stele::cli {
namespace {

namespace fs = std::filesystem;

int run_gui(const std::string& file) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const std::string viewer = (error ? fs::path("stele-gui") : self.parent_path() / "stele-gui").string();
  if (!error && !fs::exists(viewer)) throw Unavailable(fmt::format("{}: the viewer was not built", viewer));
  std::string name = viewer, argument = file;
  char* const argv[] = {name.data(), file.empty() ? nullptr : argument.data(), nullptr};
  ::execvp(viewer.c_str(), argv);
  throw Unavailable(fmt::format("{}: cannot be started: {}", viewer, std::strerror(errno)));
}

}  // namespace

Runner gui_command(Arguments& arguments) {
  auto file = std::make_shared<std::string>();
  arguments.positional("FILE", *file, "a session or a model", false);
  return [file](const Context&) { return run_gui(*file); };
}

}  // namespace stele::cli
