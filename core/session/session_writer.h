// Writes snapshots into a session on a thread of its own, so that keeping them hardly delays the compile.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "core/session/record.h"
#include "core/session/session.h"

namespace stele {

class SessionWriter {
 public:
  explicit SessionWriter(std::unique_ptr<Session> session);
  // Waits until everything given has been written; the session is left incomplete unless finish() was called.
  ~SessionWriter();
  SessionWriter(const SessionWriter&) = delete;
  SessionWriter& operator=(const SessionWriter&) = delete;

  // A snapshot to come: the module must not be changed any more. Where row.same_as >= 0 `module` may be null, and level and
  // score are those of the row before. `fill` is called on the writer's thread, so that the scoreboard is computed there too:
  // it fills the row's level and score.
  using Fill = std::function<OpShares(const Module& module, SnapshotRow& row)>;
  // `written` is called there too, when the snapshot is in the file, with the row as it was written.
  using Written = std::function<void(const SnapshotRow& row)>;
  void add(std::shared_ptr<const Module> module, SnapshotRow row, std::vector<RewriteRow> rewrites, Fill fill = nullptr,
           Written written = nullptr);

  // Waits for the rest and marks the session complete. Throws the first error that occurred while writing.
  void finish();
  Session& session() { return *session_; }
  // Time the thread has spent on its work, and what the compile waited for it in finish().
  double busy_ms() const;
  double waited_ms() const { return waited_ms_; }

 private:
  struct Job {
    std::shared_ptr<const Module> module;
    SnapshotRow row;
    std::vector<RewriteRow> rewrites;
    Fill fill;
    Written written;
  };
  void work();
  void write(Job& job);
  void drain();

  std::unique_ptr<Session> session_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  SnapshotRow last_;  // touched by the thread alone
  bool closed_ = false;
  std::exception_ptr error_;
  double busy_ms_ = 0;
  double waited_ms_ = 0;
  std::thread thread_;
};

}  // namespace stele
