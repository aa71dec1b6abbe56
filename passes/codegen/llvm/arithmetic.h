// Elementwise ops as LLVM IR, on registers: floats of 16 bits are computed with as f32 and rounded after each op.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "core/ops/op_def.h"

namespace stele::codegen {

// An op or a type that loops can say and that has no code here: its kernel stays at the loop level.
class NoCode : public Error {
 public:
  using Error::Error;
};

llvm::Type* register_type(llvm::LLVMContext& context, DType dtype, int64_t lanes);  // lanes 1: a scalar
llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype, int64_t lanes);
int64_t lanes_of(const Type& type);

llvm::Value* from_memory(llvm::IRBuilder<>& b, DType dtype, llvm::Value* value);
llvm::Value* to_memory(llvm::IRBuilder<>& b, DType dtype, llvm::Value* value);
llvm::Constant* constant_of(llvm::LLVMContext& context, DType dtype, const Tensor& value);

// Throws Error naming the op where there is no code for it.
llvm::Value* emit_elementwise(llvm::IRBuilder<>& b, const Operation& op, const std::vector<llvm::Value*>& operands);
// One step of a reduction: kind is add, multiply, maximum, minimum, and, or.
llvm::Value* emit_combination(llvm::IRBuilder<>& b, std::string_view kind, DType dtype, llvm::Value* x, llvm::Value* y);
llvm::Value* emit_fma(llvm::IRBuilder<>& b, DType dtype, llvm::Value* x, llvm::Value* y, llvm::Value* z);

}  // namespace stele::codegen
