// Faults of shape inference and decomposition.

#include "core/debug/fault_sites.h"

namespace stele {
namespace {

std::vector<FaultSite> wrong_type(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), event.matched)) {
    for (Value* result : op->results()) {
      const Type& type = result->type();
      const int rank = type.rank();
      if (!type.is_tensor() || rank < 2 || type.shape[static_cast<size_t>(rank - 1)] == type.shape[static_cast<size_t>(rank - 2)]) continue;
      sites.push_back([&rewrite, result] {
        Shape shape = result->shape();
        std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
        rewrite.set_type(result, result->type().with_shape(shape));
      });
    }
  }
  return sites;
}

std::vector<FaultSite> swapped_operands(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), event.created)) {
    const bool select = op->is("stablehlo.select");
    if (!select && !op->is("stablehlo.subtract") && !op->is("stablehlo.divide") && !op->is("stablehlo.power")) continue;
    const unsigned i = select ? 1 : 0;
    Value* first = op->operand(i);
    Value* second = op->operand(i + 1);
    if (first == second || first->type() != second->type()) continue;
    sites.push_back([&rewrite, op, i, first, second] {
      rewrite.set_operand(op, i, second);
      rewrite.set_operand(op, i + 1, first);
    });
  }
  return sites;
}

// The operand shrunk to its first element along an axis: what a broadcast along a forgotten axis would read.
std::vector<FaultSite> dropped_broadcast(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), event.created)) {
    if (!op->is("stablehlo.broadcast_in_dim")) continue;
    Value* operand = op->operand(0);
    const Shape& shape = operand->shape();
    if (!is_static(shape) || shape.empty() || shape.back().value() < 2) continue;
    sites.push_back([&rewrite, op, operand] {
      const Attribute::Ints sizes = static_sizes(operand->shape());
      Attribute::Ints limits = sizes;
      limits.back() = 1;
      Shape shrunk = operand->shape();
      shrunk.back() = 1;
      rewrite.before(op);
      Value* slice = rewrite.create_value("stablehlo.slice", {operand}, operand->type().with_shape(shrunk),
                                          {{"start_indices", Attribute::Ints(sizes.size(), 0)},
                                           {"limit_indices", limits},
                                           {"strides", Attribute::Ints(sizes.size(), 1)}});
      rewrite.set_operand(op, 0, slice);
    });
  }
  return sites;
}

std::vector<FaultSite> wrong_reduction_axis(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), event.created)) {
    if (!op->is("stablehlo.reduce")) continue;
    const auto axes = op->get<Attribute::Ints>("dimensions");
    const Shape& shape = op->operand(0)->shape();
    for (size_t k = 0; k < axes.size(); ++k) {
      for (int64_t other = 0; other < static_cast<int64_t>(shape.size()); ++other) {
        const bool taken = std::find(axes.begin(), axes.end(), other) != axes.end();
        if (taken || shape[static_cast<size_t>(other)] != shape[static_cast<size_t>(axes[k])] || shape[static_cast<size_t>(other)].is(1)) continue;
        sites.push_back([&rewrite, op, axes, k, other] {
          Attribute::Ints changed = axes;
          changed[k] = other;
          std::sort(changed.begin(), changed.end());
          rewrite.set_attribute(op, "dimensions", changed);
        });
      }
    }
  }
  return sites;
}

// By way of bf16 and back: seven bits of the value stay.
std::vector<FaultSite> wrong_cast(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), event.created)) {
    if (!is_elementwise(*op) || op->result()->unused() || level_of(*op) != Level::tensor) continue;
    const DType dtype = op->result()->dtype();
    if (!op->result()->type().is_tensor() || (dtype != DType::f32 && dtype != DType::f64 && dtype != DType::f16)) continue;
    sites.push_back([&rewrite, op] {
      Value* value = op->result();
      rewrite.after(op);
      Value* narrow = rewrite.create_value("stablehlo.convert", {value}, value->type().with_dtype(DType::bf16));
      Value* back = rewrite.create_value("stablehlo.convert", {narrow}, value->type());
      rewrite.replace_uses(value, back);
      rewrite.set_operand(narrow->definition(), 0, value);
    });
  }
  return sites;
}

}  // namespace

const Fault wrong_type_fault = {"wrong-type", "infer-shapes", "the last two dims of an inferred type change places", wrong_type};
const Fault swapped_operands_fault = {"swapped-operands", "decompose", "a - b becomes b - a (or /, power, select)", swapped_operands};
const Fault dropped_broadcast_fault = {"dropped-broadcast", "decompose", "a broadcast repeats its operand's first element along the last axis",
                                       dropped_broadcast};
const Fault wrong_reduction_axis_fault = {"wrong-reduction-axis", "decompose", "a reduction goes along another axis of the same size",
                                          wrong_reduction_axis};
const Fault wrong_cast_fault = {"wrong-cast", "decompose", "a value goes through bf16", wrong_cast};

}  // namespace stele
