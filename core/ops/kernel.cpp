// The kernel level: groups of tensor ops that are one launch.
#include <algorithm>
#include <set>

#include "core/ops/all_ops.h"
#include "core/ops/rules.h"

namespace stele {
namespace {

using Tensors = std::vector<Tensor>;

// kernel.fusion(operands…) {kind} region: one launch that evaluates its region.
//   c1: kind is "loop", "row" or "contraction"
//   c2: the region's arguments have the operands' types
//   c3: the region ends in kernel.yield of values of the results' types
//   c4: the region uses no value from outside

std::vector<Type> infer_fusion(const Operation& op) {
  if (op.region_count() != 1 || !op.region().terminator()) return declared_result_types(op);
  std::vector<Type> types;
  for (const Value* value : op.region().terminator()->operands()) types.push_back(value->type());
  return types;
}

void verify_isolated(const Operation& op) {
  walk(op.region(), [&](const Operation& inner) {
    for (const Value* operand : inner.operands()) {
      const Region* home = operand->definition() ? operand->definition()->parent() : operand->argument_of();
      if (home != &op.region() && !is_inside(home, &op)) violated(op, "c4", "{} uses a value from outside", inner.describe());
    }
  });
}

void verify_fusion(const Operation& op) {
  const std::string kind = op.get<std::string>("kind");
  if (kind != "loop" && kind != "row" && kind != "contraction") violated(op, "c1", "kind is '{}', expected loop, row or contraction", kind);
  if (op.region_count() != 1 || !op.region().terminator() || !op.region().terminator()->is("kernel.yield")) {
    violated(op, "c3", "region does not end in kernel.yield");
  }
  if (op.region().argument_count() != op.operand_count()) violated(op, "c2", "region has {} arguments, expected {}", op.region().argument_count(), op.operand_count());
  for (unsigned i = 0; i < op.operand_count(); ++i) {
    const Type &argument = op.region().argument(i)->type(), &operand = op.operand(i)->type();
    if (argument != operand) violated(op, "c2", "argument {} has type {}, expected {}", i, argument.str(), operand.str());
  }
  verify_inferred(op, "c3");
  verify_isolated(op);
}

Tensors evaluate_fusion(const Operation& op, const Tensors& operands, EvalContext& context) {
  return context.run_region(op.region(), operands);
}

// Bytes of an argument that the body touches: what its users take of it where all of them take parts, else all of it.
Dim touched_bytes(const Value* argument) {
  Dim parts = 0;
  std::set<const Operation*> seen;
  for (const Use& use : argument->uses()) {
    const Operation& user = *use.user;
    const bool takes_part = use.operand == 0 && (user.is("stablehlo.slice") || user.is("stablehlo.gather") || user.is("stablehlo.dynamic_slice"));
    if (!takes_part || argument->uses().size() > 1) return argument->type().bytes();
    parts = parts + user.result()->type().bytes();
  }
  return parts;
}

// A constant of the body is free where it is a splat; any other is read.
bool is_splat(const Tensor& value) {
  if (value.elements() <= 1) return true;
  const auto width = static_cast<size_t>(size_bytes(value.dtype()));
  return std::equal(value.data() + width, value.data() + value.size_bytes(), value.data());
}

Dim flops_of(const Region& region) {
  Dim flops = 0;
  for (const Operation& op : region) {
    if (const OpDef* def = find_op(op.name()); def && def->cost) flops = flops + def->cost(op).flops;
  }
  return flops;
}

Cost cost_fusion(const Operation& op) {
  Cost cost;
  std::set<const Value*> seen;
  for (unsigned i = 0; i < op.operand_count(); ++i) {
    // The same operand twice is read once: as much of it as the argument that touches most.
    const bool again = !seen.insert(op.operand(i)).second;
    if (!again) cost.bytes_read = cost.bytes_read + touched_bytes(op.region().argument(i));
  }
  for (const Operation& inner : op.region()) {
    if (!has_trait(inner, Trait::constant)) continue;
    const Tensor* value = constant_of(inner.result());
    if (value && !is_splat(*value)) cost.bytes_read = cost.bytes_read + inner.result()->type().bytes();
  }
  cost.flops = flops_of(op.region());
  cost.bytes_written = result_bytes(op);
  return cost;
}

const OpDef fusion_def = {
    .name = "kernel.fusion",
    .summary = "tensor ops that are one launch",
    .level = Level::kernel,
    .operands = {{"operands", OperandDef::variadic}},
    .attributes = {{"kind", "loop, row or contraction", true}},
    .traits = Trait::pure | Trait::isolated,
    .verify = verify_fusion,
    .infer = infer_fusion,
    .evaluate = evaluate_fusion,
    .gradient = no_gradient("taken before fusion"),
    .decompose = Aspect<DecomposeFunction>::absent("a group of primitives"),
    .cost = cost_fusion,
};

Tensors evaluate_yield(const Operation&, const Tensors& operands, EvalContext&) { return operands; }

const OpDef yield_def = {
    .name = "kernel.yield",
    .summary = "end a kernel's region and give its results",
    .level = Level::kernel,
    .operands = {{"values", OperandDef::variadic}},
    .traits = Trait::terminator,
    .infer = [](const Operation&) { return std::vector<Type>{}; },
    .evaluate = evaluate_yield,
    .gradient = no_gradient("terminator"),
    .decompose = primitive(),
    .cost = cost_free,
};

}  // namespace

std::span<const OpDef> kernel_ops() {
  static const OpDef table[] = {fusion_def, yield_def};
  return table;
}

}  // namespace stele
