// The IR: one infrastructure for every level of the ladder.
//
// A Module holds Functions; a Function has one Region; a Region is a list of Operations with arguments, ended by a
// terminator (`return` ops by level: func.return, stablehlo.return, kernel.yield, loop.yield). An Operation has a name,
// operands, results, attributes and nested regions. Values are SSA: each has one definition (a result or a region
// argument) and a list of uses. A nested region may use values of the regions around it.
//
// Order is the execution order. Integer arithmetic wraps; float arithmetic is IEEE 754 with NaN and infinities, one
// rounding an op; nothing is assumed about aliasing: tensors are values, buffers (loop level) are memory.
//
// Nothing changes a module but a Builder (it makes what is new) and a Rewrite (core/pass/rewriter.h: everything else).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/attribute.h"
#include "core/ir/error.h"

namespace stele {

class Operation;
class Region;
class Function;
class Module;
class Builder;

using OpId = uint64_t;  // unique within a module and all its snapshots; grows in order of birth; 0: none

struct Use {
  Operation* user;
  unsigned operand;  // position in user->operands()
  friend bool operator==(const Use&, const Use&) = default;
};

class Value {
 public:
  const Type& type() const { return type_; }
  DType dtype() const { return type_.dtype; }
  const Shape& shape() const { return type_.shape; }
  int rank() const { return type_.rank(); }
  Operation* definition() const { return definition_; }  // null for a region argument
  Region* argument_of() const { return argument_of_; }   // null for a result
  bool is_argument() const { return argument_of_ != nullptr; }
  unsigned index() const { return index_; }  // among the results or the arguments
  const std::vector<Use>& uses() const { return uses_; }
  bool unused() const { return uses_.empty(); }
  bool has_one_use() const { return uses_.size() == 1; }
  const std::string& name() const { return name_; }  // as in the user's file; may be empty

 private:
  friend class Operation;
  friend class Region;
  friend class Builder;
  Type type_;
  Operation* definition_ = nullptr;
  Region* argument_of_ = nullptr;
  unsigned index_ = 0;
  std::vector<Use> uses_;
  std::string name_;
};

class Operation {
 public:
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  OpId id() const { return id_; }
  const std::string& name() const { return name_; }                       // "stablehlo.add", "onnx.Gemm"
  bool is(std::string_view name) const { return name_ == name; }
  const std::string& label() const { return label_; }                     // the node's name in the user's file; may be empty
  const std::vector<OpId>& derived_from() const { return derived_from_; }  // provenance: ids of the ops it was made from

  unsigned operand_count() const { return static_cast<unsigned>(operands_.size()); }
  unsigned result_count() const { return static_cast<unsigned>(results_.size()); }
  Value* operand(unsigned i) const { return operands_[i]; }
  Value* result(unsigned i = 0) const { return results_[i].get(); }
  const std::vector<Value*>& operands() const { return operands_; }
  std::vector<Value*> results() const;
  bool unused() const;  // no result has a use

  const Attributes& attributes() const { return attributes_; }
  const Attribute* attribute(std::string_view name) const;  // null where absent
  bool has(std::string_view name) const { return attribute(name) != nullptr; }
  // The attribute as T; throws Error naming op and attribute where it is absent or of another kind.
  template <typename T>
  const T& get(std::string_view name) const;
  template <typename T>
  T get_or(std::string_view name, T otherwise) const;

  unsigned region_count() const { return static_cast<unsigned>(regions_.size()); }
  Region& region(unsigned i = 0) const { return *regions_[i]; }

  Region* parent() const { return parent_; }
  Operation* parent_op() const;  // null at the top of a function
  Function* function() const;
  Operation* next() const { return next_; }
  Operation* previous() const { return previous_; }
  // "onnx.Gemm '/layer/MatMul'" for messages.
  std::string describe() const;

 private:
  friend class Region;
  friend class Builder;
  Operation() = default;
  [[noreturn]] void missing(std::string_view name) const;
  void set_operand(unsigned i, Value* value);
  void drop_operands();

