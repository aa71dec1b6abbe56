// What the files of faults share.
#pragma once

#include <vector>

#include "core/debug/faults.h"
#include "core/ops/op_def.h"

namespace stele {

// The ops with these ids that are still there, in order of execution.
std::vector<Operation*> ops_of(const Module& module, const std::vector<OpId>& ids);
// Ops of the functions' own bodies.
std::vector<Operation*> body_ops(const Module& module);

bool is_elementwise(const Operation& op);
// The first operand, where it has the type of the only result, so that it can stand for it; else null.
Value* stand_in(const Operation& op);

extern const Fault wrong_type_fault, swapped_operands_fault, dropped_broadcast_fault, wrong_reduction_axis_fault, wrong_cast_fault;
extern const Fault wrong_identity_fault, wrong_fold_fault, merge_unequal_fault, dead_code_removes_live_fault, stale_buffer_fault,
    early_yield_fault;
extern const Fault overlapping_live_ranges_fault, off_by_one_bound_fault, missing_remainder_fault, parallel_drops_iteration_fault;

}  // namespace stele
