// Evaluates ops whose operands are all constants, by the reference semantics of their records.
#include "core/eval/interpreter.h"
#include "passes/optimize/passes.h"

namespace stele {
namespace {

constexpr std::string_view fold_op = "fold-op";

// What a fold may add to the module beyond what it takes away.
constexpr int64_t free_bytes = 64 * 1024;
// A repeated value is cheaper to repeat at its use than to keep.
constexpr int64_t free_broadcast_bytes = 1024;
// Multiply-adds that are worth spending at compile time on one op.
constexpr int64_t max_work = 20'000'000;

int64_t bytes_of(const std::vector<Value*>& values) {
  int64_t sum = 0;
  for (const Value* value : values) {
    if (value->type().is_tensor()) sum += value->type().bytes().value();
  }
  return sum;
}

bool all_static(const std::vector<Value*>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const Value* v) { return v->type().is_none() || (v->type().is_tensor() && is_static(v->shape())); });
}

bool all_constant(const Operation& op) {
  return std::all_of(op.operands().begin(), op.operands().end(),
                     [](const Value* operand) { return operand->type().is_none() || constant_of(operand); });
}

// A region that reads a value from outside itself would need that value here.
bool regions_are_closed(const Operation& op) {
  bool closed = true;
  for (unsigned i = 0; i < op.region_count(); ++i) {
    walk(op.region(i), [&](Operation& inner) {
      for (const Value* operand : inner.operands()) {
        const Region* home = operand->is_argument() ? operand->argument_of() : operand->definition()->parent();
        closed = closed && is_inside(home, &op);
      }
    });
  }
  return closed;
}

int64_t work_of(const Operation& op, const OpDef& def) {
  if (!def.cost) return 0;
  const Dim flops = def.cost(op).flops;
  return flops.is_static() ? flops.value() : max_work + 1;
}

bool worth_folding(const Operation& op, const OpDef& def) {
  const int64_t before = bytes_of(op.operands()), after = bytes_of(op.results());
  const int64_t free = has(def.traits, Trait::movement) ? free_broadcast_bytes : free_bytes;
  return after <= std::max(before, free) && work_of(op, def) <= max_work;
}

bool foldable(const Operation& op) {
  const OpDef* def = find_op(op.name());
  if (!def || !def->evaluate || !has(def->traits, Trait::pure) || has(def->traits, Trait::constant)) return false;
  if (has(def->traits, Trait::terminator) || op.result_count() == 0) return false;
  if (def->level != Level::framework && def->level != Level::tensor) return false;
  return all_constant(op) && all_static(op.results()) && all_static(op.operands()) && regions_are_closed(op) && worth_folding(op, *def);
}

// The op alone in a module of its own, run by the interpreter. Nothing where it cannot be: the error belongs to the
// run of the model, if that ever gets there.
std::optional<std::vector<Tensor>> evaluate_alone(const Operation& op) {
  Module module;
  Builder builder(module);
  Function& main = builder.add_function("main");
  builder.at_end(main.body());
  ValueMap mapping;
  for (Value* operand : op.operands()) {
    if (!mapping.contains(operand)) builder.clone(*operand->definition(), mapping);
  }
  Operation* copy = builder.clone(op, mapping);
  std::vector<Type> types;
  for (Value* result : copy->results()) types.push_back(result->type());
  builder.set_results(main, types);
  builder.create("func.return", copy->results(), {});
  try {
    return run(module, {});
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string_view constant_name(const Operation& op) {
  return level_of(op) == Level::framework ? "onnx.Constant" : "stablehlo.constant";
}

bool types_agree(const Operation& op, const std::vector<Tensor>& values) {
  for (unsigned i = 0; i < op.result_count(); ++i) {
    if (!values[i].present() || values[i].type() != op.result(i)->type()) return false;
  }
  return true;
}

// False when fuel is spent.
bool fold(Operation* op, Rewriter& rewriter) {
  if (rewriter.exhausted()) return false;
  const auto values = evaluate_alone(*op);
  if (!values || values->size() != op->result_count() || !types_agree(*op, *values)) return true;
  return rewriter.apply(fold_op, {op}, [&](Rewrite& rewrite) {
    std::vector<Value*> constants;
    for (const Tensor& value : *values) {
      constants.push_back(rewrite.create_value(constant_name(*op), {}, value.type(), {{"value", Attribute(value)}}));
    }
    rewrite.replace(op, constants);
  });
}

bool fold_region(Region& region, Rewriter& rewriter) {
  for (Operation* op : region.ops()) {
    if (foldable(*op)) {
      if (!fold(op, rewriter)) return false;
      continue;
    }
    // What runs inside a fusion or a reduction's body is that op's own business.
    if (level_of(*op) >= Level::kernel || has_trait(*op, Trait::reduction)) continue;
    for (unsigned i = 0; i < op->region_count(); ++i) {
      if (!fold_region(op->region(i), rewriter)) return false;
    }
  }
  return true;
}

void run_pass(PassContext& context) {
  for (const auto& function : context.module.functions()) {
    if (!fold_region(function->body(), context.rewriter)) return;
  }
}

}  // namespace

const Pass fold_constants = {
    .name = "fold-constants",
    .summary = "evaluate what depends on constants alone",
    .stage = Stage::optimize,
    .accepts = {Level::framework, Level::tensor},
    .produces = {Level::framework, Level::tensor},
    .contract = {Contract::exact},
    .rules = {{fold_op, "f(constants) -> constant, where that keeps the module small"}},
    .run = run_pass,
};

}  // namespace stele
