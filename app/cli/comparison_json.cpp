#include "app/cli/comparison_json.h"

#include <cmath>

namespace stele::cli {
namespace {

// JSON has no NaN and no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(value_text(value)); }

}  // namespace

Json comparison_json(const Comparison& comparison) {
  Json json = {{"verdict", name(comparison.verdict)}, {"output", comparison.output}};
  if (!comparison.note.empty()) json["note"] = comparison.note;
  if (comparison.verdict != Verdict::equal && comparison.note.empty()) {
    json["element"] = comparison.element;
    json["got"] = number(comparison.got);
    json["expected"] = number(comparison.expected);
  }
  json["error"] = number(comparison.error);
  json["scale"] = number(comparison.scale);
  json["different"] = comparison.different;
  json["wrong"] = comparison.beyond;
  json["bound"] = {{"exact", comparison.tolerance.exact}, {"relative", comparison.tolerance.relative}, {"derivation", comparison.tolerance.derivation}};
  return json;
}

}  // namespace stele::cli
