#include <algorithm>

#include "core/debug/reduce.h"

namespace stele {
namespace {

bool is_constant(const Value* value) {
  const Operation* op = value->definition();
  return op && (has_trait(*op, Trait::constant) || (op->operand_count() == 0 && value->type().is_none()));
}

// The values from outside op that it or its regions use.
void collect_operands(const Operation& op, std::vector<Value*>& operands) {
  for (Value* operand : op.operands()) operands.push_back(operand);
  for (unsigned i = 0; i < op.region_count(); ++i) {
    walk(op.region(i), [&](Operation& inner) {
      for (Value* operand : inner.operands()) {
        const Region* home = operand->is_argument() ? operand->argument_of() : operand->definition()->parent();
        if (!is_inside(home, &op)) operands.push_back(operand);
      }
    });
  }
}

class Extractor {
 public:
  Extractor(const Module& from, const std::set<const Operation*>& keep, const RunValues& values)
      : from_(from), keep_(keep), values_(values), module_(std::make_unique<Module>()), builder_(*module_) {}

  std::optional<Extract> run() {
    module_->name = from_.name;
    module_->symbols = from_.symbols;
    Function& main = builder_.add_function("main");
    for (const auto& [name, value] : from_.main().attributes()) {
      if (name != "arena") builder_.set_function_attribute(main, name, value);
    }
    builder_.at_end(main.body());
    for (const Operation& op : from_.main().body()) {
      if (!keep_.contains(&op)) continue;
      if (!add_operands(op, main)) return std::nullopt;
      remove_placement(*builder_.clone(op, mapping_));
    }
    std::vector<Value*> results = results_of_kept(false);
    if (results.empty()) results = results_of_kept(true);
    if (results.empty()) return std::nullopt;
    std::vector<Type> types;
    for (const Value* result : results) types.push_back(result->type());
    builder_.set_results(main, types);
    builder_.create("func.return", results, {});
    return Extract{std::move(module_), std::move(inputs_)};
  }

 private:
  bool add_operands(const Operation& op, Function& main) {
    std::vector<Value*> operands;
    collect_operands(op, operands);
    for (Value* operand : operands) {
      if (mapping_.contains(operand)) continue;
      if (is_constant(operand)) {
        builder_.clone(*operand->definition(), mapping_);
        continue;
      }
      const auto value = values_.find(operand);
      if (value == values_.end() || !operand->type().is_tensor()) return false;
      mapping_[operand] = builder_.add_argument(main.body(), operand->type(), operand->name());
      inputs_.push_back(value->second);
    }
    return true;
  }

  // The plan is for the lives values had in the whole: here a result would be overwritten before the end.
  void remove_placement(Operation& op) {
    class Unplacer : public Builder {
     public:
      using Builder::Builder;
      void remove(Operation& op) { do_remove_attribute(&op, "placement"); }
    };
    Unplacer(*module_).remove(op);
  }

  // Values that somebody outside uses, or that nobody uses.
  std::vector<Value*> results_of_kept(bool unused) const {
    std::vector<Value*> results;
    for (const Operation& op : from_.main().body()) {
      if (!keep_.contains(&op)) continue;
      for (Value* result : op.results()) {
        const auto& uses = result->uses();
        const bool outside = std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return !inside(use.user); });
        if ((unused ? uses.empty() : outside) && result->type().is_tensor()) results.push_back(mapping_.at(result));
      }
    }
    return results;
  }

  bool inside(const Operation* op) const {
    for (; op; op = op->parent_op()) {
      if (keep_.contains(op)) return true;
    }
    return false;
  }

  const Module& from_;
  const std::set<const Operation*>& keep_;
  const RunValues& values_;
  std::unique_ptr<Module> module_;
  Builder builder_;
  ValueMap mapping_;
  std::vector<Tensor> inputs_;
};

}  // namespace

std::optional<Extract> extract(const Module& module, const std::set<const Operation*>& keep, const RunValues& values) {
  return Extractor(module, keep, values).run();
}

}  // namespace stele
