#include <algorithm>
#include <cmath>

#include "viz/layered_model.h"

namespace stele::viz {
namespace {

using layered::Item;
using layered::Model;
using layered::none;

struct Band {
  float top = 0, bottom = 0;
};

// The space below a rank grows with how far its edges run sideways, so that they can be followed.
std::vector<Band> bands(const Model& model) {
  constexpr float least_gap = 26, most_extra = 70, extra_per_step = 0.05F;
  std::vector<Band> result;
  float y = 0;
  for (const auto& rank : model.ranks) {
    float height = 0, widest_step = 0;
    for (const std::size_t i : rank) {
      height = std::max(height, model.items[i].height);
      for (const std::size_t b : model.items[i].below)
        widest_step = std::max(widest_step, std::abs(model.items[b].x - model.items[i].x));
    }
    result.push_back({y, y + height});
    y += height + least_gap + std::min(most_extra, extra_per_step * widest_step);
  }
  return result;
}

void line_to(Spline& spline, Point to) {
  const Point from = spline.points.back();
  spline.points.push_back({from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3});
  spline.points.push_back({to.x - (to.x - from.x) / 3, to.y - (to.y - from.y) / 3});
  spline.points.push_back(to);
}

void curve_to(Spline& spline, Point to) {
  const Point from = spline.points.back();
  const float bend = (to.y - from.y) * 0.5F;
  spline.points.push_back({from.x, from.y + bend});
  spline.points.push_back({to.x, to.y - bend});
  spline.points.push_back(to);
}

// Where the edges of a node enter: spread over the middle of its top, in the order in which they come.
class Entries {
 public:
  Entries(const Graph& graph, const Model& model) : model_(model), incoming_(graph.nodes.size()) {
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      if (!model.paths[e].empty()) incoming_[graph.edges[e].to].push_back(e);
    }
    for (auto& edges : incoming_) {
      std::stable_sort(edges.begin(), edges.end(), [&](std::size_t a, std::size_t b) { return last_x(a) < last_x(b); });
    }
  }

  float x(std::size_t edge, std::size_t node) const {
    const auto& edges = incoming_[node];
    const auto place = static_cast<float>(std::find(edges.begin(), edges.end(), edge) - edges.begin());
    const Item& item = model_.items[node];
    const float usable = std::min(item.width * 0.6F, 26.0F * static_cast<float>(edges.size() - 1));
    return edges.size() < 2 ? item.x : item.x - usable / 2 + usable * place / static_cast<float>(edges.size() - 1);
  }

 private:
  float last_x(std::size_t edge) const { return model_.items[model_.paths[edge][model_.paths[edge].size() - 2]].x; }

  const Model& model_;
  std::vector<std::vector<std::size_t>> incoming_;
};

Spline follow(const std::vector<std::size_t>& path, const Model& model, const std::vector<Band>& band, float entry_x,
              float entry_y) {
  Spline spline;
  const Item& source = model.items[path.front()];
  const Band& first = band[source.rank];
  const float middle = (first.top + first.bottom) / 2;
  spline.points.push_back({source.x, middle + source.height / 2});
  if (first.bottom - spline.points.back().y > 1) line_to(spline, {source.x, first.bottom});
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    const Item& bend = model.items[path[i]];
    curve_to(spline, {bend.x, band[bend.rank].top});
    if (band[bend.rank].bottom > band[bend.rank].top) line_to(spline, {bend.x, band[bend.rank].bottom});
  }
  const float target_top = band[model.items[path.back()].rank].top;
  curve_to(spline, {entry_x, target_top});
  if (entry_y - target_top > 1) line_to(spline, {entry_x, entry_y});
  return spline;
}

// An edge against the ranks, or far too long to bend: one sweep at the side of both boxes.
Spline around(const Rect& from, const Rect& to) {
  const float out = std::max(from.max.x, to.max.x) + 60;
  Spline spline;
  spline.points = {
      {from.max.x, from.centre().y}, {out, from.centre().y}, {out, to.centre().y}, {to.max.x, to.centre().y}};
  return spline;
}

}  // namespace

GraphLayout layout_layered(const Graph& graph) {
  GraphLayout result;
  if (graph.nodes.empty()) return result;
  Model model = layered::make_model(graph, layered::assign_ranks(graph));
  layered::order_ranks(model);
  layered::place(model);

  const std::vector<Band> band = bands(model);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Item& item = model.items[i];
    const float y = (band[item.rank].top + band[item.rank].bottom) / 2;
    result.boxes.push_back(
        {{item.x - item.width / 2, y - item.height / 2}, {item.x + item.width / 2, y + item.height / 2}});
  }
  const Entries entries(graph, model);
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const Edge& edge = graph.edges[e];
    const auto& path = model.paths[e];
    result.splines.push_back(path.empty()
                                 ? around(result.boxes[edge.from], result.boxes[edge.to])
                                 : follow(path, model, band, entries.x(e, edge.to), result.boxes[edge.to].min.y));
  }
  update_bounds(result);
  return result;
}

}  // namespace stele::viz
