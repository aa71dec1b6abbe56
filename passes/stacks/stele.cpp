#include "passes/stacks/stele.h"

#include "passes/codegen/passes.h"
#include "passes/lower/passes.h"
#include "passes/optimize/passes.h"
#include "passes/represent/passes.h"

namespace stele {

// A line a pass, in order, as its file lands.
const Pipeline& stele_pipeline() {
  static const Pipeline pipeline = {};
  return pipeline;
}

}  // namespace stele
