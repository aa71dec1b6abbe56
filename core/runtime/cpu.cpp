#include "core/runtime/cpu.h"

#include <algorithm>
#include <thread>

namespace stele {

int cpu_vector_bytes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return 64;
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

int cpu_threads() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

}  // namespace stele
