// What the records of ops share: reading attributes, reporting a broken constraint, default costs, bulk element access.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/ops/op_def.h"

namespace stele {

using Ints = std::vector<int64_t>;

// "add" of "stablehlo.add": what constraint labels begin with.
std::string short_name(const Operation& op);

// Throws "<op>: <short name>_<constraint>: <message>", e.g. violated(op, "c1", "operand has …, expected …").
template <typename... Args>
[[noreturn]] void violated(const Operation& op, std::string_view constraint, fmt::format_string<Args...> format, Args&&... args) {
  fail("{}: {}_{}: {}", op.describe(), short_name(op), constraint, fmt::format(format, std::forward<Args>(args)...));
}

std::string str(const Shape& shape);  // "[2, batch]"
std::string str(const Ints& values);

// An attribute that is Ints, or a Shape where its values may be symbolic.
Shape dims_attribute(const Operation& op, std::string_view name);
Shape dims_attribute_or(const Operation& op, std::string_view name, Shape otherwise);
Ints ints_attribute_or(const Operation& op, std::string_view name, Ints otherwise);
// Whether two dims may be the same size: equal, or one of them a size that only the run will tell (a symbol '?…').
bool may_equal(const Dim& a, const Dim& b);
bool may_equal(const Shape& a, const Shape& b);
bool is_unknown_size(const Dim& dim);

// Every axis in [0, rank), none twice; throws the constraint otherwise.
void verify_axes(const Operation& op, std::string_view constraint, const Ints& axes, int rank);
// Result i has the type that infer gives: dtype and shape.
void verify_inferred(const Operation& op, std::string_view constraint);
std::vector<Type> declared_result_types(const Operation& op);  // for ops whose result type is part of what they say

// ---- cost -----------------------------------------------------------------------------------------------------------

bool in_memory(const Type& type);            // a tensor or a buffer; scalars and vectors are in registers
Dim distinct_operand_bytes(const Operation& op);
Dim result_bytes(const Operation& op);
// One launch that reads its distinct operands once and writes its results, with that many FLOPs. Nothing but FLOPs for an
// op on registers.
Cost one_kernel(const Operation& op, Dim flops);
Cost cost_elementwise(const Operation& op);  // a FLOP an element of the result
Cost cost_movement(const Operation& op);     // no FLOPs
Cost cost_free(const Operation& op);         // nothing: views, constants, terminators
Cost cost_touching(const Operation& op);     // reads as much of operand 0 as the result has, and the other operands

inline Aspect<GradientFunction> no_gradient(std::string_view reason) { return Aspect<GradientFunction>::absent(reason); }
inline Aspect<DecomposeFunction> primitive() { return Aspect<DecomposeFunction>::absent("primitive"); }

// ---- elements in bulk -----------------------------------------------------------------------------------------------

// Elements [begin, begin + count) as doubles or as int64 (u64 keeps its bits), and back with one rounding (or a wrap).
void read(const Tensor& tensor, int64_t begin, int64_t count, double* to);
void read(const Tensor& tensor, int64_t begin, int64_t count, int64_t* to);
void write(Tensor& tensor, int64_t begin, int64_t count, const double* from);
void write(Tensor& tensor, int64_t begin, int64_t count, const int64_t* from);
std::vector<double> doubles(const Tensor& tensor);
std::vector<int64_t> ints(const Tensor& tensor);
Tensor tensor_of(DType dtype, Ints sizes, const std::vector<double>& values);
Tensor tensor_of(DType dtype, Ints sizes, const std::vector<int64_t>& values);
// A tensor with elements of its own. Evaluators change nothing else in place: an operand may lie in an arena.
Tensor own_copy(const Tensor& tensor);

}  // namespace stele
