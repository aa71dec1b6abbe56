// How much rounding a model's results may show.
#pragma once

#include "core/debug/compare.h"
#include "core/ops/op_def.h"
#include "core/pass/pass.h"

namespace stele {

// What a model's graph says of the rounding it does.
struct RoundingModel {
  double epsilon = 0;     // of the coarsest float type that values of the model have
  double chain = 0;       // the largest √Σ(1 + √n)² over a chain of ops that round, n terms each
  double longest = 1;     // the largest n of one op
  double own_error = 0;   // of the captured graph in its own types against float64, relative to the largest value
};

// From a module whose types are known; ops whose cost is not known count as one rounding.
RoundingModel rounding_model(const Module& module, const Binding& binding);

// Independent roundings of a sum of n terms grow as √n, and along a chain of ops they add up as their squares, relative to
// the largest value. Where the network amplifies rounding more than that, the captured graph's own error shows it: √n times
// that error is what summing in another order can make of it. The bound is the larger of the two.
//   4 ε √Σ(1 + √n)²   or   4 √n_max × own error
// `reassociations` passes since what is compared with widen it as their errors are independent: by √(1 + passes).
Tolerance rounding_tolerance(const RoundingModel& model, int reassociations, double extra_ulp = 0);

// What a pass's contract allows against the module before it.
Tolerance contract_tolerance(const Contract& contract, const RoundingModel& model);

}  // namespace stele
