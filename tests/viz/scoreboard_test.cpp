#include "viz/scoreboard.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace stele::viz;

TEST_CASE("a series gives shares of the largest value and says where there is none", "[viz][scoreboard]") {
  const std::vector<Score> scores = {{}, {412, 2e6, {}, {}}, {103, 1e6, {}, {}}};
  const Series kernels = scoreboard_series(scores, Metric::kernels);
  REQUIRE(kernels.heights.size() == 3);
  CHECK(std::isnan(kernels.heights[0]));
  CHECK(kernels.heights[1] == 1.0F);
  CHECK(kernels.heights[2] == 0.25F);
  CHECK(std::isnan(scoreboard_series(scores, Metric::peak_bytes).heights[1]));
}

TEST_CASE("tiles show the value, the step and the whole way", "[viz][scoreboard]") {
  const std::vector<Score> scores = {{412, 2e6, {}, {}}, {412, 1.5e6, {}, {}}, {103, 1e6, {}, {}}};
  const auto tiles = scoreboard_tiles(scores, 2);
  REQUIRE(tiles.size() == 4);
  CHECK(tiles[0].value == "103");
  CHECK(tiles[0].step == "−75 %");
  CHECK(tiles[0].overall == "÷ 4");
  CHECK(tiles[1].value == "1 MB");
  CHECK(tiles[1].overall == "÷ 2");
  CHECK(tiles[2].value == "–");
  CHECK(scoreboard_tiles(scores, 1)[0].step.empty());
  CHECK(scoreboard_tiles(scores, 0)[0].overall.empty());
}

TEST_CASE("values are written with a unit and three digits", "[viz][scoreboard]") {
  CHECK(metric_text(Metric::kernels, 412) == "412");
  CHECK(metric_text(Metric::hbm_bytes, 512) == "512 B");
  CHECK(metric_text(Metric::hbm_bytes, 1367000) == "1.37 MB");
  CHECK(metric_text(Metric::flops, 28.34e9) == "28.3 GFLOP");
}
