// Comparisons as the command line shows them.
#pragma once

#include "app/cli/json.h"
#include "core/debug/compare.h"

namespace stele::cli {

Json comparison_json(const Comparison& comparison);

}  // namespace stele::cli
