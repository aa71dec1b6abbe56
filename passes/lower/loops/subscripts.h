// Arithmetic on subscripts: what a movement op does to an index. A null entry of an index is counted by the next entry
// that is not null (see nest.h); these functions keep dims joined where they can.
#pragma once

#include <set>

#include "core/ir/ir.h"
#include "passes/lower/loops/nest.h"

namespace stele::loops {

bool is_joined(const Index& index, size_t axis);  // part of several dims with one subscript
bool any_joined(const Index& index);
// One subscript a dim, by divisions where dims were joined.
Index separated(Nest& nest, const Index& index, const Shape& shape);
// The subscripts of reshape's operand for those of its result.
Index reshaped_index(Nest& nest, const Shape& from, const Shape& to, const Index& index);
// Operand subscripts of a broadcast_in_dim.
Index broadcast_index(Nest& nest, const Operation& op, const Index& index);

// Whether dims axis and axis + 1 of the value can stay joined all the way to the values in `known`, arguments and
// constants: no division of subscripts comes of it.
bool can_join(const Value* value, size_t axis, const std::set<const Value*>& known);

}  // namespace stele::loops
