#include "app/gui/pictures.h"

#include <algorithm>
#include <exception>

namespace stele::app {
namespace {

// A step must answer within a tenth of a second, painting included: dot has this long for both sides together. What is
// made ahead may take its time, because a step interrupts it.
constexpr std::chrono::milliseconds wanted_time{45}, ahead_time{3000};

// Thrown, and caught by the worker's loop, where a layout made ahead gave way to a wanted one.
struct Interrupted {};

bool counts_as_op(const viz::Node& node) {
  return node.role != viz::Role::constant && node.role != viz::Role::argument && node.role != viz::Role::result;
}

}  // namespace

std::shared_ptr<const SnapshotPicture> make_picture(Snapshot snapshot, viz::ConstantStyle style,
                                                    viz::LayoutCache& layouts, const viz::LayoutOptions& options) {
  auto picture = std::make_shared<SnapshotPicture>();
  picture->graph = viz::constants_at_uses(snapshot.graph, style);
  picture->layout = layouts.get(picture->graph, options);
  picture->ir = std::move(snapshot.ir);
  for (std::size_t i = 0; i < picture->graph.nodes.size(); ++i) {
    picture->nodes_of[picture->graph.nodes[i].id].push_back(i);
    if (counts_as_op(picture->graph.nodes[i])) ++picture->op_count;
  }
  for (std::size_t i = 0; i < picture->ir.size(); ++i) {
    if (picture->ir[i].op != 0) picture->line_of.try_emplace(picture->ir[i].op, i);
  }
  return picture;
}

PictureWorker::PictureWorker(const Document& document, viz::ConstantStyle style)
    : source_(document.source),
      style_(style),
      snapshots_(document.passes.size()),
      done_(document.passes.size(), false) {
  for (const PassRow& row : document.passes) changed_.push_back(row.changed);
  thread_ = std::thread([this] { work(); });
}

PictureWorker::~PictureWorker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = hurry_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void PictureWorker::want(std::size_t pass) {
  const std::lock_guard lock(mutex_);
  wanted_ = pass;
  hurry_ = pass < done_.size() && !done_[pass];
}

std::vector<std::pair<std::size_t, PassPictureRef>> PictureWorker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ready_, {});
}

bool PictureWorker::idle() const {
  const std::lock_guard lock(mutex_);
  return done_count_ == done_.size() && ready_.empty();
}

// The nearest pass to the wanted one that is not made yet, later ones first: one steps forward more often than back.
std::size_t PictureWorker::next_pass() const {
  for (std::size_t distance = 0; distance < done_.size(); ++distance) {
    const std::size_t later = wanted_ + distance;
    if (later < done_.size() && !done_[later]) return later;
    if (distance <= wanted_ && wanted_ - distance < done_.size() && !done_[wanted_ - distance])
      return wanted_ - distance;
  }
  return done_.size();
}

void PictureWorker::work() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const std::size_t pass = next_pass();
    if (pass == done_.size()) {
      wake_.wait(lock);
      continue;
    }
    const bool wanted = pass == wanted_;
    hurry_ = false;
    lock.unlock();
    PassPictureRef picture;
    try {
      picture = make(pass, wanted);
    } catch (const Interrupted&) {
    }
    lock.lock();
    if (!picture) continue;
    done_[pass] = true;
    ++done_count_;
    ready_.emplace_back(pass, std::move(picture));
  }
}

std::shared_ptr<const SnapshotPicture> PictureWorker::snapshot(std::size_t pass, bool wanted, TimePoint until) {
  while (pass > 0 && !changed_[pass]) --pass;
  if (!snapshots_[pass]) {
    viz::LayoutOptions options;
    Snapshot read = source_->snapshot(pass);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    options.deadline = std::max(left, std::chrono::milliseconds(0));
    options.hurry = wanted ? nullptr : &hurry_;
    auto made = make_picture(std::move(read), style_, layouts_, options);
    if (made->layout->hurried) throw Interrupted{};
    snapshots_[pass] = std::move(made);
  }
  return snapshots_[pass];
}

PassPictureRef PictureWorker::make(std::size_t pass, bool wanted) {
  const auto start = std::chrono::steady_clock::now();
  const TimePoint until = start + (wanted ? wanted_time : ahead_time);
  auto picture = std::make_shared<PassPicture>();
  try {
    if (pass > 0) picture->before = snapshot(pass - 1, wanted, until);
    picture->after = snapshot(pass, wanted, until);
    const viz::Graph nothing;
    picture->diff = viz::diff(picture->before ? picture->before->graph : nothing, picture->after->graph);
    picture->rewrites = source_->rewrites(pass);
  } catch (const std::exception& error) {
    picture = std::make_shared<PassPicture>();
    picture->error = error.what();
  }
  picture->elapsed_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return picture;
}

}  // namespace stele::app
