// Layouts already made, by the hash of their graph.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "viz/layout.h"

namespace stele::viz {

/// Thread-safe. Keeps every layout of a session: a few hundred kilobytes for a thousand ops.
class LayoutCache {
 public:
  using Entry = std::shared_ptr<const GraphLayout>;

  /// The layout of this graph, made now if need be (outside the lock). A hurried one is not kept.
  Entry get(const Graph& graph, const LayoutOptions& options);

  /// The layout if it is there already; null otherwise.
  Entry find(std::uint64_t hash) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Entry> entries_;
};

}  // namespace stele::viz
