// What this machine can do at best, measured: the two lines of the roofline.
#pragma once

#include "core/ops/op_def.h"

namespace stele {

struct Roofline {
  int threads = 1;
  double gflops = 0;  // f32 multiply-adds in registers, two FLOPs each
  double gbs = 0;     // to and from memory, 10^9 bytes a second: a triad over arrays larger than the caches
  // The least time for so much work: whichever of the two takes longer.
  double least_ms(double flops, double bytes) const;
};

// Takes about a tenth of a second. threads 0: as many as the machine has.
Roofline measure_roofline(int threads = 0);

}  // namespace stele
