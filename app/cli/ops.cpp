// stele ops: the op set, and which aspects each op has; what one lacks is absent visibly, with the reason.

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "core/ops/op_def.h"

namespace stele::cli {
namespace {

constexpr std::pair<Trait, const char*> trait_names[] = {
    {Trait::pure, "pure"},           {Trait::elementwise, "elementwise"}, {Trait::commutative, "commutative"},
    {Trait::movement, "movement"},   {Trait::view, "view"},               {Trait::reduction, "reduction"},
    {Trait::contraction, "contraction"}, {Trait::terminator, "terminator"}, {Trait::constant, "constant"},
    {Trait::isolated, "isolated"}};

template <typename Function>
Json aspect_json(const Aspect<Function>& aspect) {
  if (aspect.function()) return true;
  return {{"absent", aspect.reason()}};
}

Json operand_json(const OperandDef& operand) {
  constexpr const char* kinds[] = {"one", "optional", "variadic"};
  return {{"name", operand.name}, {"kind", kinds[operand.kind]}};
}

Json to_json(const OpDef& op) {
  Json json = {{"name", op.name}, {"summary", op.summary}, {"level", name(op.level)}};
  json["operands"] = Json::array();
  for (const OperandDef& operand : op.operands) json["operands"].push_back(operand_json(operand));
  json["attributes"] = Json::array();
  for (const AttributeDef& attribute : op.attributes) {
    json["attributes"].push_back({{"name", attribute.name}, {"meaning", attribute.meaning}, {"required", attribute.required}});
  }
  json["traits"] = Json::array();
  for (const auto& [trait, text] : trait_names) {
    if (has(op.traits, trait)) json["traits"].push_back(text);
  }
  json["evaluate"] = op.evaluate != nullptr;
  json["infer"] = op.infer != nullptr;
  json["cost"] = op.cost != nullptr;
  json["gradient"] = aspect_json(op.gradient);
  json["decompose"] = aspect_json(op.decompose);
  return json;
}

template <typename Function>
std::string aspect_text(const Aspect<Function>& aspect) {
  return aspect.function() ? "yes" : fmt::format("– {}", aspect.reason());
}

std::string yes_no(bool yes) { return yes ? "yes" : "–"; }

}  // namespace

Runner ops_command(Arguments& arguments) {
  auto filter = std::make_shared<std::string>();
  arguments.positional("NAME", *filter, "only ops whose name holds this", false);
  return [filter](const Context& context) -> int {
    Json json = {{"ops", Json::array()}};
    constexpr auto left = Table::Align::left;
    Table table({{"op", left}, {"level", left}, {"runs", left}, {"cost", left}, {"decomposes", left}, {"gradient", left}, {"what it does", left}});
    int shown = 0;
    for (const OpDef* op : all_ops()) {
      if (op->name.find(*filter) == std::string_view::npos) continue;
      ++shown;
      json["ops"].push_back(to_json(*op));
      table.add({std::string(op->name), std::string(name(op->level)), yes_no(op->evaluate), yes_no(op->cost), aspect_text(op->decompose),
                 aspect_text(op->gradient), std::string(op->summary)});
    }
    if (context.json) {
      print_json(json);
    } else {
      std::fputs(table.str(context.colour).c_str(), stdout);
      fmt::print("{} ops\n", shown);
    }
    return done;
  };
}

}  // namespace stele::cli
