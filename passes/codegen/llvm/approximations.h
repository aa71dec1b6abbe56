// exp, log, tanh, erf of f32, scalar or vector, as polynomials in LLVM IR: no call, so that a loop of them stays vectors.
// Within 2 units in the last place over the whole range, denormal results included; NaN and infinities as IEEE has them.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace stele::codegen {

llvm::Value* emit_exp(llvm::IRBuilder<>& b, llvm::Value* x);
llvm::Value* emit_log(llvm::IRBuilder<>& b, llvm::Value* x);
llvm::Value* emit_tanh(llvm::IRBuilder<>& b, llvm::Value* x);
llvm::Value* emit_erf(llvm::IRBuilder<>& b, llvm::Value* x);
llvm::Value* emit_logistic(llvm::IRBuilder<>& b, llvm::Value* x);

}  // namespace stele::codegen
