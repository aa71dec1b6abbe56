// One element of a tensor value as a scalar, emitted into a nest: what lowering is made of. Elementwise and movement ops
// become arithmetic on subscripts; a reduction becomes a loop of its own, as far out as its subscripts allow.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/ops/op_def.h"
#include "passes/lower/loops/nest.h"

namespace stele::loops {

// Rows up to this size may be kept in scratch, which lies on a thread's stack.
constexpr int64_t most_row_elements = 32768;

class Elements {
 public:
  explicit Elements(Nest& nest) : nest_(nest) {}

  Nest& nest() { return nest_; }
  // The value is what the buffer holds.
  void bind(const Value* tensor, Value* buffer) { buffers_[tensor] = buffer; }
  Value* buffer(const Value* tensor) const;  // null where it is not in memory
  std::set<const Value*> in_memory() const;
  // Values that a reduction over their rows is to keep in scratch, because they are dear and used again.
  void keep_rows_of(std::vector<const Value*> values) { worth_keeping_ = std::move(values); }

  // Element `index` of the tensor, as a scalar of its dtype.
  Value* element(const Value* tensor, const Index& index);
  // Several elements of a dot_general or convolution at once, in the innermost scope: one loop, an accumulator each.
  // `inside[i]`: window axis i of a convolution is known not to touch padding.
  std::vector<Value*> contract(const Operation& op, const std::vector<Index>& indices, const std::vector<bool>& inside = {});
  // The element is this scalar from here on, in this scope.
  void know(const Value* tensor, const Index& index, Value* scalar) { nest_.remember({tensor, index}, scalar); }

 private:
  Value* emit(const Operation& op, const Value* tensor, const Index& index);
  Value* constant(const Operation& op);
  Value* elementwise(const Operation& op, const Index& index);
  Value* transpose(const Operation& op, const Index& index);
  Value* iota(const Operation& op, const Index& index);
  Value* slice(const Operation& op, const Index& index);
  Value* pad(const Operation& op, const Index& index);
  Value* concatenate(const Operation& op, const Index& index);
  Value* gather(const Operation& op, const Index& index);
  Value* dynamic_slice(const Operation& op, const Index& index);
  Value* dynamic_update_slice(const Operation& op, const Index& index);
  Value* reduce(const Operation& op, const Value* tensor, const Index& index);
  Value* reduce_window(const Operation& op, const Value* tensor, const Index& index);
  std::vector<Value*> dot(const Operation& op, const std::vector<Index>& indices);
  std::vector<Value*> convolution(const Operation& op, const std::vector<Index>& indices, const std::vector<bool>& inside);

  Value* carried(const Operation& reduction, Value* scalar);
  std::vector<Value*> combine(const Operation& reduction, const std::vector<Value*>& arguments);
  // A region of scalar ops (a reduction's) on these values; what it returns.
  std::vector<Value*> inline_region(const Region& region, const std::vector<Value*>& arguments);
  Value* within(Value* subscript, const Dim& size);  // 0 <= subscript < size, as a boolean
  Value* both(Value* a, Value* b);                   // null: true
  Value* select(Value* condition, Value* yes, Value* no);
  Value* clamped(Value* subscript, const Dim& size);
  Value* convert(Value* scalar, DType dtype);
  Value* zero(DType dtype);
  Value* multiply_add(Value* a, Value* b, Value* c);

  // A row in scratch: valid where the subscripts that are not reduced are those it was computed for.
  struct Row {
    Value* scratch = nullptr;
    Index outer;  // at the reduced dims: null
    std::vector<bool> reduced;
    int depth = 0;
  };
  Value* from_row(const Value* tensor, const Index& index);
  std::vector<const Value*> rows_to_keep(const Operation& reduction, const std::vector<bool>& reduced) const;

  Nest& nest_;
  ValueMap buffers_;
  std::vector<const Value*> worth_keeping_;
  std::map<const Value*, Row> rows_;
};

// Throws Error naming the op where an element of it cannot be emitted.
void check_can_emit(const Operation& op);

}  // namespace stele::loops
