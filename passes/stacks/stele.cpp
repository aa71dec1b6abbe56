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
      {&decompose, "one small set of ops for all that follows"},
  };
  return pipeline;
}

}  // namespace stele
