#include "core/ir/ir.h"

#include <algorithm>

#include "core/ir/builder.h"

namespace stele {

Operation::~Operation() {
  regions_.clear();  // inner ops drop their uses of outer values first
  drop_operands();
}

std::vector<Value*> Operation::results() const {
  std::vector<Value*> values;
  for (const auto& result : results_) values.push_back(result.get());
  return values;
}

bool Operation::unused() const {
  return std::all_of(results_.begin(), results_.end(), [](const auto& r) { return r->unused(); });
}

const Attribute* Operation::attribute(std::string_view name) const {
  auto found = attributes_.find(name);
  return found == attributes_.end() ? nullptr : &found->second;
}

void Operation::missing(std::string_view name) const {
  fail("{}: attribute '{}' is {}", describe(), name, has(name) ? "of the wrong kind" : "missing");
}

Operation* Operation::parent_op() const { return parent_ ? parent_->parent_op() : nullptr; }
Function* Operation::function() const { return parent_ ? parent_->function() : nullptr; }

std::string Operation::describe() const { return label_.empty() ? name_ : name_ + " '" + label_ + "'"; }

void Operation::set_operand(unsigned i, Value* value) {
  if (Value* old = operands_[i]) {
    auto found = std::find(old->uses_.begin(), old->uses_.end(), Use{this, i});
    if (found != old->uses_.end()) old->uses_.erase(found);
  }
  operands_[i] = value;
  if (value) value->uses_.push_back({this, i});
}

void Operation::drop_operands() {
  for (unsigned i = 0; i < operands_.size(); ++i) set_operand(i, nullptr);
  operands_.clear();
}

Region::~Region() {
  // From the last to the first, so that users go before what they use.
  while (last_) unlink(last_);
}

std::vector<Operation*> Region::ops() const {
  std::vector<Operation*> list;
  for (Operation* op = first_; op; op = op->next_) list.push_back(op);
  return list;
}

std::vector<Value*> Region::arguments() const {
  std::vector<Value*> values;
  for (const auto& argument : arguments_) values.push_back(argument.get());
  return values;
}

Function* Region::function() const {
  const Region* region = this;
  while (region->parent_op_) region = region->parent_op_->parent();
  return region ? region->function_ : nullptr;
}

void Region::link(std::unique_ptr<Operation> owned, Operation* before) {
  Operation* op = owned.release();
  op->parent_ = this;
  op->next_ = before;
  op->previous_ = before ? before->previous_ : last_;
  (op->previous_ ? op->previous_->next_ : first_) = op;
  (before ? before->previous_ : last_) = op;
}

std::unique_ptr<Operation> Region::unlink(Operation* op) {
  (op->previous_ ? op->previous_->next_ : first_) = op->next_;
  (op->next_ ? op->next_->previous_ : last_) = op->previous_;
  op->parent_ = nullptr;
  op->next_ = op->previous_ = nullptr;
  return std::unique_ptr<Operation>(op);
}

std::vector<std::string> Function::input_names() const {
  std::vector<std::string> names;
  for (unsigned i = 0; i < body_->argument_count(); ++i) names.push_back(body_->argument(i)->name());
  return names;
}

Module::Module() = default;
Module::~Module() = default;

Function* Module::function(std::string_view name) const {
  for (const auto& function : functions_) {
    if (function->name() == name) return function.get();
  }
  return nullptr;
}

Function& Module::main() const {
  if (Function* found = function("main")) return *found;
  for (const auto& function : functions_) {
    if (!function->is_private()) return *function;
  }
  throw Error("module has no function to run");
}

std::unique_ptr<Module> Module::clone() const {
  auto copy = std::make_unique<Module>();
  copy->name = name;
  copy->symbols = symbols;
  copy->attributes = attributes;
  Builder builder(*copy);
  for (const auto& function : functions_) {
    Function& made = builder.add_function(function->name(), function->is_private());
    made.attributes_ = function->attributes_;
    builder.set_results(made, function->result_types_, function->output_names_);
    ValueMap mapping;
    for (Value* argument : function->body().arguments()) {
      mapping[argument] = builder.add_argument(made.body(), argument->type(), argument->name());
    }
    builder.at_end(made.body());
    builder.clone_body(function->body(), mapping);
    std::vector<Operation*> originals, copies;
    walk(function->body(), [&](Operation& op) { originals.push_back(&op); });
    walk(made.body(), [&](Operation& op) { copies.push_back(&op); });
    for (size_t i = 0; i < originals.size(); ++i) {
      builder.set_identity(copies[i], originals[i]->id(), originals[i]->derived_from());
    }
  }
  copy->next_id_ = next_id_;
  return copy;
}

bool is_inside(const Region* inner, const Operation* outer) {
  for (; inner && inner->parent_op(); inner = inner->parent_op()->parent()) {
    if (inner->parent_op() == outer) return true;
  }
  return false;
}

}  // namespace stele
