// stele rosetta: five compiler stacks on the same five stages.

#include <fstream>
#include <memory>

#include "app/cli/assets.h"
#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "core/ir/error.h"
#include "viz/rosetta.h"

namespace stele::cli {
namespace {

Json stack_json(const viz::RosettaGrid& grid, const viz::RosettaStack& stack) {
  Json json = {{"id", stack.id}, {"title", stack.title}, {"when", stack.when}, {"purpose", stack.purpose}, {"openness", stack.openness},
               {"shapes", stack.shapes}, {"spine", stack.spine}, {"bet", stack.bet}, {"niche", stack.niche}, {"reason", stack.reason},
               {"cost", stack.cost}};
  for (size_t i = 0; i < viz::stage_count; ++i) {
    json["stages"][grid.stages[i].id] = {{"component", stack.cells[i].name}, {"text", stack.cells[i].text}};
  }
  return json;
}

void print_grid(const viz::RosettaGrid& grid, bool colour) {
  std::vector<std::pair<std::string, Table::Align>> columns = {{"stack", Table::Align::left}};
  for (const auto& stage : grid.stages) columns.push_back({stage.title, Table::Align::left});
  Table table(columns);
  for (const auto& stack : grid.stacks) {
    std::vector<std::string> cells = {stack.title};
    for (const auto& cell : stack.cells) cells.push_back(cell.name);
    table.add(cells);
  }
  std::fputs(table.str(colour).c_str(), stdout);
  for (const auto& stack : grid.stacks) {
    fmt::print("\n{}: {}; {}; {}\n  bet: {}\n  niche: {}\n", stack.title, stack.when, stack.purpose, stack.openness, stack.bet, stack.niche);
  }
}

int run_rosetta(const std::string& model, const Context& context) {
  if (!model.empty()) fail("rosetta MODEL: one model through all stacks is not there yet");
  const viz::RosettaGrid grid = viz::parse_rosetta(read_asset("rosetta.json", context));
  if (!context.json) {
    print_grid(grid, context.colour);
    return done;
  }
  Json json = {{"stages", Json::array()}, {"stacks", Json::array()}};
  for (const auto& stage : grid.stages) json["stages"].push_back({{"id", stage.id}, {"title", stage.title}, {"question", stage.question}});
  for (const auto& stack : grid.stacks) json["stacks"].push_back(stack_json(grid, stack));
  print_json(json);
  return done;
}

}  // namespace

Runner rosetta_command(Arguments& arguments) {
  auto model = std::make_shared<std::string>();
  arguments.positional("MODEL", *model, "a model to take through all of them", false);
  return [model](const Context& context) { return run_rosetta(*model, context); };
}

}  // namespace stele::cli
