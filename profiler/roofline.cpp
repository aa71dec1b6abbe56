#include "profiler/roofline.h"

#include <algorithm>
#include <chrono>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "core/runtime/cpu.h"
#include "core/runtime/thread_pool.h"

namespace stele {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t rounds = 400000;       // of the loop below: a few milliseconds
constexpr int chains = 12;               // of dependent multiply-adds: enough to cover their latency
constexpr int repeats = 5;
constexpr size_t triad_elements = 6u << 20;  // three arrays of 24 MiB

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Each returns the FLOPs it made; the sum is written so that nothing is left out.
#if defined(__x86_64__)
__attribute__((target("avx512f"))) double multiply_adds_512(float* sink) {
  __m512 sums[chains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(1.0f);
  const __m512 factor = _mm512_set1_ps(0.999f), term = _mm512_set1_ps(0.001f);
  for (int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < chains; ++c) sums[c] = _mm512_fmadd_ps(sums[c], factor, term);
  }
  for (const __m512& sum : sums) *sink += _mm512_cvtss_f32(sum);
  return 2.0 * 16 * chains * rounds;
}

__attribute__((target("avx2,fma"))) double multiply_adds_256(float* sink) {
  __m256 sums[chains];
  for (__m256& sum : sums) sum = _mm256_set1_ps(1.0f);
  const __m256 factor = _mm256_set1_ps(0.999f), term = _mm256_set1_ps(0.001f);
  for (int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < chains; ++c) sums[c] = _mm256_fmadd_ps(sums[c], factor, term);
  }
  for (const __m256& sum : sums) *sink += _mm256_cvtss_f32(sum);
  return 2.0 * 8 * chains * rounds;
}
#endif

double multiply_adds_plain(float* sink) {
  typedef float Four __attribute__((vector_size(16)));
  Four sums[chains];
  for (Four& sum : sums) sum = Four{1, 1, 1, 1};
  for (int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < chains; ++c) sums[c] = sums[c] * 0.999f + 0.001f;
  }
  for (const Four& sum : sums) *sink += sum[0];
  return 2.0 * 4 * chains * rounds;
}

double multiply_adds(float* sink) {
#if defined(__x86_64__)
  if (cpu_vector_bytes() == 64) return multiply_adds_512(sink);
  if (cpu_vector_bytes() == 32 && __builtin_cpu_supports("fma")) return multiply_adds_256(sink);
#endif
  return multiply_adds_plain(sink);
}

double measure_gflops(ThreadPool& pool) {
  const int threads = pool.threads();
  double best = 0;
  std::vector<float> sinks(static_cast<size_t>(threads) * 32);
  std::vector<double> flops(static_cast<size_t>(threads));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = Clock::now();
    pool.run(threads, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) flops[static_cast<size_t>(i)] = multiply_adds(&sinks[static_cast<size_t>(i) * 32]);
    });
    double sum = 0;
    for (double each : flops) sum += each;
    best = std::max(best, sum / seconds_since(start) * 1e-9);
  }
  return best;
}

double measure_gbs(ThreadPool& pool) {
  std::vector<float> a(triad_elements, 1), b(triad_elements, 2), c(triad_elements, 3);
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = Clock::now();
    pool.run(static_cast<int64_t>(triad_elements), [&](int64_t begin, int64_t end) {
      const float factor = 1.0f + static_cast<float>(repeat);
      for (int64_t i = begin; i < end; ++i) a[static_cast<size_t>(i)] = b[static_cast<size_t>(i)] + factor * c[static_cast<size_t>(i)];
    });
    best = std::max(best, 3.0 * sizeof(float) * triad_elements / seconds_since(start) * 1e-9);
  }
  return best;
}

}  // namespace

double Roofline::least_ms(double flops, double bytes) const {
  const double compute = gflops > 0 ? flops / (gflops * 1e6) : 0, memory = gbs > 0 ? bytes / (gbs * 1e6) : 0;
  return std::max(compute, memory);
}

Roofline measure_roofline(int threads) {
  ThreadPool pool(threads);
  return {pool.threads(), measure_gflops(pool), measure_gbs(pool)};
}

}  // namespace stele
