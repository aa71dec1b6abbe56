#include "profiler/bench.h"

#include <catch2/catch.hpp>
#include <thread>

using namespace stele;

TEST_CASE("roofline: the longer of compute and memory", "[roofline]") {
  const Roofline roofline{1, 100, 10};  // 100 GFLOP/s, 10 GB/s
  CHECK(roofline.least_ms(1e9, 0) == Approx(10));
  CHECK(roofline.least_ms(1e9, 1e9) == Approx(100));
  CHECK(roofline.least_ms(0, 0) == 0);
}

TEST_CASE("roofline: this machine does something", "[roofline]") {
  const Roofline roofline = measure_roofline(1);
  CHECK(roofline.threads == 1);
  CHECK(roofline.gflops > 0.5);
  CHECK(roofline.gbs > 0.1);
}

TEST_CASE("bench: median, rates and the roofline's share", "[bench]") {
  const Roofline roofline{1, 1, 1};
  int calls = 0;
  const BenchRow row = bench("sleep", [&] {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
  }, 1e6, 2e6, roofline, 0.02);
  CHECK(row.name == "sleep");
  CHECK(row.runs + 1 == calls);
  CHECK(row.runs >= 5);
  CHECK(row.ms >= 4);
  CHECK(row.least_ms <= row.ms);
  CHECK(row.gflops == Approx(1 / row.ms));
  CHECK(row.roofline == Approx(2 / row.ms));  // 2e6 bytes at 1 GB/s are 2 ms
}
