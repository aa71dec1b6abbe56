#include "app/gui/pane_link.h"

#include <cmath>
#include <limits>

namespace stele::app {
namespace {

// The box of an op on the other side that stands for the node, or null.
const viz::Rect* counterpart_box(const PassPicture& picture, Side from, const viz::Node& node,
                                 const SnapshotPicture& other) {
  const auto& links = from == Side::before ? picture.diff.successors : picture.diff.predecessors;
  const auto link = links.find(node.id);
  if (link == links.end()) return nullptr;
  for (const viz::OpId id : link->second) {
    const auto found = other.nodes_of.find(id);
    if (found != other.nodes_of.end()) return &other.layout->boxes[found->second.front()];
  }
  return nullptr;
}

}  // namespace

void align_panes(AppState& state) {
  if (!state.align_to) return;
  const Side from = *state.align_to, to = from == Side::before ? Side::after : Side::before;
  const PassPictureRef picture = current_picture(state);
  const SnapshotPicture* own = side_of(picture, from);
  const SnapshotPicture* other = side_of(picture, to);
  state.align_to.reset();
  if (!state.panes_linked || own == nullptr || other == nullptr) return;
  const Camera& camera = state.panes[static_cast<std::size_t>(from)].camera;
  Camera& follower = state.panes[static_cast<std::size_t>(to)].camera;
  float nearest = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < own->graph.nodes.size(); ++i) {
    if (own->graph.nodes[i].role == viz::Role::constant) continue;  // drawn in many places
    const viz::Point at = own->layout->boxes[i].centre();
    const float distance = std::hypot(at.x - camera.centre.x, at.y - camera.centre.y);
    if (distance >= nearest) continue;
    if (const viz::Rect* box = counterpart_box(*picture, from, own->graph.nodes[i], *other)) {
      nearest = distance;
      follower.centre = {box->centre().x + camera.centre.x - at.x, box->centre().y + camera.centre.y - at.y};
    }
  }
  follower.zoom = camera.zoom;
}

}  // namespace stele::app
