// Faults of the optimize stage.

#include <cmath>

#include "core/debug/fault_sites.h"

namespace stele {
namespace {

// Every live elementwise op whose operand could stand for it.
std::vector<FaultSite> bypass_live_ops(Rewrite& rewrite) {
  std::vector<FaultSite> sites;
  for (Operation* op : body_ops(rewrite.module())) {
    Value* operand = is_elementwise(*op) ? stand_in(*op) : nullptr;
    if (!operand) continue;
    sites.push_back([&rewrite, op, operand] { rewrite.replace_uses(op->result(), operand); });
  }
  return sites;
}

std::vector<FaultSite> wrong_identity(Rewrite& rewrite, const RewriteEvent&) { return bypass_live_ops(rewrite); }

std::vector<FaultSite> dead_code_removes_live(Rewrite& rewrite, const RewriteEvent&) { return bypass_live_ops(rewrite); }

Tensor damaged(const Tensor& value) {
  Tensor copy = value;
  int64_t largest = 0;
  for (int64_t i = 1; i < value.elements(); ++i) {
    if (std::abs(value.get(i)) > std::abs(value.get(largest))) largest = i;
  }
  if (value.dtype() == DType::boolean) {
    copy.set_int(0, 1 - value.get_int(0));
  } else if (is_float(value.dtype())) {
    copy.set(largest, value.get(largest) == 0 ? 1 : -value.get(largest));
  } else {
    copy.set_int(largest, value.get_int(largest) == 0 ? 1 : value.get_int(largest) - 1);
  }
  return copy;
}

std::vector<FaultSite> wrong_fold(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), event.created)) {
    const Tensor* value = op->result_count() == 1 && !op->result()->unused() ? constant_of(op->result()) : nullptr;
    if (!value || value->elements() == 0) continue;
    sites.push_back([&rewrite, op] { rewrite.set_attribute(op, "value", damaged(*constant_of(op->result()))); });
  }
  return sites;
}

bool same_result_types(const Operation& a, const Operation& b) {
  if (a.result_count() != b.result_count()) return false;
  for (unsigned i = 0; i < a.result_count(); ++i) {
    if (a.result(i)->type() != b.result(i)->type()) return false;
  }
  return true;
}

// An op of the same name that computes something else is taken for the one that stayed.
std::vector<FaultSite> merge_unequal(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  for (Operation* kept : ops_of(rewrite.module(), event.matched)) {
    for (Operation* other = kept->next(); other; other = other->next()) {
      if (other->name() != kept->name() || other->unused() || !same_result_types(*kept, *other)) continue;
      if (other->operands() == kept->operands() && other->attributes() == kept->attributes()) continue;
      sites.push_back([&rewrite, kept, other] {
        for (unsigned i = 0; i < kept->result_count(); ++i) rewrite.replace_uses(other->result(i), kept->result(i));
      });
    }
  }
  return sites;
}

// A fusion reads, instead of a value, what that value was computed from.
std::vector<FaultSite> stale_buffer(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), event.created)) {
    if (!op->is("kernel.fusion")) continue;
    for (unsigned i = 0; i < op->operand_count(); ++i) {
      const Operation* producer = op->operand(i)->definition();
      if (!producer) continue;
      for (Value* earlier : producer->operands()) {
        if (earlier->type() != op->operand(i)->type()) continue;
        sites.push_back([&rewrite, op, i, earlier] { rewrite.set_operand(op, i, earlier); });
      }
    }
  }
  return sites;
}

// A fusion gives what its last op was given.
std::vector<FaultSite> early_yield(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), event.created)) {
    if (!op->is("kernel.fusion") || op->region_count() == 0 || !op->region().terminator()) continue;
    Operation* yield = op->region().terminator();
    for (unsigned i = 0; i < yield->operand_count(); ++i) {
      const Operation* last = yield->operand(i)->definition();
      if (!last || op->result(i)->unused()) continue;
      for (Value* operand : last->operands()) {
        if (operand->type() != yield->operand(i)->type()) continue;
        sites.push_back([&rewrite, yield, i, operand] { rewrite.set_operand(yield, i, operand); });
      }
    }
  }
  return sites;
}

}  // namespace

const Fault wrong_identity_fault = {"wrong-identity", "canonicalize", "an op that changes values is taken for one that changes nothing",
                                    wrong_identity};
const Fault wrong_fold_fault = {"wrong-fold", "fold-constants", "the largest element of a folded constant changes its sign", wrong_fold};
const Fault merge_unequal_fault = {"merge-unequal", "common-subexpressions", "two ops that are not equal are merged", merge_unequal};
const Fault dead_code_removes_live_fault = {"dead-code-removes-live", "dead-code", "a live op is removed with the dead ones",
                                            dead_code_removes_live};
const Fault stale_buffer_fault = {"fusion-reads-stale-buffer", "fuse", "a fusion reads a value from before its last update", stale_buffer};
const Fault early_yield_fault = {"fusion-yields-early", "fuse", "a fusion gives out a value from before its last op", early_yield};

}  // namespace stele
