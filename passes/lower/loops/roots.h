// Loop nests that compute whole results of a kernel into their buffers.
#pragma once

#include "passes/lower/loops/elements.h"

namespace stele::loops {

struct Root {
  const Value* value;
  Value* buffer;
};

// Every root element by element. Roots share the loops over the dims they have in common, from the outside.
void emit_roots(Elements& elements, const std::vector<Root>& roots);

// Whether emit_contraction suits: the roots have the contraction's shape and use its elements where they stand.
bool is_epilogue(const Operation& contraction, const std::vector<Root>& roots);
// A dot_general or convolution and what is computed from its elements, several rows of the result at a time. `is_dear`: that
// holds functions whose code is long.
void emit_contraction(Elements& elements, const Operation& contraction, const std::vector<Root>& roots, bool is_dear);

}  // namespace stele::loops
