// decompose: framework ops become the tensor-level ops that they are made of. One rewrite an op, a rule a kind of op.
//
// From the last op to the first: an op whose shape or axes another op computes is taken apart while it can still see
// how they come about, and what then serves nobody (the computation of shapes, mostly) goes rather than being taken apart.
// Needs: inferred types. Guarantees: no framework op is left.
#include <algorithm>
#include <cctype>

#include "passes/represent/passes.h"

namespace stele {
namespace {

constexpr std::string_view erase_unused = "erase-unused";

// "onnx.LayerNormalization" -> "onnx-layer-normalization", "onnx.GatherND" -> "onnx-gather-nd", "onnx.IsNaN" -> "onnx-is-nan".
std::string kebab(std::string_view name) {
  auto upper = [&](size_t i) { return i < name.size() && std::isupper(static_cast<unsigned char>(name[i])); };
  auto lower = [&](size_t i) { return i < name.size() && std::islower(static_cast<unsigned char>(name[i])); };
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '.') {
      text += '-';
      continue;
    }
    const bool starts_word = upper(i) && i > 0 && name[i - 1] != '.' && i + 1 < name.size() && (!upper(i - 1) || lower(i + 1));
    if (starts_word) text += '-';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return text;
}

struct RuleOfOp {
  std::string rule, summary;
};

// A rule for every framework op that says how it decomposes.
const std::map<std::string_view, RuleOfOp>& rules_by_op() {
  static const std::map<std::string_view, RuleOfOp> rules = [] {
    std::map<std::string_view, RuleOfOp> all;
    for (const OpDef* op : all_ops()) {
      if (op->level != Level::framework || !op->decompose.function()) continue;
      all[op->name] = {kebab(op->name), fmt::format("{} -> tensor-level ops: {}", op->name, op->summary)};
    }
    return all;
  }();
  return rules;
}

std::vector<RuleDef> decompose_rules() {
  std::vector<RuleDef> defs;
  for (const auto& [op, rule] : rules_by_op()) defs.push_back({rule.rule, rule.summary});
  return defs;
}

bool has_unknown_type(const Operation& op) {
  for (const Value* value : op.results()) {
    if (value->type().is_unknown()) return true;
  }
  return false;
}

// Ops that Stele does not know come first of all reasons: what follows from them has no types either.
void check_known(const std::vector<Operation*>& ops) {
  for (const Operation* op : ops) op_def(*op);
}

// `before`: the ops before it, in order, for the message to name where types end.
void check_decomposable(const Operation& op, std::span<Operation* const> before) {
  const OpDef& def = op_def(op);
  if (!def.decompose.function()) {
    fail("{}: does not decompose into tensor-level ops: {}", op.describe(), def.decompose.reason());
  }
  bool typed = !has_unknown_type(op);
  for (const Value* operand : op.operands()) typed = typed && !operand->type().is_unknown();
  if (typed) return;
  const auto first = std::find_if(before.begin(), before.end(), [](const Operation* o) { return has_unknown_type(*o); });
  const Operation& where = first == before.end() ? op : **first;
  fail("{}: the type of its result is not known before the run, so {} cannot be decomposed", where.describe(), &where == &op ? "it" : op.describe());
}

void check_types(const Operation& op, const std::vector<Value*>& values) {
  for (unsigned i = 0; i < op.result_count(); ++i) {
    const Type& type = op.result(i)->type();
    if (values.at(i)->type() == type || type.is_unknown()) continue;
    fail("{}: its decomposition has type {} for result {}, expected {}", op.describe(), values[i]->type().str(), i, type.str());
  }
}

void decompose_op(Operation* op, std::span<Operation* const> before, Rewriter& rewriter) {
  const OpDef* def = find_op(op->name());
  if (def && op->unused() && has(def->traits, Trait::pure)) {
    rewriter.apply(erase_unused, {op}, [&](Rewrite& rewrite) { rewrite.erase(op); });
    return;
  }
  check_decomposable(*op, before);
  rewriter.apply(rules_by_op().at(op->name()).rule, {op}, [&](Rewrite& rewrite) {
    const std::vector<Value*> values = def->decompose.function()(*op, rewrite);
    check_types(*op, values);
    rewrite.replace(op, values);
  });
}

void run_decompose(PassContext& context) {
  std::vector<Operation*> ops;
  walk(context.module, [&](Operation& op) {
    if (level_of(op) == Level::framework) ops.push_back(&op);
  });
  check_known(ops);
  for (size_t i = ops.size(); i-- > 0 && !context.rewriter.exhausted();) {
    decompose_op(ops[i], std::span(ops).first(i), context.rewriter);
  }
}

}  // namespace

const Pass decompose = {
    .name = "decompose",
    .summary = "take framework ops apart into tensor-level ops",
    .stage = Stage::represent,
    .accepts = {Level::framework, Level::tensor},
    .produces = {Level::tensor},
    // A framework op rounds once, its decomposition at every op. Measured in f32 over ONNX's node cases (200 random
    // inputs each, four magnitudes), relative to the largest value of a result: at most 2 ulp for the normalisations, the
    // activations and the rest, but 6.7 for the logarithm of a sum near 1, which magnifies the sum's rounding.
    .contract = {Contract::approximates, 8},
    .rules = {{erase_unused, "an op whose results nothing uses any more -> nothing"}},
    .rules_from_ops = decompose_rules,
    .run = run_decompose,
};

}  // namespace stele
