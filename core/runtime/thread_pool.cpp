#include "core/runtime/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "core/runtime/cpu.h"

namespace stele {

struct ThreadPool::State {
  // Slices a thread takes, so that a thread that comes late does not hold up the others.
  static constexpr int64_t slices_a_thread = 4;
  static constexpr int spins = 2000;  // looks for work, before a thread sleeps: launches follow each other closely

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<uint64_t> generation = 0;
  std::atomic<bool> stop = false;
  const std::function<void(int64_t, int64_t)>* work = nullptr;
  int64_t iterations = 0, slices = 0;
  std::atomic<int64_t> next = 0;
  std::atomic<int> busy = 0;

  void take_slices() {
    for (int64_t slice = next++; slice < slices; slice = next++) {
      (*work)(iterations * slice / slices, iterations * (slice + 1) / slices);
    }
  }

  void serve() {
    uint64_t seen = 0;
    while (true) {
      for (int spin = 0; spin < spins && generation.load(std::memory_order_acquire) == seen && !stop; ++spin) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
      }
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return stop || generation.load() != seen; });
        if (stop) return;
        seen = generation.load();
      }
      take_slices();
      busy.fetch_sub(1, std::memory_order_acq_rel);
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  const int count = threads > 0 ? threads : cpu_threads();
  for (int i = 1; i < count; ++i) state_->workers.emplace_back([this] { state_->serve(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

int ThreadPool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::run(int64_t iterations, const std::function<void(int64_t, int64_t)>& work) {
  State& state = *state_;
  if (state.workers.empty() || iterations < 2) return work(0, iterations);
  {
    const std::lock_guard lock(state.mutex);
    state.work = &work;
    state.iterations = iterations;
    state.slices = std::min(iterations, State::slices_a_thread * threads());
    state.next = 0;
    state.busy = static_cast<int>(state.workers.size());
    ++state.generation;
  }
  state.wake.notify_all();
  state.take_slices();
  // Every worker has to have seen this launch before the next may overwrite it.
  while (state.busy.load(std::memory_order_acquire) > 0) std::this_thread::yield();
}

}  // namespace stele
