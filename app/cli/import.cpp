// stele import DUMP… -o S.stele: dumps of other compilers.

#include <memory>

#include "app/cli/commands.h"
#include "core/ir/error.h"

namespace stele::cli {
namespace {

struct Options {
  std::vector<std::string> dumps;
  std::string output;
};

}  // namespace

Runner import_command(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("DUMP", options->dumps, "files or folders that a compiler wrote");
  arguments.option("-o,--output", options->output, "the session to write");
  return [options](const Context&) -> int { fail("import: reading other compilers' dumps is not there yet"); };
}

}  // namespace stele::cli
