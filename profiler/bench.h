// Time of a run, beside what the machine could do.
#pragma once

#include <functional>
#include <string>

#include "profiler/roofline.h"

namespace stele {

struct BenchRow {
  std::string name;
  int runs = 0;
  double ms = 0;        // median
  double least_ms = 0;  // the fastest run
  double gflops = 0;    // at the median
  double gbs = 0;       // bytes that the scoreboard predicts, at the median
  double roofline = 0;  // the roofline's time as a share of the median: 1 is the best that can be
};

// Runs once to warm up, then for about `seconds` or at least 5 times.
BenchRow bench(const std::string& name, const std::function<void()>& run, double flops, double bytes, const Roofline& roofline,
               double seconds = 0.5);

}  // namespace stele
