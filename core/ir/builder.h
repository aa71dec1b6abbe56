// Builder: makes new functions and operations at an insertion point. Readers and the parser build whole modules with it;
// passes get one as a Rewrite (core/pass/rewriter.h), which adds everything that changes what exists already.
#pragma once

#include <unordered_map>

#include "core/ir/ir.h"

namespace stele {

// Old value → new; looked up only, never gone through in order.
using ValueMap = std::unordered_map<const Value*, Value*>;

class Builder {
 public:
  explicit Builder(Module& module) : module_(module) {}
  virtual ~Builder() = default;

  Module& module() const { return module_; }
  Function& add_function(const std::string& name, bool is_private = false);
  Value* add_argument(Region& region, const Type& type, const std::string& name = "");
  void set_results(Function& function, std::vector<Type> types, std::vector<std::string> names = {});

  void at_end(Region& region);
  void before(Operation* op);
  void after(Operation* op);
  Region* region() const { return region_; }

  // Provenance given to the ops made from here on. A Rewrite sets it from the ops it matched.
  void set_origin(std::vector<OpId> derived_from, const std::string& label = "");

  // Makes an op at the insertion point; its regions are empty. Does not verify.
  Operation* create(std::string_view name, std::vector<Value*> operands, std::vector<Type> result_types,
                    Attributes attributes = {}, unsigned regions = 0);
  // The same with one result, returned.
  Value* create_value(std::string_view name, std::vector<Value*> operands, Type type, Attributes attributes = {}) {
    return create(name, std::move(operands), {std::move(type)}, std::move(attributes))->result();
  }
  // A copy of op with its regions; operands are looked up in `mapping` (old value → new), which the results join.
  Operation* clone(const Operation& op, ValueMap& mapping);
  // Appends copies of all ops of `from` (arguments must be in the mapping) at the insertion point.
  void clone_body(const Region& from, ValueMap& mapping);

  // For readers that keep what a file says: ids, provenance, labels and names.
  void set_identity(Operation* op, OpId id, std::vector<OpId> derived_from);
  void set_label(Operation* op, const std::string& label);
  void set_name(Value* value, const std::string& name);
  void set_function_attribute(Function& function, const std::string& name, Attribute value);

 protected:
  virtual void created(Operation*) {}
  // What a Rewrite opens to passes.
  void do_set_operand(Operation* op, unsigned i, Value* value) { op->set_operand(i, value); }
  void do_append_operand(Operation* op, Value* value);
  void do_replace_uses(Value* from, Value* to);
  void do_set_type(Value* value, Type type) { value->type_ = std::move(type); }
  void do_set_attribute(Operation* op, const std::string& name, Attribute value) { op->attributes_[name] = std::move(value); }
  void do_remove_attribute(Operation* op, const std::string& name) { op->attributes_.erase(name); }
  void do_erase(Operation* op);  // requires that no result has a use
  void do_move_before(Operation* op, Operation* before);
  void do_move_to_end(Operation* op, Region& region);
  void do_erase_argument(Region& region, unsigned i);  // requires that it has no use
  void do_erase_function(const std::string& name);
  void do_set_results(Function& function, std::vector<Type> types) { function.result_types_ = std::move(types); }

 private:
  friend class Module;
  Module& module_;
  Region* region_ = nullptr;
  Operation* before_ = nullptr;  // null: at the end of region_
  std::vector<OpId> origin_;
  std::string origin_label_;
};

}  // namespace stele
