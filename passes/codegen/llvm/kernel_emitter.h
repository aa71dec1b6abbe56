// One loop.kernel as an LLVM module with one function (the interface is in core/ops/machine.cpp).
#pragma once

#include <llvm/IR/Module.h>

#include <memory>

#include "core/ops/op_def.h"

namespace stele::codegen {

struct EmittedKernel {
  std::unique_ptr<llvm::Module> module;
  Shape dims;            // what the function is to be passed, in order
  Dim iterations = 1;    // of its parallel loop; 1 without one
};

// Throws Error naming the op that has no code.
EmittedKernel emit_kernel(llvm::LLVMContext& context, const Operation& kernel, const std::string& symbol);

// The loop that threads may share: the only parallel one of the kernel's own body, of a trip count known before the
// launch. Null where there is none.
const Operation* parallel_loop(const Operation& kernel, Dim* iterations = nullptr);

// A text that is equal for kernels that do the same: values by number, no ids, no names, no labels.
std::string canonical_text(const Operation& kernel);

}  // namespace stele::codegen
