#include "viz/rosetta.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/support/paths.h"

using namespace stele::viz;

TEST_CASE("the facts in assets fill five stacks by five stages", "[viz][rosetta]") {
  std::ifstream file(stele::test::source_dir() / "assets/rosetta.json");
  std::stringstream text;
  text << file.rdbuf();
  const RosettaGrid grid = parse_rosetta(text.str());
  REQUIRE(grid.stacks.size() == 5);
  CHECK(grid.stages[2].id == "optimize");
  for (const RosettaStack& stack : grid.stacks) {
    for (const RosettaCell& cell : stack.cells) {
      CHECK_FALSE(cell.name.empty());
      CHECK_FALSE(cell.text.empty());
    }
    for (const std::string* fact : {&stack.when, &stack.purpose, &stack.openness, &stack.shapes, &stack.spine,
                                    &stack.bet, &stack.niche, &stack.reason, &stack.cost}) {
      CHECK_FALSE(fact->empty());
    }
  }
  CHECK(find_stack(grid, "xla") == 1);
  CHECK(find_stack(grid, "TensorRT") == 4);
  CHECK(find_stack(grid, "gcc") == 5);
}

TEST_CASE("a grid with a hole is refused by name", "[viz][rosetta]") {
  CHECK_THROWS_WITH(parse_rosetta("{}"), Catch::Contains("rosetta.json") && Catch::Contains("stages"));
  CHECK_THROWS_WITH(parse_rosetta("not json"), Catch::Contains("rosetta.json"));
}
