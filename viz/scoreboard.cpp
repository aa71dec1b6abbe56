#include "viz/scoreboard.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace stele::viz {
namespace {

std::optional<double> value_of(const Score& score, Metric metric) {
  switch (metric) {
    case Metric::kernels:
      return score.kernels;
    case Metric::hbm_bytes:
      return score.hbm_bytes;
    case Metric::peak_bytes:
      return score.peak_bytes;
    case Metric::flops:
      return score.flops;
  }
  return std::nullopt;
}

std::string three_digits(double value) {
  char text[32];
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  std::string result = text;
  if (decimals > 0) {
    result.erase(result.find_last_not_of('0') + 1);
    if (result.back() == '.') result.pop_back();
  }
  return result;
}

std::string with_prefix(double value, const char* unit) {
  constexpr std::array<const char*, 6> prefixes = {"", "k", "M", "G", "T", "P"};
  std::size_t step = 0;
  while (value >= 999.5 && step + 1 < prefixes.size()) {
    value /= 1000;
    ++step;
  }
  return three_digits(value) + " " + prefixes[step] + unit;
}

std::string percent(double ratio) {
  const double change = (ratio - 1) * 100;
  if (std::abs(change) < 0.05) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%s%.*f %%", change < 0 ? "−" : "+", std::abs(change) < 10 ? 1 : 0,
                std::abs(change));
  return text;
}

std::string factor(double first, double now) {
  if (!(first > 0 && now > 0) || std::abs(now / first - 1) < 0.005) return "";
  return now < first ? "÷ " + three_digits(first / now) : "× " + three_digits(now / first);
}

// The nearest earlier value, or the first one at all; NaN where there is none.
double earlier(const std::vector<Score>& scores, std::size_t at, Metric metric) {
  for (std::size_t i = std::min(at, scores.size()); i-- > 0;) {
    if (const auto value = value_of(scores[i], metric)) return *value;
  }
  return std::nan("");
}

double first(const std::vector<Score>& scores, Metric metric) {
  for (const Score& score : scores) {
    if (const auto value = value_of(score, metric)) return *value;
  }
  return std::nan("");
}

}  // namespace

std::string metric_title(Metric metric) {
  switch (metric) {
    case Metric::kernels:
      return "Kernels";
    case Metric::hbm_bytes:
      return "HBM traffic";
    case Metric::peak_bytes:
      return "Peak memory";
    case Metric::flops:
      return "Work";
  }
  return "";
}

std::string metric_text(Metric metric, double value) {
  switch (metric) {
    case Metric::kernels:
      return three_digits(value);
    case Metric::hbm_bytes:
    case Metric::peak_bytes:
      return with_prefix(value, "B");
    case Metric::flops:
      return with_prefix(value, "FLOP");
  }
  return "";
}

Series scoreboard_series(const std::vector<Score>& scores, Metric metric) {
  Series series;
  series.metric = metric;
  double largest = 0;
  for (const Score& score : scores) {
    series.values.push_back(value_of(score, metric));
    if (series.values.back()) largest = std::max(largest, *series.values.back());
  }
  for (const auto& value : series.values) {
    series.heights.push_back(!value        ? std::numeric_limits<float>::quiet_NaN()
                             : largest > 0 ? static_cast<float>(*value / largest)
                                           : 0.0F);
  }
  return series;
}

std::vector<Tile> scoreboard_tiles(const std::vector<Score>& scores, std::size_t at) {
  std::vector<Tile> tiles;
  for (const Metric metric : all_metrics) {
    Tile tile;
    tile.metric = metric;
    tile.title = metric_title(metric);
    const auto stated = at < scores.size() ? value_of(scores[at], metric) : std::nullopt;
    tile.value = stated ? metric_text(metric, *stated) : "–";
    const double value = stated ? *stated : std::nan(""), before = earlier(scores, at, metric);
    if (before > 0 && stated) {
      tile.step_ratio = value / before;
      tile.step = percent(tile.step_ratio);
    }
    tile.overall = factor(first(scores, metric), value);
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

}  // namespace stele::viz
