// Writes the body of a loop.kernel: nested loops, with everything that does not depend on an inner loop hoisted out of it
// and nothing computed twice in one scope.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ir/builder.h"

namespace stele::loops {

// A subscript a dim. Null: this dim is counted by the next one that is not null, which runs over their product.
using Index = std::vector<Value*>;

class Nest {
 public:
  Nest(Builder& builder, Region& body);

  // ---- scopes: 0 is the kernel's body, each open loop one more ----
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }
  int depth_of(const Value* value) const;           // the scope a value of this nest is made in
  int depth_of(const Index& index) const;

  struct Loop {
    Operation* op;
    Value* iv;
    std::vector<Value*> carried;  // as arguments of the body
  };
  // Opens a loop in the innermost scope. close() ends it and returns what it carried out.
  Loop open(Value* lower, Value* upper, const std::vector<Value*>& initial = {}, int64_t step = 1);
  std::vector<Value*> close(const std::vector<Value*>& yielded = {});

  // Runs `emit` as if scope `depth` were the innermost: what it emits stands before the loop that is open there.
  template <typename Emit>
  auto at_depth(int depth, Emit&& emit) {
    std::vector<Scope> inner(std::make_move_iterator(scopes_.begin() + depth + 1), std::make_move_iterator(scopes_.end()));
    scopes_.resize(static_cast<size_t>(depth) + 1);
    const Scope& scope = scopes_.back();
    Operation *const opened = scope.opened, *const barrier = scope.barrier;
    if (opened) scopes_.back().barrier = opened;
    auto result = emit();
    scopes_.back().opened = opened;
    scopes_.back().barrier = barrier;
    for (Scope& each : inner) scopes_.push_back(std::move(each));
    return result;
  }

  // ---- values ----
  // A pure op, made once a scope, in the outermost scope its operands allow.
  Value* pure(std::string_view name, const std::vector<Value*>& operands, const Type& type, const Attributes& attributes = {});
  Value* constant(const Tensor& value);      // one element, as a scalar
  Value* integer(int64_t value);             // an index
  Value* dim(const Dim& dim);                // an index
  Value* add(Value* a, Value* b);
  Value* subtract(Value* a, Value* b);
  Value* multiply(Value* a, Value* b);
  Value* divide(Value* a, Value* b);         // of values that are not negative
  Value* remainder(Value* a, Value* b);
  Value* minimum(Value* a, Value* b);
  Value* maximum(Value* a, Value* b);
  Value* clamp(Value* low, Value* x, Value* high) { return minimum(maximum(x, low), high); }
  bool is_integer(const Value* value, int64_t* out = nullptr) const;

  // ---- memory ----
  Value* alloc(const Type& buffer);                          // in the innermost scope
  Value* view(Value* buffer, const Shape& shape);            // made once
  // `least` is the outermost scope the load may stand in (where the buffer has been written).
  Value* load(Value* buffer, const Index& index, int least = 0);
  void store(Value* value, Value* buffer, const Index& index);

  // ---- memory of what has been computed: valid while its scope is open ----
  using Key = std::pair<const Value*, Index>;
  Value* recall(const Key& key) const;
  void remember(const Key& key, Value* value);

 private:
  struct Scope {
    Region* region = nullptr;
    Operation* loop = nullptr;     // whose body it is; null for the kernel
    Operation* opened = nullptr;   // the loop inside it that is open: new ops go before it
    Operation* barrier = nullptr;  // the same while at_depth pretends that it is not open
    std::map<std::string, Value*> made;
    std::map<Key, Value*> known;
  };
  void insert_in(int depth);
  Value* note(Value* value, int depth);
  // Collapsed dims of an index become one dim of a view.
  std::pair<Value*, std::vector<Value*>> flatten(Value* buffer, const Index& index);

  Builder& builder_;
  std::vector<Scope> scopes_;
  std::map<const Value*, int> depths_;
  std::map<const Value*, int64_t> integers_;
};

}  // namespace stele::loops
