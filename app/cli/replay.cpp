#include "app/cli/replay.h"

#include <fstream>

#include "app/cli/comparison_json.h"
#include "app/compile/faults.h"
#include "app/compile/runner.h"
#include "core/debug/repro.h"
#include "passes/stacks/stele.h"

namespace stele::cli {

bool is_repro_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string line;
  return stream && std::getline(stream, line) && is_repro(line);
}

int replay_file(const std::string& path, const Context& context) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  const Repro repro = read_repro(text, path);
  const auto runner = make_runner(repro.options.threads);
  const Replay result = replay(repro, stele_pipeline(), all_faults(), runner.get());
  const bool broken = !result.after.ok();
  if (context.json) {
    Json json = {{"repro", path}, {"pass", repro.pass}, {"verdict", name(result.after.verdict)}, {"matches", !broken}};
    if (!repro.fault.empty()) json["inject"] = repro.fault, json["applied"] = result.fault_applied;
    json["before"] = comparison_json(result.before);
    json["after"] = comparison_json(result.after);
    json["rewrite"] = result.culprit ? Json({{"rule", result.culprit->rule}, {"number", result.culprit->number}}) : Json(nullptr);
    json["executions"] = result.executions;
    print_json(json);
  } else {
    fmt::print("before {}: {}\n", repro.pass, result.before.str());
    fmt::print("after {}{}: {}\n", repro.pass, repro.fault.empty() ? "" : " with " + repro.fault + " injected", result.after.str());
    if (result.culprit) fmt::print("rewrite {} (number {})\n", result.culprit->rule, result.culprit->number);
  }
  return broken ? mismatch : done;
}

}  // namespace stele::cli
