// The passes of the represent stage: one a file, by the same name.
#pragma once

#include "core/pass/pass.h"

namespace stele {

extern const Pass infer_shapes;
extern const Pass decompose;

}  // namespace stele
