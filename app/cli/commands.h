// The table of commands: one file each.
#pragma once

#include <span>

#include "app/cli/arguments.h"

namespace stele::cli {

std::span<const Command> commands();

Runner compile_command(Arguments& arguments);
Runner run_command(Arguments& arguments);
Runner bisect_command(Arguments& arguments);
Runner import_command(Arguments& arguments);
Runner show_command(Arguments& arguments);
Runner diff_command(Arguments& arguments);
Runner passes_command(Arguments& arguments);
Runner ops_command(Arguments& arguments);
Runner test_command(Arguments& arguments);
Runner fuzz_command(Arguments& arguments);
Runner bench_command(Arguments& arguments);
Runner rosetta_command(Arguments& arguments);
Runner gui_command(Arguments& arguments);
Runner doctor_command(Arguments& arguments);

}  // namespace stele::cli
