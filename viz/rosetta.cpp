#include "viz/rosetta.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace stele::viz {
namespace {

using Json = nlohmann::json;

RosettaStack read_stack(const Json& json, const RosettaGrid& grid) {
  RosettaStack stack;
  json.at("id").get_to(stack.id);
  json.at("title").get_to(stack.title);
  for (std::size_t s = 0; s < stage_count; ++s) {
    const Json& cell = json.at("components").at(grid.stages[s].id);
    stack.cells[s] = {cell.at("name"), cell.at("text")};
  }
  json.at("when").get_to(stack.when);
  json.at("purpose").get_to(stack.purpose);
  json.at("openness").get_to(stack.openness);
  json.at("shapes").get_to(stack.shapes);
  json.at("spine").get_to(stack.spine);
  json.at("bet").get_to(stack.bet);
  json.at("niche").get_to(stack.niche);
  json.at("reason").get_to(stack.reason);
  json.at("cost").get_to(stack.cost);
  return stack;
}

}  // namespace

RosettaGrid parse_rosetta(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    RosettaGrid grid;
    for (std::size_t s = 0; s < stage_count; ++s) {
      const Json& stage = json.at("stages").at(s);
      grid.stages[s] = {stage.at("id"), stage.at("title"), stage.at("question")};
    }
    for (const Json& stack : json.at("stacks")) grid.stacks.push_back(read_stack(stack, grid));
    return grid;
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("rosetta.json: ") + error.what());
  }
}

std::size_t find_stack(const RosettaGrid& grid, const std::string& name) {
  const auto found = std::find_if(grid.stacks.begin(), grid.stacks.end(),
                                  [&](const RosettaStack& s) { return s.id == name || s.title == name; });
  return static_cast<std::size_t>(found - grid.stacks.begin());
}

}  // namespace stele::viz
