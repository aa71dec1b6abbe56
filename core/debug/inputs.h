// Inputs made from a seed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ir/ir.h"

namespace stele {

// A small generator of its own, so that a seed means the same numbers everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {}
  uint64_t bits();                        // SplitMix64
  double uniform();                       // [0, 1)
  double normal();
  int64_t below(int64_t bound);           // 0 … bound - 1; bound > 0

 private:
  uint64_t state_;
};

struct InputOptions {
  uint64_t seed = 1;
  double scale = 1;          // of floats: normally distributed with this deviation
  int64_t largest_int = 1;   // integers are 0 … largest_int: they are indices more often than not
  bool edge_values = false;  // also ±0, denormals, ±inf, NaN and the extreme integers
};

// One tensor an argument of the function, sizes under the binding. Throws Error where an argument is no tensor of a known type.
std::vector<Tensor> make_inputs(const Function& function, const Binding& binding, const InputOptions& options = {});

}  // namespace stele
