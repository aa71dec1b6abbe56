#include "profiler/bench.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace stele {

BenchRow bench(const std::string& name, const std::function<void()>& run, double flops, double bytes, const Roofline& roofline, double seconds) {
  constexpr size_t least_runs = 5, most_runs = 10000;
  using Clock = std::chrono::steady_clock;
  const auto ms_since = [](Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); };
  run();
  std::vector<double> times;
  const auto begin = Clock::now();
  while (times.size() < least_runs || (ms_since(begin) < 1000 * seconds && times.size() < most_runs)) {
    const auto start = Clock::now();
    run();
    times.push_back(ms_since(start));
  }
  std::sort(times.begin(), times.end());
  BenchRow row;
  row.name = name;
  row.runs = static_cast<int>(times.size());
  row.ms = times[times.size() / 2];
  row.least_ms = times.front();
  row.gflops = flops / (row.ms * 1e6);
  row.gbs = bytes / (row.ms * 1e6);
  row.roofline = roofline.least_ms(flops, bytes) / row.ms;
  return row;
}

}  // namespace stele
