// One long piece of work beside the window, with progress and cancel.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace stele::app {

/// What a job says of itself while it runs, and how it is asked to stop. Shared by both threads.
class Progress {
 public:
  void report(double fraction, const std::string& text) {
    const std::lock_guard lock(mutex_);
    fraction_ = fraction;
    text_ = text;
  }
  double fraction() const {
    const std::lock_guard lock(mutex_);
    return fraction_;
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  std::atomic<bool> cancelled = false;

 private:
  mutable std::mutex mutex_;
  double fraction_ = 0;
  std::string text_;
};

/// Runs `work(progress)` on a thread of its own. The result is taken by polling, between frames.
template <typename Result>
class Job {
 public:
  struct Outcome {
    std::optional<Result> result;
    std::string error;  ///< Why there is no result.
  };

  template <typename Work>
  explicit Job(Work work) {
    thread_ = std::thread([this, work = std::move(work)] {
      try {
        outcome_.result = work(progress);
      } catch (const std::exception& error) {
        outcome_.error = error.what();
      }
      finished_ = true;
    });
  }
  /// Asks the work to stop, and waits for it.
  ~Job() {
    progress.cancelled = true;
    thread_.join();
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  bool finished() const { return finished_; }
  /// Requires finished().
  Outcome take() { return std::move(outcome_); }

  Progress progress;

 private:
  Outcome outcome_;
  std::atomic<bool> finished_ = false;
  std::thread thread_;
};

}  // namespace stele::app
