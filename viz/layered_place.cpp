#include <algorithm>

#include "viz/layered_model.h"

namespace stele::viz::layered {
namespace {

constexpr float gap = 18;

// How hard a link pulls: long edges want to be straight, constants follow.
float pull(const Item& a, const Item& b) {
  if (a.leaf || b.leaf) return 0.02F;
  if (a.node == none && b.node == none) return 8;
  return a.node == none || b.node == none ? 0.5F : 4.0F;
}

struct Wish {
  float x = 0, weight = 0;
};

Wish wish_of(const Model& model, const Item& item, bool above, bool below) {
  Wish wish;
  const auto add = [&](const std::vector<std::size_t>& neighbours) {
    for (const std::size_t n : neighbours) {
      const float weight = pull(item, model.items[n]);
      wish.x += weight * model.items[n].x;
      wish.weight += weight;
    }
  };
  if (above) add(item.above);
  if (below) add(item.below);
  if (wish.weight == 0) return {item.x, 0.01F};
  return {wish.x / wish.weight, wish.weight};
}

// Minimises sum of weight * (x - wish)^2 under the order and the distances: pool adjacent violators.
void settle(Model& model, const std::vector<std::size_t>& rank, bool above, bool below) {
  struct Block {
    float x, weight;
    std::size_t count;
  };
  std::vector<Block> blocks;
  std::vector<float> offset(rank.size(), 0);
  for (std::size_t i = 0; i < rank.size(); ++i) {
    const Item& item = model.items[rank[i]];
    if (i > 0) offset[i] = offset[i - 1] + (model.items[rank[i - 1]].width + item.width) / 2 + gap;
    const Wish wish = wish_of(model, item, above, below);
    blocks.push_back({wish.x - offset[i], wish.weight, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].x > blocks.back().x) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& merged = blocks.back();
      merged.x = (merged.x * merged.weight + last.x * last.weight) / (merged.weight + last.weight);
      merged.weight += last.weight;
      merged.count += last.count;
    }
  }
  std::size_t i = 0;
  for (const Block& block : blocks) {
    for (std::size_t k = 0; k < block.count; ++k, ++i) model.items[rank[i]].x = block.x + offset[i];
  }
}

void spread(Model& model) {
  for (const auto& rank : model.ranks) {
    float x = 0;
    for (const std::size_t i : rank) {
      model.items[i].x = x + model.items[i].width / 2;
      x += model.items[i].width + gap;
    }
    for (const std::size_t i : rank) model.items[i].x -= x / 2;
  }
}

}  // namespace

void place(Model& model) {
  // One direction at a time: an op goes exactly under what it reads, so that chains are straight; the other way spreads
  // what a fork feeds. The last sweeps go down, the way one reads.
  constexpr int rounds = 4;
  spread(model);
  const auto down = [&] {
    for (std::size_t r = 1; r < model.ranks.size(); ++r) settle(model, model.ranks[r], true, false);
  };
  for (int round = 0; round < rounds; ++round) {
    down();
    for (std::size_t r = model.ranks.size() - 1; r-- > 0;) settle(model, model.ranks[r], false, true);
  }
  down();
}

}  // namespace stele::viz::layered
