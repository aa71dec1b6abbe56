// Threads that share the iterations of a loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace stele {

class ThreadPool {
 public:
  explicit ThreadPool(int threads = 0);  // 0: as many as the machine has; the caller is one of them
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;
  // Calls work(begin, end) on slices that make up [0, iterations), and returns when all are done. `work` may not throw.
  // One caller at a time. With one thread, or fewer than two iterations, it is one call: work(0, iterations).
  void run(int64_t iterations, const std::function<void(int64_t begin, int64_t end)>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stele
