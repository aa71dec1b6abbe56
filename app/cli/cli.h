// The command line: parses arguments, runs a command, turns what is thrown into an exit status and one line on stderr.
#pragma once

namespace stele::cli {

int run_command_line(int argc, const char* const* argv);

}  // namespace stele::cli
