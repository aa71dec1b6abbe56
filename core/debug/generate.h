// Random valid graphs at the tensor level.
#pragma once

#include <memory>

#include "core/debug/inputs.h"

namespace stele {

struct GenerateOptions {
  uint64_t seed = 1;
  int ops = 12;
  bool symbolic = false;  // one dim is free: "n"
};

// Elementwise ops, broadcasts, transposes, reshapes, slices, concatenations, reductions and contractions over small f32
// tensors; values stay within a few powers of ten, so that no bound is beside the point. The same options give the same module.
std::unique_ptr<Module> generate(const GenerateOptions& options);

}  // namespace stele
