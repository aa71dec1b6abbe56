// The scoreboard: kernels, HBM bytes and peak memory of a module as it stands (design.md, "The scoreboard").
#pragma once

#include <map>

#include "core/ops/op_def.h"

namespace stele {

struct Scoreboard {
  Dim kernels, hbm_bytes, flops;
  Dim peak_bytes;    // arguments, results and temporaries at the worst moment; the arena where memory has been planned
  Dim weight_bytes;  // constants
  std::map<OpId, Cost> per_op;  // of the ops of main's body
};

// `binding` decides which moment is the worst where sizes are symbolic; everything else stays an expression.
Scoreboard score(const Module& module, const Binding& binding);

}  // namespace stele
