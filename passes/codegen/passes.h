// The passes of the codegen stage: one a file, by the same name.
#pragma once

#include "core/pass/pass.h"

namespace stele {

extern const Pass emit_llvm;
extern const Pass optimize_llvm;
extern const Pass emit_assembly;

}  // namespace stele
