// The stack Rosetta as data: five stacks by five stages, read from assets/rosetta.json.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace stele::viz {

constexpr std::size_t stage_count = 5;

struct RosettaStage {
  std::string id, title, question;
};

struct RosettaCell {
  std::string name;  ///< The component: "Dynamo → FX".
  std::string text;  ///< What it does, a sentence.
};

struct RosettaStack {
  std::string id, title;
  std::array<RosettaCell, stage_count> cells;
  std::string when, purpose, openness, shapes, spine, bet, niche, reason, cost;
};

struct RosettaGrid {
  std::array<RosettaStage, stage_count> stages;
  std::vector<RosettaStack> stacks;
};

/// Parses the JSON text. Throws std::runtime_error that names what is missing.
RosettaGrid parse_rosetta(const std::string& json);

/// Index of the stack with this id or title, or stacks.size().
std::size_t find_stack(const RosettaGrid& grid, const std::string& name);

}  // namespace stele::viz