  OpId id_ = 0;
  std::string name_;
  std::string label_;
  std::vector<OpId> derived_from_;
  std::vector<Value*> operands_;
  std::vector<std::unique_ptr<Value>> results_;
  Attributes attributes_;
  std::vector<std::unique_ptr<Region>> regions_;
  Region* parent_ = nullptr;
  Operation* next_ = nullptr;
  Operation* previous_ = nullptr;
};

// One block: arguments and a list of operations.
class Region {
 public:
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  class Iterator {
   public:
    explicit Iterator(Operation* at) : at_(at) {}
    Operation& operator*() const { return *at_; }
    Operation* operator->() const { return at_; }
    Iterator& operator++() {
      at_ = at_->next();
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    Operation* at_;
  };
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(nullptr); }
  bool empty() const { return first_ == nullptr; }
  Operation* first() const { return first_; }
  Operation* last() const { return last_; }
  Operation* terminator() const { return last_; }  // last op; null where empty
  std::vector<Operation*> ops() const;             // a copy of the list: safe to change the region over

  unsigned argument_count() const { return static_cast<unsigned>(arguments_.size()); }
  Value* argument(unsigned i) const { return arguments_[i].get(); }
  std::vector<Value*> arguments() const;

  Operation* parent_op() const { return parent_op_; }  // null: the body of a function
  Function* function() const;

 private:
  friend class Operation;
  friend class Function;
  friend class Builder;
  Region() = default;
  void link(std::unique_ptr<Operation> op, Operation* before);  // before null: at the end
  std::unique_ptr<Operation> unlink(Operation* op);

  std::vector<std::unique_ptr<Value>> arguments_;
  Operation* first_ = nullptr;
  Operation* last_ = nullptr;
  Operation* parent_op_ = nullptr;
  Function* function_ = nullptr;
};

class Function {
 public:
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  const std::string& name() const { return name_; }
  Region& body() const { return *body_; }
  Module& module() const { return *module_; }
  const std::vector<Type>& result_types() const { return result_types_; }
  // Names of the inputs and outputs as the user's file has them, in order; results' names.
  std::vector<std::string> input_names() const;
  const std::vector<std::string>& output_names() const { return output_names_; }
  const Attributes& attributes() const { return attributes_; }  // e.g. arena = #stele.dim<[bytes]> after memory planning
  bool is_private() const { return private_; }

 private:
  friend class Module;
  friend class Builder;
  Function() = default;
  std::string name_;
  Module* module_ = nullptr;
  std::unique_ptr<Region> body_;
  std::vector<Type> result_types_;
  std::vector<std::string> output_names_;
  Attributes attributes_;
  bool private_ = false;
};

struct SymbolBounds {
  int64_t min = 1;
  int64_t max = INT64_MAX;
};

class Module {
 public:
  Module();
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::string name;                             // of the model; shown, never interpreted
  std::map<std::string, SymbolBounds> symbols;  // named dims, with bounds
  Attributes attributes;

  const std::vector<std::unique_ptr<Function>>& functions() const { return functions_; }
  Function* function(std::string_view name) const;  // null where absent
  Function& main() const;                           // "main", else the first public one; throws Error where there is none

  // A deep copy with the same ids; constants are shared.
  std::unique_ptr<Module> clone() const;
  OpId next_id() const { return next_id_; }

 private:
  friend class Builder;
  std::vector<std::unique_ptr<Function>> functions_;
  OpId next_id_ = 1;
};

// Calls visit(op) for every operation, outer before inner, in order. The callback may not erase ops.
template <typename Visit>
void walk(const Region& region, Visit&& visit) {
  for (Operation& op : region) {
    visit(op);
    for (unsigned i = 0; i < op.region_count(); ++i) walk(op.region(i), visit);
  }
}
template <typename Visit>
void walk(const Module& module, Visit&& visit) {
  for (const auto& function : module.functions()) walk(function->body(), visit);
}

// True where `inner` is `outer` or lies in a region of it.
bool is_inside(const Region* inner, const Operation* outer);

template <typename T>
const T& Operation::get(std::string_view name) const {
  const Attribute* found = attribute(name);
  const T* value = found ? found->get<T>() : nullptr;
  if (!value) missing(name);
  return *value;
}

template <typename T>
T Operation::get_or(std::string_view name, T otherwise) const {
  const Attribute* found = attribute(name);
  if (!found) return otherwise;
  const T* value = found->get<T>();
  if (!value) missing(name);
  return *value;
}

}  // namespace stele
