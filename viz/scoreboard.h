// The scoreboard over the passes: what the strip at the top and the command line's table show.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stele::viz {

/// The numbers of one snapshot; a metric that the session does not state is absent, not zero.
struct Score {
  std::optional<double> kernels, hbm_bytes, peak_bytes, flops;
};

enum class Metric { kernels, hbm_bytes, peak_bytes, flops };
constexpr std::array<Metric, 4> all_metrics = {Metric::kernels, Metric::hbm_bytes, Metric::peak_bytes, Metric::flops};

/// One metric over the passes, ready to draw: `heights` are shares of the largest value, NaN where absent.
struct Series {
  Metric metric = Metric::kernels;
  std::vector<std::optional<double>> values;
  std::vector<float> heights;
};

/// A tile of the scoreboard at one pass: "412 kernels", down 61 % from the first, changed by -8 in this pass.
struct Tile {
  Metric metric = Metric::kernels;
  std::string title;      ///< "HBM traffic"
  std::string value;      ///< "1.37 MB"; an en dash where absent.
  std::string step;       ///< Change against the pass before: "-12 %"; empty for none.
  std::string overall;    ///< Change against the first pass that states it: "÷ 3.4"; empty for none.
  double step_ratio = 1;  ///< value / value before: below 1 is better.
};

Series scoreboard_series(const std::vector<Score>& scores, Metric metric);
std::vector<Tile> scoreboard_tiles(const std::vector<Score>& scores, std::size_t at);

/// "Kernels", "HBM traffic", "Peak memory", "FLOPs".
std::string metric_title(Metric metric);

/// A value with its unit at three significant digits: "412", "1.37 MB", "28.3 GFLOP".
std::string metric_text(Metric metric, double value);

}  // namespace stele::viz
