// The one door: every change to a module is a numbered rewrite of a named rule, logged, and refusable by fuel.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/builder.h"

namespace stele {

constexpr uint64_t unlimited_fuel = std::numeric_limits<uint64_t>::max();

struct RewriteEvent {
  uint64_t number = 0;  // 1, 2, … within one run of one pass
  std::string rule;     // "<rule>", without the pass
  std::vector<OpId> matched;
  std::vector<OpId> created;
  std::vector<OpId> erased;
};

class Rewriter;

// What a rewrite may do, while it is being applied. New ops go before the first matched op unless told otherwise, and
// derive from all matched ops.
class Rewrite : public Builder {
 public:
  // All uses of op's results become `values`, then op goes. A missing name is passed on to the value.
  void replace(Operation* op, const std::vector<Value*>& values);
  void replace(Operation* op, Value* value) { replace(op, std::vector<Value*>{value}); }
  void replace_uses(Value* from, Value* to) { do_replace_uses(from, to); }
  void erase(Operation* op);
  void set_operand(Operation* op, unsigned i, Value* value) { do_set_operand(op, i, value); }
  void append_operand(Operation* op, Value* value) { do_append_operand(op, value); }
  void set_type(Value* value, Type type) { do_set_type(value, std::move(type)); }
  void set_attribute(Operation* op, const std::string& name, Attribute value) { do_set_attribute(op, name, std::move(value)); }
  void remove_attribute(Operation* op, const std::string& name) { do_remove_attribute(op, name); }
  void move_before(Operation* op, Operation* before) { do_move_before(op, before); }
  void move_to_end(Operation* op, Region& region) { do_move_to_end(op, region); }
  void erase_argument(Region& region, unsigned i) { do_erase_argument(region, i); }
  void erase_function(const std::string& name) { do_erase_function(name); }
  void set_result_types(Function& function, std::vector<Type> types) { do_set_results(function, std::move(types)); }
  const RewriteEvent& event() const { return event_; }

 private:
  friend class Rewriter;
  Rewrite(Module& module, RewriteEvent& event) : Builder(module), event_(event) {}
  void created(Operation* op) override { event_.created.push_back(op->id()); }
  RewriteEvent& event_;
};

class Rewriter {
 public:
  // A listener is called at the end of each applied rewrite, inside it: the tester injects its faults there.
  using Listener = std::function<void(Rewrite&, const RewriteEvent&)>;

  explicit Rewriter(Module& module, uint64_t fuel = unlimited_fuel, Listener listener = nullptr)
      : module_(module), fuel_(fuel), listener_(std::move(listener)) {}

  Module& module() const { return module_; }
  // Runs `change` as the next rewrite and returns true; returns false, having changed nothing, where fuel is spent.
  // `matched` are the ops it is about: provenance of what is made, and what the log shows.
  bool apply(std::string_view rule, const std::vector<Operation*>& matched, const std::function<void(Rewrite&)>& change);
  bool exhausted() const { return log_.size() >= fuel_; }
  bool changed() const { return !log_.empty(); }
  const std::vector<RewriteEvent>& log() const { return log_; }
  std::vector<RewriteEvent> take_log() { return std::move(log_); }

 private:
  Module& module_;
  uint64_t fuel_;
  Listener listener_;
  std::vector<RewriteEvent> log_;
};

}  // namespace stele
