// stele run on a repro.
#pragma once

#include <string>

#include "app/cli/arguments.h"

namespace stele::cli {

// Whether the file is a repro, which its first line says.
bool is_repro_file(const std::string& path);
// Status 1 where the pass still breaks the module.
int replay_file(const std::string& path, const Context& context);

}  // namespace stele::cli
