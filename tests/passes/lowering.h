// What a test of lowering says in one line: a module of tensor ops, taken through every pass down to machine code and
// run after each of them, and after prefixes of each pass's rewrites.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/ir/ir.h"

namespace stele::test {

struct LoweringCheck {
  Binding binding = {};
  uint64_t seed = 1;
  bool exact_loops = false;  // loops give the tensor level's bits
  bool traffic = false;      // the bytes that loops move are those that the scoreboard predicts
  double tolerance = 1e-5;   // of the largest element of each result; 0: equal bits
  bool all_lowered = true;   // only views and constants stay above the machine level
  std::vector<Tensor> inputs = {};  // drawn from the seed where there are none
};

void check_lowering(std::string_view text, const LoweringCheck& check = {});
void check_lowering(std::unique_ptr<Module> module, const LoweringCheck& check = {});
// The same after the fuse pass.
void check_fused_lowering(std::unique_ptr<Module> module, const LoweringCheck& check = {});

}  // namespace stele::test
