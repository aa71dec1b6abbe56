// Runs loop.kernel ops: the reference semantics of the loop level. A kernel's region is compiled once into a flat program
// over numbered registers, so that tens of millions of iterations take a second or so.
#pragma once

#include <vector>

#include "core/ops/op_def.h"

namespace stele {

// `results` have the right sizes, zeroed, and are written. Every access is checked: Error names kernel, buffer and
// subscript. With `count` the distinct bytes read and written outside the kernel go to context.count_bytes.
void run_loop_kernel(const Operation& kernel, const std::vector<Tensor>& operands, std::vector<Tensor>& results,
                     EvalContext& context, bool count);

}  // namespace stele
