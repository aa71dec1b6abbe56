// Files of assets/: beside the executable where it is installed, else in the checkout it was built from.
#pragma once

#include <string>

#include "app/cli/arguments.h"

namespace stele::cli {

// The text of an asset. Throws Unavailable naming it where it is not found.
std::string read_asset(const std::string& name, const Context& context);

}  // namespace stele::cli
