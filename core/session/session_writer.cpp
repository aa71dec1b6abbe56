#include "core/session/session_writer.h"

#include <chrono>

namespace stele {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

}  // namespace

SessionWriter::SessionWriter(std::unique_ptr<Session> session) : session_(std::move(session)), thread_([this] { work(); }) {}

SessionWriter::~SessionWriter() { drain(); }

void SessionWriter::add(std::shared_ptr<const Module> module, SnapshotRow row, std::vector<RewriteRow> rewrites, Fill fill,
                        Written written) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(module), std::move(row), std::move(rewrites), std::move(fill), std::move(written)});
  }
  changed_.notify_one();
}

void SessionWriter::drain() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void SessionWriter::finish() {
  const auto start = Clock::now();
  drain();
  if (error_) std::rethrow_exception(error_);
  session_->finish();
  waited_ms_ = ms_since(start);
}

double SessionWriter::busy_ms() const {
  const std::lock_guard lock(mutex_);
  return busy_ms_;
}

void SessionWriter::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    if (error_) continue;  // a snapshot in the middle is missing: what follows would be misread
    lock.unlock();
    const auto start = Clock::now();
    std::exception_ptr error;
    try {
      write(job);
    } catch (...) {
      error = std::current_exception();
    }
    const double ms = ms_since(start);
    lock.lock();
    busy_ms_ += ms;
    error_ = error;
  }
}

void SessionWriter::write(Job& job) {
  if (job.row.same_as < 0) {
    OpShares shares;
    if (job.fill) shares = job.fill(*job.module, job.row);
    Session::NewSnapshot snapshot = record(*job.module, std::move(job.row), std::move(job.rewrites), shares);
    session_->add(snapshot);
    last_ = std::move(snapshot.row);
  } else {
    job.row.level = last_.level;
    job.row.score = last_.score;
    job.row.rewrites = static_cast<int>(job.rewrites.size());
    Session::NewSnapshot snapshot;
    snapshot.row = std::move(job.row);
    snapshot.rewrites = std::move(job.rewrites);
    session_->add(snapshot);
    last_ = std::move(snapshot.row);
  }
  if (job.written) job.written(last_);
}

}  // namespace stele
