#include "app/cli/scoreboard_table.h"

#include <cmath>

#include "app/cli/table.h"
#include "viz/scoreboard.h"

namespace stele::cli {
namespace {

using viz::Metric;

std::string number(Metric metric, int64_t value) { return value < 0 ? "–" : viz::metric_text(metric, static_cast<double>(value)); }

// "−8" kernels, "−61 %" of bytes; empty where nothing changed or it is not known.
std::string delta(Metric metric, int64_t before, int64_t now) {
  if (before < 0 || now < 0 || before == now) return "";
  const char* sign = now < before ? "−" : "+";
  if (metric == Metric::kernels || before == 0) return sign + viz::metric_text(metric, std::abs(static_cast<double>(now - before)));
  const double percent = std::abs(static_cast<double>(now) / static_cast<double>(before) - 1) * 100;
  if (percent < 0.05) return fmt::format("{}<0.1 %", sign);
  return fmt::format("{}{:.{}f} %", sign, percent, percent < 10 ? 1 : 0);
}

void add_metric(std::vector<std::string>& cells, Metric metric, int64_t before, int64_t now) {
  cells.push_back(number(metric, now));
  cells.push_back(delta(metric, before, now));
}

std::vector<std::string> cells_of(const SnapshotRow& row, const Score& before) {
  std::vector<std::string> cells = {std::to_string(row.index), row.name, row.stage, row.level};
  cells.push_back(row.index == 0 ? "" : row.changed ? std::to_string(row.rewrites) : "no change");
  add_metric(cells, Metric::kernels, before.kernels, row.score.kernels);
  add_metric(cells, Metric::hbm_bytes, before.hbm_bytes, row.score.hbm_bytes);
  add_metric(cells, Metric::peak_bytes, before.peak_bytes, row.score.peak_bytes);
  cells.push_back(number(Metric::flops, row.score.flops));
  cells.push_back(row.index == 0 ? "" : fmt::format("{:.2f}", row.ms));
  return cells;
}

Json known(int64_t value) { return value < 0 ? Json(nullptr) : Json(value); }

}  // namespace

std::string scoreboard_table(const std::vector<SnapshotRow>& rows, bool colour) {
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  Table table({{"#", right}, {"pass", left}, {"stage", left}, {"level", left}, {"rewrites", right}, {"kernels", right}, {"Δ", right},
               {"HBM", right}, {"Δ", right}, {"peak", right}, {"Δ", right}, {"work", right}, {"ms", right}});
  Score before;
  for (const SnapshotRow& row : rows) {
    table.add(cells_of(row, before), !row.changed);
    before = row.score;
  }
  return table.str(colour);
}

std::string scoreboard_expressions(const std::vector<SnapshotRow>& rows, const std::string& binding) {
  std::string text, before;
  for (const SnapshotRow& row : rows) {
    const Score& score = row.score;
    if (!row.changed) continue;
    std::string line;
    const auto add = [&](const char* what, const std::string& expression) {
      if (!expression.empty()) line += fmt::format("{}{} {}", line.empty() ? "" : "; ", what, expression);
    };
    add("kernels", score.kernels_expression);
    add("HBM bytes", score.hbm_expression);
    add("peak bytes", score.peak_expression);
    add("FLOPs", score.flops_expression);
    if (!line.empty() && line != before) text += fmt::format("  {:>2}  {}: {}\n", row.index, row.name, line);
    before = line;
  }
  return text.empty() ? text : fmt::format("with free dims (numbers above: {}):\n{}", binding, text);
}

Json snapshot_json(const SnapshotRow& row) {
  Json json = {{"index", row.index}, {"name", row.name}, {"stage", row.stage}, {"level", row.level}, {"changed", row.changed}};
  json["kernels"] = known(row.score.kernels);
  json["hbm_bytes"] = known(row.score.hbm_bytes);
  json["peak_bytes"] = known(row.score.peak_bytes);
  json["weight_bytes"] = known(row.score.weight_bytes);
  json["flops"] = known(row.score.flops);
  json["ms"] = row.ms;
  json["contract"] = row.contract;
  json["rewrites"] = row.rewrites;
  if (row.same_as >= 0) json["same_as"] = row.same_as;
  const std::pair<const char*, const std::string*> expressions[] = {{"kernels_expression", &row.score.kernels_expression},
                                                                    {"hbm_expression", &row.score.hbm_expression},
                                                                    {"peak_expression", &row.score.peak_expression},
                                                                    {"flops_expression", &row.score.flops_expression}};
  for (const auto& [key, text] : expressions) {
    if (!text->empty()) json[key] = *text;
  }
  return json;
}

}  // namespace stele::cli
