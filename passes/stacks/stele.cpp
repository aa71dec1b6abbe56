#include "passes/stacks/stele.h"

#include "passes/codegen/passes.h"
#include "passes/lower/passes.h"
#include "passes/optimize/passes.h"
#include "passes/represent/passes.h"

namespace stele {

// A line a pass, in order, as its file lands.
const Pipeline& stele_pipeline() {
  static const Pipeline pipeline = {
      {&infer_shapes, "everything after needs types"},
      {&canonicalize, "the graph the user knows, rid of what does nothing, while its names still stand"},
      {&decompose, "one small set of ops for all that follows"},
      {&canonicalize, "decompositions meet: reshapes, broadcasts and transposes cancel or flow to where they cost nothing"},
      {&fold_constants, "what shapes and weights alone decide is decided once, here"},
      {&common_subexpressions, "decompositions repeat themselves, and folding made constants equal"},
      {&dead_code, "fusion counts uses: what nobody reads must be gone"},
      {&fuse, "the last pass to see the whole graph: from here on a kernel is a kernel"},
      {&plan_memory, "kernels are what allocates: their order and sizes are settled"},
      {&lower_to_loops, "each kernel is known: say how it loops"},
      {&vectorize, "before threads: vectors need whole inner loops"},
      {&parallelize, "loops have their final shape"},
      {&emit_llvm, "loops are final"},
      {&optimize_llvm, "what vectors and hoisting left to do"},
      {&emit_assembly, "what runs"},
  };
  return pipeline;
}

}  // namespace stele
