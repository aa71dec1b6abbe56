// One working instance of every op of the tensor and kernel levels, over a symbolic dim n: what the registry's tests run on.
#pragma once

#include <map>
#include <string>

#include "tests/support/ops.h"

namespace stele::test {

struct Sample {
  std::vector<Type> types;  // of main's arguments; dim "n" is symbolic
  Body body;                // makes the op under test, last
};

// By name of the op. Elementwise ops are made from their arity; the others stand in a table.
std::map<std::string, Sample> op_samples();
// Inputs in (0.2, 0.8), different for each element and seed; integers small and positive.
std::vector<Tensor> sample_inputs(const Module& module, const Binding& binding, int seed = 1);

}  // namespace stele::test
