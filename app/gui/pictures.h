// Snapshots made ready to paint, on a worker thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "app/gui/document.h"
#include "viz/constants.h"
#include "viz/diff.h"
#include "viz/layout_cache.h"

namespace stele::app {

/// One snapshot: its graph as drawn (constants at their uses), where everything goes, its text.
struct SnapshotPicture {
  viz::Graph graph;
  std::shared_ptr<const viz::GraphLayout> layout;
  std::vector<IrLine> ir;
  std::unordered_map<viz::OpId, std::vector<std::size_t>> nodes_of;  ///< Op -> its boxes.
  std::unordered_map<viz::OpId, std::size_t> line_of;                ///< Op -> its first line of text.
  std::size_t op_count = 0;                                          ///< Without constants, arguments and results.
};

/// What a pass did: both sides and the difference. `before` is null for the first pass.
struct PassPicture {
  std::shared_ptr<const SnapshotPicture> before, after;
  viz::Diff diff;
  std::vector<RewriteRow> rewrites;
  double elapsed_ms = 0;  ///< Time to make it: reading, layout, difference.
  std::string error;      ///< Why there is no picture; empty otherwise.
};

using PassPictureRef = std::shared_ptr<const PassPicture>;

/// Makes the pictures of a document, the wanted pass first, then the others outward from it, so that a step finds its
/// picture ready.
class PictureWorker {
 public:
  PictureWorker(const Document& document, viz::ConstantStyle style);
  ~PictureWorker();
  PictureWorker(const PictureWorker&) = delete;
  PictureWorker& operator=(const PictureWorker&) = delete;

  void want(std::size_t pass);

  /// Pictures finished since the last call.
  std::vector<std::pair<std::size_t, PassPictureRef>> take();

  /// Whether all pictures are made.
  bool idle() const;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  void work();
  std::size_t next_pass() const;
  PassPictureRef make(std::size_t pass, bool wanted);
  std::shared_ptr<const SnapshotPicture> snapshot(std::size_t pass, bool wanted, TimePoint until);

  const std::shared_ptr<SnapshotSource> source_;
  const viz::ConstantStyle style_;
  std::vector<bool> changed_;
  std::vector<std::shared_ptr<const SnapshotPicture>> snapshots_;  // worker thread only
  viz::LayoutCache layouts_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::atomic<bool> hurry_ = false;
  std::size_t wanted_ = 0;
  std::vector<bool> done_;
  std::size_t done_count_ = 0;
  std::vector<std::pair<std::size_t, PassPictureRef>> ready_;
  std::thread thread_;
};

/// Makes a snapshot ready to paint.
std::shared_ptr<const SnapshotPicture> make_picture(Snapshot snapshot, viz::ConstantStyle style,
                                                    viz::LayoutCache& layouts, const viz::LayoutOptions& options);

}  // namespace stele::app
