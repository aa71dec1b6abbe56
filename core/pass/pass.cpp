#include "core/pass/pass.h"

namespace stele {
namespace {

// More sweeps than any rule set that makes progress needs; reaching it means two rules undo each other.
constexpr int max_sweeps = 64;

bool apply_once(Operation& op, std::span<const Rule> rules, Rewriter& rewriter) {
  for (const Rule& rule : rules) {
    if (!rule.root.empty() && !op.is(rule.root)) continue;
    if (rule.rewrite(op, rewriter, rule.def.name)) return true;
  }
  return false;
}

void collect(const Region& region, std::vector<std::pair<OpId, Operation*>>& ops) {
  walk(region, [&](Operation& op) { ops.emplace_back(op.id(), &op); });
}

}  // namespace

std::string_view name(Stage stage) {
  constexpr std::string_view names[] = {"capture", "represent", "optimize", "lower", "codegen"};
  return names[static_cast<size_t>(stage)];
}

std::string Contract::str() const {
  switch (kind) {
    case exact: return "exact";
    case reassociates: return "reassociates";
    case approximates: break;
  }
  return fmt::format("approximates({} ulp)", bound_ulp);
}

std::vector<RuleDef> rules_of(const Pass& pass) {
  std::vector<RuleDef> rules = pass.rules;
  if (pass.rules_from_ops) {
    for (const RuleDef& rule : pass.rules_from_ops()) rules.push_back(rule);
  }
  return rules;
}

std::vector<RuleDef> rule_defs(std::span<const Rule> rules) {
  std::vector<RuleDef> defs;
  for (const Rule& rule : rules) defs.push_back(rule.def);
  return defs;
}

void apply_rules(PassContext& context, std::span<const Rule> rules) {
  Rewriter& rewriter = context.rewriter;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool any = false;
    std::vector<std::pair<OpId, Operation*>> ops;
    for (const auto& function : context.module.functions()) collect(function->body(), ops);
    std::set<OpId> gone;
    for (const auto& [id, op] : ops) {
      if (rewriter.exhausted()) return;
      if (gone.contains(id)) continue;
      const size_t before = rewriter.log().size();
      if (!apply_once(*op, rules, rewriter)) continue;
      any = true;
      for (size_t i = before; i < rewriter.log().size(); ++i) {
        gone.insert(rewriter.log()[i].erased.begin(), rewriter.log()[i].erased.end());
      }
    }
    if (!any) return;
  }
  fail("rules do not come to an end after {} sweeps (last: {})", max_sweeps, rewriter.log().back().rule);
}

}  // namespace stele
