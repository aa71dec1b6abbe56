#include "app/compile/runner.h"

#include "passes/codegen/jit.h"

namespace stele {

std::unique_ptr<KernelRunner> make_runner(int) { return std::make_unique<Jit>(); }

}  // namespace stele
