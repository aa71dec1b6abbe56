// Modules of one op, and what a test holds the op's record to: its decomposition says what its own evaluator says.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ir/ir.h"

namespace stele::test {

struct SingleOp {
  std::string name;
  std::vector<Tensor> operands;  // not present(): left out
  Attributes attributes = {};
  unsigned results = 1;
  int64_t opset = 20;
  std::vector<std::string> free_dims = {};  // names for the first axes of operand 0: free instead of its sizes
  std::vector<unsigned> constants = {};  // operands that the model holds, as it holds weights and axes
};

// main(operands…) = op(operands…), types inferred.
std::unique_ptr<Module> single_op(const SingleOp& op);
// The module with every framework op of main replaced by its decomposition, constants too. Verified.
std::unique_ptr<Module> decomposed(const Module& module);

// Runs main by the op's own evaluator, and decomposed; both in the types as they are (within `ulps` units in the last place
// of the largest value of a result, integers equal) and in f64 (within `wide` of it: more than 1e-12 where the decomposition
// has constants that are rounded to f32). Returns the op's own results.
std::vector<Tensor> check_decomposition(const SingleOp& op, double ulps = 4, double wide = 1e-12);

// Normal values of a seed, times scale.
Tensor random_tensor(DType dtype, const std::vector<int64_t>& sizes, std::uint64_t seed, double scale = 1);

// Largest |a - b| over the largest finite |b|; infinity where sizes differ, or NaN and infinities stand elsewhere.
double relative_error(const Tensor& a, const Tensor& b);

}  // namespace stele::test
