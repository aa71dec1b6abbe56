#include "core/debug/bound.h"

#include <cmath>
#include <unordered_map>

namespace stele {
namespace {

double known(const Dim& dim, const Binding& binding) {
  try {
    return static_cast<double>(dim.evaluate(binding));
  } catch (const Error&) {
    return 0;
  }
}

class Walker {
 public:
  Walker(const Binding& binding, RoundingModel& model) : binding_(binding), model_(model) {}

  // The largest sum of squares along a chain in the region.
  double heaviest(const Region& region) {
    double most = 0;
    for (const Operation& op : region) {
      const double here = incoming(op) + weight(op);
      for (unsigned i = 0; i < op.result_count(); ++i) {
        chains_[op.result(i)] = here;
        note_type(op.result(i)->type());
      }
      most = std::max(most, here);
    }
    return most;
  }

 private:
  double incoming(const Operation& op) const {
    double most = 0;
    for (const Value* operand : op.operands()) {
      const auto found = chains_.find(operand);
      if (found != chains_.end()) most = std::max(most, found->second);
    }
    return most;
  }

  double weight(const Operation& op) {
    if (has_trait(op, Trait::terminator) || has_trait(op, Trait::constant) || has_trait(op, Trait::movement)) return 0;
    if (op.is("kernel.fusion") && op.region_count() > 0) return heaviest(op.region());
    if (op.result_count() == 0) return 0;
    const double terms = terms_of(op);
    model_.longest = std::max(model_.longest, terms);
    return (1 + std::sqrt(terms)) * (1 + std::sqrt(terms));
  }

  // Arithmetic operations an element of the result takes.
  double terms_of(const Operation& op) const {
    const OpDef* def = find_op(op.name());
    if (!def || !def->cost || !op.result()->type().is_tensor()) return 1;
    try {
      const double elements = known(op.result()->type().elements(), binding_);
      return elements > 0 ? std::max(1.0, known(def->cost(op).flops, binding_) / elements) : 1;
    } catch (const Error&) {
      return 1;
    }
  }

  void note_type(const Type& type) {
    if (type.is_tensor() && is_float(type.dtype)) model_.epsilon = std::max(model_.epsilon, epsilon(type.dtype));
  }

  const Binding& binding_;
  RoundingModel& model_;
  std::unordered_map<const Value*, double> chains_;
};

}  // namespace

RoundingModel rounding_model(const Module& module, const Binding& binding) {
  RoundingModel model;
  Walker walker(binding, model);
  for (const Value* argument : module.main().body().arguments()) {
    if (argument->type().is_tensor() && is_float(argument->dtype())) model.epsilon = std::max(model.epsilon, epsilon(argument->dtype()));
  }
  model.chain = std::sqrt(walker.heaviest(module.main().body()));
  return model;
}

Tolerance rounding_tolerance(const RoundingModel& model, int reassociations, double extra_ulp) {
  const double widened = std::sqrt(1.0 + reassociations);
  const double chain = 4 * model.epsilon * (model.chain + 1 + extra_ulp) * widened;
  const double amplified = 4 * std::sqrt(model.longest) * model.own_error * widened;
  Tolerance tolerance;
  tolerance.relative = std::max(chain, amplified);
  tolerance.derivation = chain >= amplified
                             ? fmt::format("4 × epsilon {:.3g} × {:.0f}, √Σ(1+√n)² along the heaviest chain, × √{}", model.epsilon,
                                           model.chain + 1 + extra_ulp, 1 + reassociations)
                             : fmt::format("4 × √{:.0f} × {:.2g}, the captured graph's own rounding error, × √{}", model.longest,
                                           model.own_error, 1 + reassociations);
  return tolerance;
}

Tolerance contract_tolerance(const Contract& contract, const RoundingModel& model) {
  if (contract.kind == Contract::exact) return Tolerance::bitwise();
  return rounding_tolerance(model, 1, contract.kind == Contract::approximates ? contract.bound_ulp : 0);
}

}  // namespace stele
