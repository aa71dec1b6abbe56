// onnx.Slice: the functions of its record, in a file of their own for the clamping rules they need.
#pragma once

#include "core/ops/op_def.h"

namespace stele::onnx_op {

std::vector<Type> infer_slice(const Operation& op);
std::vector<Tensor> evaluate_slice(const Operation& op, const std::vector<Tensor>& operands, EvalContext& context);
std::vector<Value*> decompose_slice(const Operation& op, Builder& builder);

}  // namespace stele::onnx_op
