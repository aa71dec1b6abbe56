// Removes what nothing uses: pure ops without uses, and private functions that nobody calls.
#include "passes/optimize/passes.h"

namespace stele {
namespace {

constexpr std::string_view erase_unused = "erase-unused";
constexpr std::string_view erase_function = "erase-function";

// An op of an unknown name may have an effect; only what is known to be pure may go.
bool is_dead(const Operation& op) { return op.unused() && has_trait(op, Trait::pure) && !has_trait(op, Trait::terminator); }

// Last to first, so that an op goes after its users. False when fuel is spent.
bool sweep(Region& region, Rewriter& rewriter) {
  const std::vector<Operation*> ops = region.ops();
  for (auto at = ops.rbegin(); at != ops.rend(); ++at) {
    Operation* op = *at;
    if (is_dead(*op)) {
      if (!rewriter.apply(erase_unused, {op}, [&](Rewrite& rewrite) { rewrite.erase(op); })) return false;
      continue;
    }
    for (unsigned i = 0; i < op->region_count(); ++i) {
      if (!sweep(op->region(i), rewriter)) return false;
    }
  }
  return true;
}

void collect_symbols(const Attribute& attribute, std::set<std::string>& names) {
  if (const auto* symbol = attribute.get<Attribute::Symbol>()) names.insert(symbol->name);
  if (const auto* array = attribute.get<Attribute::Array>()) {
    for (const Attribute& element : *array) collect_symbols(element, names);
  }
  if (const auto* nested = attribute.get<Attributes>()) {
    for (const auto& [name, element] : *nested) collect_symbols(element, names);
  }
}

// Functions that an op anywhere refers to by name.
std::set<std::string> referenced_functions(const Module& module) {
  std::set<std::string> names;
  walk(module, [&](Operation& op) {
    for (const auto& [name, attribute] : op.attributes()) collect_symbols(attribute, names);
  });
  return names;
}

// One unused private function, or null. Its own calls keep others alive until it is gone.
const Function* find_unused_function(const Module& module) {
  const std::set<std::string> referenced = referenced_functions(module);
  for (const auto& function : module.functions()) {
    if (function->is_private() && function.get() != &module.main() && !referenced.contains(function->name())) return function.get();
  }
  return nullptr;
}

void run(PassContext& context) {
  for (const auto& function : context.module.functions()) {
    if (!sweep(function->body(), context.rewriter)) return;
  }
  while (const Function* unused = find_unused_function(context.module)) {
    const std::string name = unused->name();
    if (!context.rewriter.apply(erase_function, {}, [&](Rewrite& rewrite) { rewrite.erase_function(name); })) return;
  }
}

}  // namespace

const Pass dead_code = {
    .name = "dead-code",
    .summary = "remove ops and functions that nothing uses",
    .stage = Stage::optimize,
    .accepts = {Level::framework, Level::tensor, Level::kernel, Level::loop},
    .produces = {Level::framework, Level::tensor, Level::kernel, Level::loop},
    .contract = {Contract::exact},
    .rules = {{erase_unused, "a pure op without uses -> nothing"},
              {erase_function, "a private function that no op names -> nothing"}},
    .run = run,
};

}  // namespace stele
