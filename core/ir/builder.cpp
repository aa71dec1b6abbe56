#include "core/ir/builder.h"

#include <algorithm>

namespace stele {

Function& Builder::add_function(const std::string& name, bool is_private) {
  if (module_.function(name)) fail("function '@{}' is defined twice", name);
  std::unique_ptr<Function> function(new Function());
  function->name_ = name;
  function->module_ = &module_;
  function->private_ = is_private;
  function->body_.reset(new Region());
  function->body_->function_ = function.get();
  module_.functions_.push_back(std::move(function));
  return *module_.functions_.back();
}

Value* Builder::add_argument(Region& region, const Type& type, const std::string& name) {
  auto value = std::make_unique<Value>();
  value->type_ = type;
  value->argument_of_ = &region;
  value->index_ = region.argument_count();
  value->name_ = name;
  region.arguments_.push_back(std::move(value));
  return region.arguments_.back().get();
}

void Builder::set_results(Function& function, std::vector<Type> types, std::vector<std::string> names) {
  function.result_types_ = std::move(types);
  if (!names.empty()) function.output_names_ = std::move(names);
}

void Builder::at_end(Region& region) {
  region_ = &region;
  before_ = nullptr;
}

void Builder::before(Operation* op) {
  region_ = op->parent();
  before_ = op;
}

void Builder::after(Operation* op) {
  region_ = op->parent();
  before_ = op->next();
}

void Builder::set_origin(std::vector<OpId> derived_from, const std::string& label) {
  origin_ = std::move(derived_from);
  origin_label_ = label;
}

Operation* Builder::create(std::string_view name, std::vector<Value*> operands, std::vector<Type> result_types,
                           Attributes attributes, unsigned regions) {
  std::unique_ptr<Operation> op(new Operation());
  op->id_ = module_.next_id_++;
  op->name_ = name;
  op->label_ = origin_label_;
  op->derived_from_ = origin_;
  op->attributes_ = std::move(attributes);
  op->operands_.resize(operands.size());
  for (unsigned i = 0; i < operands.size(); ++i) op->set_operand(i, operands[i]);
  for (Type& type : result_types) {
    auto value = std::make_unique<Value>();
    value->type_ = std::move(type);
    value->definition_ = op.get();
    value->index_ = static_cast<unsigned>(op->results_.size());
    op->results_.push_back(std::move(value));
  }
  for (unsigned i = 0; i < regions; ++i) {
    std::unique_ptr<Region> region(new Region());
    region->parent_op_ = op.get();
    op->regions_.push_back(std::move(region));
  }
  Operation* made = op.get();
  region_->link(std::move(op), before_);
  created(made);
  return made;
}

Operation* Builder::clone(const Operation& op, ValueMap& mapping) {
  std::vector<Value*> operands;
  for (Value* operand : op.operands()) {
    auto found = mapping.find(operand);
    operands.push_back(found == mapping.end() ? operand : found->second);
  }
  std::vector<Type> types;
  for (Value* result : op.results()) types.push_back(result->type());
  Operation* copy = create(op.name(), std::move(operands), std::move(types), op.attributes(), op.region_count());
  if (copy->label_.empty()) copy->label_ = op.label_;
  for (unsigned i = 0; i < op.result_count(); ++i) {
    copy->results_[i]->name_ = op.result(i)->name();
    mapping[op.result(i)] = copy->result(i);
  }
  Region* const outer_region = region_;
  Operation* const outer_before = before_;
  for (unsigned i = 0; i < op.region_count(); ++i) {
    for (Value* argument : op.region(i).arguments()) {
      mapping[argument] = add_argument(copy->region(i), argument->type(), argument->name());
    }
    at_end(copy->region(i));
    clone_body(op.region(i), mapping);
  }
  region_ = outer_region;
  before_ = outer_before;
  return copy;
}

void Builder::clone_body(const Region& from, ValueMap& mapping) {
  for (Operation& op : from) clone(op, mapping);
}

void Builder::set_identity(Operation* op, OpId id, std::vector<OpId> derived_from) {
  op->id_ = id;
  op->derived_from_ = std::move(derived_from);
  module_.next_id_ = std::max(module_.next_id_, id + 1);
}

void Builder::set_label(Operation* op, const std::string& label) { op->label_ = label; }
void Builder::set_name(Value* value, const std::string& name) { value->name_ = name; }

void Builder::set_function_attribute(Function& function, const std::string& name, Attribute value) {
  function.attributes_[name] = std::move(value);
}

void Builder::do_append_operand(Operation* op, Value* value) {
  op->operands_.push_back(nullptr);
  op->set_operand(op->operand_count() - 1, value);
}

void Builder::do_replace_uses(Value* from, Value* to) {
  if (from == to) return;
  const std::vector<Use> uses = from->uses();
  for (const Use& use : uses) use.user->set_operand(use.operand, to);
}

void Builder::do_erase(Operation* op) {
  if (!op->unused()) fail("{}: erased while its results are used", op->describe());
  if (before_ == op) before_ = op->next();
  op->parent()->unlink(op);
}

void Builder::do_move_before(Operation* op, Operation* before) {
  if (before_ == op) before_ = op->next();
  before->parent()->link(op->parent()->unlink(op), before);
}

void Builder::do_move_to_end(Operation* op, Region& region) {
  if (before_ == op) before_ = op->next();
  region.link(op->parent()->unlink(op), nullptr);
}

void Builder::do_erase_argument(Region& region, unsigned i) {
  if (!region.argument(i)->unused()) fail("a region argument is erased while it is used");
  region.arguments_.erase(region.arguments_.begin() + i);
  for (unsigned k = i; k < region.argument_count(); ++k) region.arguments_[k]->index_ = k;
}

void Builder::do_erase_function(const std::string& name) {
  std::erase_if(module_.functions_, [&](const auto& f) { return f->name() == name; });
}

}  // namespace stele
