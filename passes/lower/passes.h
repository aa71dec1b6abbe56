// The passes of the lower stage: one a file, by the same name.
#pragma once

#include "core/pass/pass.h"

namespace stele {

extern const Pass plan_memory;
extern const Pass lower_to_loops;
extern const Pass vectorize;
extern const Pass parallelize;

}  // namespace stele
