// Kernels below the loop level, run in this process: bitcode and objects through LLVM's ORC JIT.
#pragma once

#include <memory>

#include "core/eval/interpreter.h"

namespace stele {

// The C interface of llvm.kernel and machine.kernel (core/ops/machine.cpp).
using KernelFunction = void (*)(std::byte* const* buffers, const int64_t* dims, int64_t begin, int64_t end);

// Loads kernels, each blob once, and runs them for the interpreter. Safe to share between threads.
class Jit : public KernelRunner {
 public:
  Jit();
  ~Jit() override;
  // The machine code of an llvm.kernel or machine.kernel, compiled or linked on first use. It lives as long as this.
  KernelFunction function(const Operation& op);
  void run(const Module& module, const Operation& op, const std::vector<Tensor>& operands, std::vector<Tensor>& results,
           const Binding& binding) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A fault for the tester: the operands of the first fsub or fdiv of the code swapped, or, where there is none, its first
// fadd made an fsub. Null where the code has none of these.
BlobRef swap_operands_in_bitcode(const BlobRef& bitcode);
// Bitcode as LLVM's text.
std::string llvm_text(const BlobRef& bitcode);

}  // namespace stele
