// A pass: one file in the folder of its stage, one line in the pipeline.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/op_def.h"
#include "core/pass/rewriter.h"

namespace stele {

enum class Stage : uint8_t { capture, represent, optimize, lower, codegen };
std::string_view name(Stage stage);

// How far results may be from those of the module before the pass (design.md, "Numeric contracts").
struct Contract {
  enum Kind : uint8_t { exact, reassociates, approximates } kind = exact;
  // approximates: allowed error of an elementwise result, in units in the last place of its dtype.
  double bound_ulp = 0;
  std::string str() const;  // "exact", "reassociates", "approximates(4 ulp)"
};

struct PassOptions {
  std::string target = "cpu";
  int threads = 0;     // 0: as many as the machine has
  Binding binding;     // where a choice needs sizes; never baked into the code
};

struct RuleDef {
  std::string_view name;     // kebab-case; its global id is "<pass>/<rule>"
  std::string_view summary;  // the algebra: "transpose(transpose(x, p), q) -> transpose(x, p[q])"
};

struct PassContext {
  Module& module;
  Rewriter& rewriter;
  const PassOptions& options;
};

struct Pass {
  std::string_view name;  // kebab-case, the stem of its file
  std::string_view summary;
  Stage stage = Stage::optimize;
  std::vector<Level> accepts;
  std::vector<Level> produces;
  Contract contract;
  std::vector<RuleDef> rules;  // every rule it may apply, but for those
  std::vector<RuleDef> (*rules_from_ops)() = nullptr;  // … that follow from the registry: one an op
  // Deterministic: the same module gives the same rewrites in the same order. Where apply() refuses (no fuel left), the
  // pass goes on as if the rule did not match, and ends.
  void (*run)(PassContext& context) = nullptr;
};

// Every rule of a pass.
std::vector<RuleDef> rules_of(const Pass& pass);

// A local rule for apply_rules. `rewrite` looks at op, and where it matches calls rewriter.apply(name, …) and returns
// what that returned; else false.
struct Rule {
  RuleDef def;
  std::string_view root;  // op name it starts from; empty: any
  bool (*rewrite)(Operation& op, Rewriter& rewriter, std::string_view name);
};
// Applies the rules to every op, in order, until none matches. Deterministic; ends when fuel is spent.
void apply_rules(PassContext& context, std::span<const Rule> rules);
std::vector<RuleDef> rule_defs(std::span<const Rule> rules);

}  // namespace stele
