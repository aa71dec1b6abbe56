// Brings ops to one form: removes what does nothing, cancels what undoes itself, and settles on one order of operands.
// Rules that hold for real numbers but not for floats (x + 0.0, x * 0, x - x, log(exp(x))) are not among these.
#include "passes/optimize/canonicalize/rules.h"
#include "passes/optimize/passes.h"

namespace stele {
namespace {

// What a rule looked through and left without a reader goes at once: it would count as a kernel.
bool erase_unused(Operation& op, Rewriter& rewriter, std::string_view rule) {
  if (!op.unused() || op.result_count() == 0 || !has_trait(op, Trait::pure) || has_trait(op, Trait::terminator)) return false;
  return rewriter.apply(rule, {&op}, [&](Rewrite& rewrite) { rewrite.erase(&op); });
}

constexpr Rule erase_rules[] = {{{"erase-unused", "a pure op without uses -> nothing"}, "", erase_unused}};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> rules;
    for (std::span<const Rule> family : {std::span<const Rule>(erase_rules), canonical::framework_rules(), canonical::elementwise_rules(),
                                         canonical::movement_rules(), canonical::reshape_rules()}) {
      rules.insert(rules.end(), family.begin(), family.end());
    }
    return rules;
  }();
  return all;
}

void run(PassContext& context) { apply_rules(context, rules()); }

}  // namespace

const Pass canonicalize = {
    .name = "canonicalize",
    .summary = "bring ops to one form and remove what does nothing",
    .stage = Stage::optimize,
    .accepts = {Level::framework, Level::tensor},
    .produces = {Level::framework, Level::tensor},
    .contract = {Contract::exact},
    .rules = rule_defs(rules()),
    .run = run,
};

}  // namespace stele
