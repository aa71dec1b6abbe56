// stele passes: the pipeline as it is, with contracts and rules.

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "passes/stacks/stele.h"

namespace stele::cli {
namespace {

std::string level_names(const std::vector<Level>& levels) {
  std::string text;
  for (const Level level : levels) text += (text.empty() ? "" : ", ") + std::string(name(level));
  return text;
}

Json level_json(const std::vector<Level>& levels) {
  Json json = Json::array();
  for (const Level level : levels) json.push_back(name(level));
  return json;
}

Json to_json(int index, const PipelineEntry& entry) {
  const Pass& pass = *entry.pass;
  Json json = {{"index", index}, {"name", pass.name}, {"summary", pass.summary}, {"stage", name(pass.stage)}};
  json["accepts"] = level_json(pass.accepts);
  json["produces"] = level_json(pass.produces);
  json["contract"] = pass.contract.str();
  json["why"] = entry.why;
  json["rules"] = Json::array();
  for (const RuleDef& rule : rules_of(pass)) {
    json["rules"].push_back({{"name", rule.name}, {"id", fmt::format("{}/{}", pass.name, rule.name)}, {"summary", rule.summary}});
  }
  return json;
}

void print_table(bool rules, bool colour) {
  Table table({{"#", Table::Align::right}, {"pass", Table::Align::left}, {"stage", Table::Align::left}, {"contract", Table::Align::left},
               {"levels", Table::Align::left}, {"rules", Table::Align::right}, {"what it does", Table::Align::left}});
  int index = 0;
  for (const PipelineEntry& entry : stele_pipeline()) {
    const Pass& pass = *entry.pass;
    table.add({std::to_string(++index), std::string(pass.name), std::string(name(pass.stage)), pass.contract.str(),
               level_names(pass.accepts) + " → " + level_names(pass.produces), std::to_string(rules_of(pass).size()), std::string(pass.summary)});
    if (!rules) continue;
    for (const RuleDef& rule : rules_of(pass)) table.add({"", fmt::format("  {}", rule.name), "", "", "", "", std::string(rule.summary)}, true);
  }
  std::fputs(table.str(colour).c_str(), stdout);
}

}  // namespace

Runner passes_command(Arguments& arguments) {
  auto rules = std::make_shared<bool>(false);
  arguments.flag("--rules", *rules, "list each pass's rules too");
  return [rules](const Context& context) -> int {
    if (!context.json) {
      print_table(*rules, context.colour);
      return done;
    }
    Json json = {{"stack", "stele"}, {"passes", Json::array()}};
    int index = 0;
    for (const PipelineEntry& entry : stele_pipeline()) json["passes"].push_back(to_json(++index, entry));
    print_json(json);
    return done;
  };
}

}  // namespace stele::cli
