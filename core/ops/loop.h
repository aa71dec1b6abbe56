// What the ops of the lower levels share.
#pragma once

#include <string_view>

#include "core/ops/op_def.h"

namespace stele {

// Whether loop.reduce knows the kind: the name of an associative stablehlo op, without its dialect.
bool is_lane_reduction(std::string_view kind);

// A lowered kernel moves what the op it was lowered from was predicted to move: lowering keeps that in attribute "cost".
Attribute cost_attribute(const Cost& cost);
// The cost kept there; without it, all operands read and all results written.
Cost lowered_cost(const Operation& op);

}  // namespace stele
