#include "viz/layout_cache.h"

namespace stele::viz {

LayoutCache::Entry LayoutCache::find(std::uint64_t hash) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(hash);
  return found == entries_.end() ? nullptr : found->second;
}

LayoutCache::Entry LayoutCache::get(const Graph& graph, const LayoutOptions& options) {
  const std::uint64_t hash = layout_hash(graph);
  if (Entry entry = find(hash)) return entry;
  auto made = std::make_shared<const GraphLayout>(layout(graph, options));
  if (made->hurried) return made;
  const std::lock_guard lock(mutex_);
  return entries_.try_emplace(hash, std::move(made)).first->second;
}

}  // namespace stele::viz
