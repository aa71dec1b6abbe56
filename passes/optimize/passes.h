// The passes of the optimize stage: one a file, by the same name.
#pragma once

#include "core/pass/pass.h"

namespace stele {

extern const Pass canonicalize;
extern const Pass fold_constants;
extern const Pass common_subexpressions;
extern const Pass dead_code;
extern const Pass fuse;

}  // namespace stele
