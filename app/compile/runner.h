// What executes machine code on this machine.
#pragma once

#include <memory>

#include "core/eval/interpreter.h"

namespace stele {

// Null where this build has none.
std::unique_ptr<KernelRunner> make_runner(int threads);

}  // namespace stele
