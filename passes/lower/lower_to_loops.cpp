// Every kernel becomes loop nests over buffers: fusions, and ops that are a kernel by themselves. Views stay views, and
// what loops cannot say stays at its level.
#include <algorithm>

#include "core/ops/loop.h"
#include "core/ops/rules.h"
#include "passes/lower/loops/roots.h"
#include "passes/lower/passes.h"

namespace stele {
namespace {

using loops::Elements;
using loops::Nest;
using loops::Root;

// What is lowered: an op of a function's body, its inner ops (itself, where it is no fusion) and its roots.
struct Kernel {
  Operation* op;
  std::vector<const Operation*> inner;
  std::vector<const Value*> roots;
};

bool is_splat(const Tensor& value) {
  const auto width = static_cast<size_t>(size_bytes(value.dtype()));
  return value.elements() <= 1 || std::equal(value.data() + width, value.data() + value.size_bytes(), value.data());
}

Kernel kernel_of(Operation& op) {
  Kernel kernel{&op, {}, {}};
  if (op.is("kernel.fusion")) {
    for (const Operation& inner : op.region()) {
      if (!has_trait(inner, Trait::terminator)) kernel.inner.push_back(&inner);
    }
    for (const Value* root : op.region().terminator()->operands()) kernel.roots.push_back(root);
  } else {
    kernel.inner.push_back(&op);
    for (const Value* result : op.results()) kernel.roots.push_back(result);
  }
  return kernel;
}

// Whether an op of a function's body is to be lowered and can be.
bool can_lower(const Operation& op) {
  const bool is_fusion = op.is("kernel.fusion");
  if (!is_fusion && level_of(op) != Level::tensor) return false;
  if (has_trait(op, Trait::terminator) || has_trait(op, Trait::constant) || has_trait(op, Trait::view)) return false;
  const OpDef* def = find_op(op.name());
  if (!def || !def->cost || def->cost(op).kernels.is(0)) return false;
  try {
    if (!is_fusion) {
      loops::check_can_emit(op);
      return true;
    }
    for (const Operation& inner : op.region()) {
      if (!has_trait(inner, Trait::terminator)) loops::check_can_emit(inner);
    }
  } catch (const Error&) {
    return false;
  }
  return true;
}

const Operation* only_contraction(const Kernel& kernel) {
  const Operation* found = nullptr;
  for (const Operation* op : kernel.inner) {
    if (!has_trait(*op, Trait::contraction)) continue;
    if (found) return nullptr;
    found = op;
  }
  return found;
}

bool is_dear(const Operation& op) {
  static const std::set<std::string, std::less<>> cheap = {
      "stablehlo.add", "stablehlo.subtract", "stablehlo.multiply", "stablehlo.negate", "stablehlo.abs", "stablehlo.maximum",
      "stablehlo.minimum", "stablehlo.convert", "stablehlo.select", "stablehlo.compare", "stablehlo.clamp", "stablehlo.and",
      "stablehlo.or", "stablehlo.not", "stablehlo.xor"};
  return has_trait(op, Trait::elementwise) && !cheap.contains(op.name());
}

// Values used more than once that cost more to compute again than to read: computed from a dear op, short of a reduction.
std::vector<const Value*> worth_keeping(const Kernel& kernel) {
  std::set<const Value*> dear;
  std::vector<const Value*> worth;
  for (const Operation* op : kernel.inner) {
    if (!has_trait(*op, Trait::elementwise)) continue;
    const Value* value = op->result();
    const bool inherits = std::any_of(op->operands().begin(), op->operands().end(), [&](const Value* v) { return dear.contains(v); });
    if (!is_dear(*op) && !inherits) continue;
    dear.insert(value);
    if (value->uses().size() > 1 && value->rank() > 0) worth.push_back(value);
  }
  return worth;
}

// The kernel's operands: each value once, and constants of its body that are no splats.
struct Operands {
  std::vector<Value*> values;
  std::vector<std::pair<const Value*, size_t>> inside;  // a value inside, and which operand it is
};

Operands operands_of(const Kernel& kernel, Rewrite& rewrite) {
  Operands operands;
  std::map<const Value*, size_t> position;
  const auto add = [&](Value* outside, const Value* inside) {
    const auto [entry, fresh] = position.try_emplace(outside, operands.values.size());
    if (fresh) operands.values.push_back(outside);
    operands.inside.emplace_back(inside, entry->second);
  };
  const bool is_fusion = kernel.op->is("kernel.fusion");
  for (unsigned i = 0; i < kernel.op->operand_count(); ++i) {
    Value* operand = kernel.op->operand(i);
    add(operand, is_fusion ? kernel.op->region().argument(i) : operand);
  }
  for (const Operation* op : kernel.inner) {
    const Tensor* value = is_fusion ? constant_of(op->result()) : nullptr;
    if (value && !is_splat(*value)) add(rewrite.create_value("stablehlo.constant", {}, op->result()->type(), op->attributes()), op->result());
  }
  return operands;
}

void emit(const Kernel& kernel, Elements& elements, const std::vector<Root>& roots) {
  const Operation* contraction = only_contraction(kernel);
  if (contraction && loops::is_epilogue(*contraction, roots)) {
    const bool dear = std::any_of(kernel.inner.begin(), kernel.inner.end(), [](const Operation* op) { return is_dear(*op); });
    return loops::emit_contraction(elements, *contraction, roots, dear);
  }
  elements.keep_rows_of(worth_keeping(kernel));
  loops::emit_roots(elements, roots);
}

void lower(const Kernel& kernel, Rewrite& rewrite) {
  const Operands operands = operands_of(kernel, rewrite);
  std::vector<Type> types;
  for (const Value* result : kernel.op->results()) types.push_back(result->type());
  const Cost cost = op_def(*kernel.op).cost(*kernel.op);
  Attributes attributes = {{"cost", cost_attribute(cost)}};
  if (const Attribute* placement = kernel.op->attribute("placement")) attributes.emplace("placement", *placement);
  Operation* loop_kernel = rewrite.create("loop.kernel", operands.values, types, attributes, 1);
  Region& body = loop_kernel->region();
  std::vector<Value*> buffers;
  for (const Value* operand : operands.values) buffers.push_back(rewrite.add_argument(body, Type::buffer(operand->dtype(), operand->shape())));
  Nest nest(rewrite, body);
  Elements elements(nest);
  for (const auto& [inside, position] : operands.inside) elements.bind(inside, buffers[position]);
  std::vector<Root> roots;
  for (size_t i = 0; i < types.size(); ++i) {
    roots.push_back({kernel.roots[i], rewrite.add_argument(body, Type::buffer(types[i].dtype, types[i].shape))});
  }
  emit(kernel, elements, roots);
  rewrite.at_end(body);
  rewrite.create("loop.yield", {}, {});
  rewrite.replace(kernel.op, loop_kernel->results());
}

std::string_view rule_of(const Operation& op) {
  if (op.is("kernel.fusion")) {
    const std::string& kind = op.get<std::string>("kind");
    return kind == "row" ? "lower-row-fusion" : kind == "contraction" ? "lower-contraction-fusion" : "lower-loop-fusion";
  }
  if (has_trait(op, Trait::contraction)) return "lower-contraction";
  if (has_trait(op, Trait::reduction)) return "lower-reduction";
  if (has_trait(op, Trait::elementwise)) return "lower-elementwise";
  return "lower-movement";
}

void run(PassContext& context) {
  for (const auto& function : context.module.functions()) {
    for (Operation* op : function->body().ops()) {
      if (context.rewriter.exhausted()) return;
      if (!can_lower(*op)) continue;
      const Kernel kernel = kernel_of(*op);
      context.rewriter.apply(rule_of(*op), {op}, [&](Rewrite& rewrite) { lower(kernel, rewrite); });
    }
  }
}

}  // namespace

const Pass lower_to_loops = {
    .name = "lower-to-loops",
    .summary = "kernels become loop nests over buffers",
    .stage = Stage::lower,
    .accepts = {Level::tensor, Level::kernel},
    .produces = {Level::loop},
    .contract = {.kind = Contract::reassociates},
    .rules = {{"lower-loop-fusion", "a fusion of elementwise and movement ops -> one nest"},
              {"lower-row-fusion", "a fusion around reductions of rows -> loops over rows, a pass over the row for each reduction"},
              {"lower-contraction-fusion", "a contraction with its epilogue -> a nest that carries sums"},
              {"lower-contraction", "dot_general, convolution -> a nest that carries sums"},
              {"lower-reduction", "reduce, reduce_window -> a nest that carries what has been combined"},
              {"lower-elementwise", "an elementwise op -> one nest"},
              {"lower-movement", "transpose, slice, concatenate, gather … -> one nest of loads and stores"}},
    .run = run,
};

}  // namespace stele
