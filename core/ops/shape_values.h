// What integer tensors hold, as far as it is known before the run: how exporters compute shapes.
#pragma once

#include <optional>

#include "core/ir/ir.h"

namespace stele {

// The elements of a small integer (or boolean) tensor, row-major, as dims: from constants, and through onnx.Shape, Size,
// Gather, Concat, Slice, Split, Unsqueeze, Squeeze, Reshape, Cast, Where, Equal, Range, ConstantOfShape and integer arithmetic; and
// whatever framework ops make of constants alone.
// nullopt where any element is not known, where there are more than 1,024, or where the chain is longer than 256 ops.
std::optional<Shape> known_dims(const Value* value);

}  // namespace stele
