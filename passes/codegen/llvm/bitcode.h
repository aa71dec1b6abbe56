// LLVM modules as blobs, and the machine they are compiled for.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/ir/blob.h"

namespace stele::codegen {

BlobRef write_bitcode(const llvm::Module& module);
// Throws Error where the bytes are not bitcode.
std::unique_ptr<llvm::Module> read_bitcode(const BlobRef& blob, llvm::LLVMContext& context);

// A target machine for the CPU this runs on, with what it has of vectors. Throws Unavailable where LLVM has none.
std::unique_ptr<llvm::TargetMachine> host_machine();
// Sets triple, layout and the functions' target attributes.
void target_host(llvm::Module& module, const llvm::TargetMachine& machine);

// Calls work(i) for 0 <= i < count on `threads` threads (0: as many as the machine has). The first exception is rethrown.
void in_parallel(size_t count, int threads, const std::function<void(size_t)>& work);

}  // namespace stele::codegen
