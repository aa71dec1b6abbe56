// What the records of the onnx.* families share: absent operands, axes, opset differences, NumPy's broadcasting.
// Evaluators here derive sizes and dtypes from the operands alone: a module as captured may have no result types yet.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/ops/op_def.h"
#include "core/ops/rules.h"

namespace stele::onnx_op {

// Operand i, or null where it is absent (left out, or of type none).
Value* operand(const Operation& op, unsigned i);
inline bool given(const std::vector<Tensor>& operands, size_t i) { return i < operands.size() && operands[i].present(); }

// Whether every operand that is there has a tensor type. Where not, infer answers unknown_results.
bool types_known(const Operation& op);
std::vector<Type> unknown_results(const Operation& op);

// An axis that counts from the end where negative, as one in [0, rank); breaks `constraint` where it is outside.
int64_t axis_in(const Operation& op, std::string_view constraint, int64_t axis, int64_t rank);
Ints axes_in(const Operation& op, std::string_view constraint, const Ints& axes, int64_t rank);

// Integers that older opsets give as an attribute and newer ones as an operand.
// From the types: nullopt where they are given but not known before the run; `otherwise` where they are not given.
std::optional<Ints> static_ints(const Operation& op, unsigned i, std::string_view attribute, Ints otherwise);
// At run time.
Ints run_ints(const Operation& op, const std::vector<Tensor>& operands, unsigned i, std::string_view attribute, Ints otherwise);

// NumPy's broadcasting of several shapes. A dim is equal to the others or 1; throws the constraint where that is not known.
Shape broadcast(const Operation& op, std::string_view constraint, const std::vector<Shape>& shapes);
Ints broadcast(const Operation& op, std::string_view constraint, const std::vector<Ints>& sizes);

// For each element of `sizes` in order: start + the sum of subscript * step over the axes. What a transpose, a slice and a
// broadcast read.
std::vector<int64_t> affine_index(const Ints& sizes, const Ints& steps, int64_t start = 0);
// For each element of `to` in order the element of `from` that it is broadcast from.
std::vector<int64_t> broadcast_source(const Ints& from, const Ints& to);

// An operand's elements under NumPy's rules, as doubles or integers.
std::vector<double> broadcast_doubles(const Tensor& tensor, const Ints& to);
std::vector<int64_t> broadcast_ints(const Tensor& tensor, const Ints& to);

// Elements of `from` at `index`, whatever the dtype: bytes are copied, so NaN payloads stay.
Tensor pick(const Tensor& from, Ints sizes, const std::vector<int64_t>& index);

// "decompose first": gradients are taken at the tensor level.
inline Aspect<GradientFunction> gradient_of_decomposition() { return Aspect<GradientFunction>::absent("decompose first"); }

// Cost functions that say one launch and nothing else while types are unknown.
Cost cost_elementwise(const Operation& op);
Cost cost_movement(const Operation& op);
Cost cost_touching(const Operation& op);
Cost cost_view(const Operation& op);

// The dtype rules of a verifier: operands i and j agree where both are known.
void verify_same_dtype(const Operation& op, std::string_view constraint, unsigned i, unsigned j);

}  // namespace stele::onnx_op
