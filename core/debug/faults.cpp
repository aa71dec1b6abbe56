#include "core/debug/faults.h"

#include <algorithm>
#include <set>

#include "core/debug/fault_sites.h"

namespace stele {

std::span<const Fault> core_faults() {
  static const Fault table[] = {
      wrong_type_fault,   swapped_operands_fault, dropped_broadcast_fault, wrong_reduction_axis_fault,   wrong_cast_fault,
      wrong_identity_fault, wrong_fold_fault,     merge_unequal_fault,     dead_code_removes_live_fault, stale_buffer_fault,
      early_yield_fault,  overlapping_live_ranges_fault, off_by_one_bound_fault, missing_remainder_fault, parallel_drops_iteration_fault,
  };
  return table;
}

const Fault* find_fault(std::span<const Fault> faults, std::string_view name) {
  for (const Fault& fault : faults) {
    if (fault.name == name) return &fault;
  }
  return nullptr;
}

void FaultInjector::operator()(Rewrite& rewrite, const RewriteEvent& event) {
  if (applied_) return;
  const std::vector<FaultSite> sites = fault_->sites(rewrite, event);
  if (site_ >= static_cast<int>(sites.size())) {
    site_ -= static_cast<int>(sites.size());
    return;
  }
  sites[static_cast<size_t>(site_)]();
  applied_ = true;
  rule_ = event.rule;
  number_ = event.number;
}

std::vector<Operation*> ops_of(const Module& module, const std::vector<OpId>& ids) {
  const std::set<OpId> wanted(ids.begin(), ids.end());
  std::vector<Operation*> found;
  if (wanted.empty()) return found;
  walk(module, [&](Operation& op) {
    if (wanted.contains(op.id())) found.push_back(&op);
  });
  return found;
}

std::vector<Operation*> body_ops(const Module& module) {
  std::vector<Operation*> found;
  for (const auto& function : module.functions()) {
    for (Operation* op : function->body().ops()) found.push_back(op);
  }
  return found;
}

bool is_elementwise(const Operation& op) { return has_trait(op, Trait::elementwise) && op.result_count() == 1; }

Value* stand_in(const Operation& op) {
  if (op.result_count() != 1 || op.operand_count() == 0 || op.result()->unused()) return nullptr;
  Value* operand = op.operand(0);
  return operand->type() == op.result()->type() ? operand : nullptr;
}

}  // namespace stele
