#include "passes/lower/loops/nest.h"

#include <algorithm>

#include "core/ir/text.h"

namespace stele::loops {

Nest::Nest(Builder& builder, Region& body) : builder_(builder) {
  scopes_.emplace_back();
  scopes_.back().region = &body;
}

int Nest::depth_of(const Value* value) const {
  auto found = depths_.find(value);
  return found == depths_.end() ? 0 : found->second;
}

int Nest::depth_of(const Index& index) const {
  int depth = 0;
  for (const Value* value : index) {
    if (value) depth = std::max(depth, depth_of(value));
  }
  return depth;
}

void Nest::insert_in(int depth) {
  if (depth > this->depth()) fail("lowering uses a value of a loop that is closed");
  const Scope& scope = scopes_[static_cast<size_t>(depth)];
  Operation* const before = scope.opened ? scope.opened : scope.barrier;
  if (before) {
    builder_.before(before);
  } else {
    builder_.at_end(*scope.region);
  }
}

Value* Nest::note(Value* value, int depth) {
  depths_[value] = depth;
  return value;
}

Nest::Loop Nest::open(Value* lower, Value* upper, const std::vector<Value*>& initial, int64_t step) {
  insert_in(depth());
  std::vector<Value*> operands = {lower, upper};
  std::vector<Type> types;
  for (Value* value : initial) {
    operands.push_back(value);
    types.push_back(value->type());
  }
  Operation* op = builder_.create("loop.for", operands, types, {{"step", step}, {"mode", "serial"}}, 1);
  const int parent = depth();
  scopes_.back().opened = op;
  scopes_.emplace_back();
  scopes_.back().region = &op->region();
  scopes_.back().loop = op;
  Loop loop{op, note(builder_.add_argument(op->region(), Type::index()), depth()), {}};
  for (const Type& type : types) loop.carried.push_back(note(builder_.add_argument(op->region(), type), depth()));
  for (unsigned i = 0; i < op->result_count(); ++i) note(op->result(i), parent);
  return loop;
}

std::vector<Value*> Nest::close(const std::vector<Value*>& yielded) {
  Operation* op = scopes_.back().loop;
  builder_.at_end(*scopes_.back().region);
  builder_.create("loop.yield", yielded, {});
  scopes_.pop_back();
  scopes_.back().opened = nullptr;
  return op->results();
}

Value* Nest::pure(std::string_view name, const std::vector<Value*>& operands, const Type& type, const Attributes& attributes) {
  int depth = 0;
  std::string key(name);
  for (const Value* operand : operands) {
    depth = std::max(depth, depth_of(operand));
    key += fmt::format(" {}", static_cast<const void*>(operand));
  }
  key += ":" + type.str();
  for (const auto& [attribute, value] : attributes) key += fmt::format(" {}={}", attribute, print(value));
  auto& made = scopes_[static_cast<size_t>(depth)].made;
  if (auto found = made.find(key); found != made.end()) return found->second;
  insert_in(depth);
  return made[key] = note(builder_.create_value(name, operands, type, attributes), depth);
}

Value* Nest::constant(const Tensor& value) {
  return pure("loop.constant", {}, Type::scalar(value.dtype()), {{"value", value}});
}

Value* Nest::integer(int64_t value) {
  Value* made = pure("loop.constant", {}, Type::index(), {{"value", Tensor::of_ints(DType::index, {}, {value})}});
  integers_[made] = value;
  return made;
}

Value* Nest::dim(const Dim& dim) {
  if (dim.is_static()) return integer(dim.value());
  return pure("loop.dim", {}, Type::index(), {{"value", Shape{dim}}});
}

bool Nest::is_integer(const Value* value, int64_t* out) const {
  auto found = integers_.find(value);
  if (found == integers_.end()) return false;
  if (out) *out = found->second;
  return true;
}

Value* Nest::add(Value* a, Value* b) {
  int64_t x = 0, y = 0;
  const bool left = is_integer(a, &x), right = is_integer(b, &y);
  if (left && right) return integer(x + y);
  if (left && x == 0) return b;
  if (right && y == 0) return a;
  return pure("stablehlo.add", {a, b}, Type::index());
}

Value* Nest::subtract(Value* a, Value* b) {
  int64_t x = 0, y = 0;
  const bool left = is_integer(a, &x), right = is_integer(b, &y);
  if (left && right) return integer(x - y);
  if (right) return add(a, integer(-y));
  return pure("stablehlo.subtract", {a, b}, Type::index());
}

Value* Nest::multiply(Value* a, Value* b) {
  int64_t x = 0, y = 0;
  const bool left = is_integer(a, &x), right = is_integer(b, &y);
  if (left && right) return integer(x * y);
  if (left && x == 1) return b;
  if (right && y == 1) return a;
  if ((left && x == 0) || (right && y == 0)) return integer(0);
  return pure("stablehlo.multiply", {a, b}, Type::index());
}

Value* Nest::divide(Value* a, Value* b) {
  int64_t x = 0, y = 0;
  const bool left = is_integer(a, &x), right = is_integer(b, &y);
  if (right && y == 1) return a;
  if (left && right && y > 0 && x >= 0) return integer(x / y);
  return pure("stablehlo.divide", {a, b}, Type::index());
}

Value* Nest::remainder(Value* a, Value* b) {
  int64_t x = 0, y = 0;
  const bool left = is_integer(a, &x), right = is_integer(b, &y);
  if (right && y == 1) return integer(0);
  if (left && right && y > 0 && x >= 0) return integer(x % y);
  return pure("stablehlo.remainder", {a, b}, Type::index());
}

Value* Nest::minimum(Value* a, Value* b) {
  int64_t x = 0, y = 0;
  if (is_integer(a, &x) && is_integer(b, &y)) return integer(std::min(x, y));
  return a == b ? a : pure("stablehlo.minimum", {a, b}, Type::index());
}

Value* Nest::maximum(Value* a, Value* b) {
  int64_t x = 0, y = 0;
  if (is_integer(a, &x) && is_integer(b, &y)) return integer(std::max(x, y));
  return a == b ? a : pure("stablehlo.maximum", {a, b}, Type::index());
}

Value* Nest::alloc(const Type& buffer) {
  insert_in(depth());
  return note(builder_.create_value("loop.alloc", {}, buffer), depth());
}

Value* Nest::view(Value* buffer, const Shape& shape) {
  if (buffer->shape() == shape) return buffer;
  return pure("loop.view", {buffer}, Type::buffer(buffer->dtype(), shape));
}

std::pair<Value*, std::vector<Value*>> Nest::flatten(Value* buffer, const Index& index) {
  Shape shape;
  std::vector<Value*> subscripts;
  Dim product = 1;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    product = product * buffer->shape()[axis];
    if (!index[axis]) continue;
    shape.push_back(product);
    subscripts.push_back(index[axis]);
    product = 1;
  }
  return {view(buffer, shape), subscripts};
}

Value* Nest::load(Value* buffer, const Index& index, int least) {
  auto [memory, subscripts] = flatten(buffer, index);
  int scope = std::max({depth_of(index), depth_of(memory), least});
  // Hoisted above a loop that may not run, a constant subscript would read what is not there.
  for (size_t axis = 0; axis < subscripts.size(); ++axis) {
    int64_t at = 0;
    const Dim& size = memory->shape()[axis];
    if (is_integer(subscripts[axis], &at) && !(size.is_static() && at >= 0 && at < size.value())) scope = depth();
  }
  const Key key = {memory, subscripts};
  if (Value* known = recall(key)) return known;
  insert_in(scope);
  std::vector<Value*> operands = {memory};
  operands.insert(operands.end(), subscripts.begin(), subscripts.end());
  Value* value = note(builder_.create_value("loop.load", operands, Type::scalar(buffer->dtype())), scope);
  scopes_[static_cast<size_t>(scope)].known[key] = value;
  return value;
}

void Nest::store(Value* value, Value* buffer, const Index& index) {
  auto [memory, subscripts] = flatten(buffer, index);
  insert_in(depth());
  std::vector<Value*> operands = {value, memory};
  operands.insert(operands.end(), subscripts.begin(), subscripts.end());
  builder_.create("loop.store", operands, {});
}

Value* Nest::recall(const Key& key) const {
  for (const Scope& scope : scopes_) {
    if (auto found = scope.known.find(key); found != scope.known.end()) return found->second;
  }
  return nullptr;
}

void Nest::remember(const Key& key, Value* value) { scopes_[static_cast<size_t>(depth_of(value))].known[key] = value; }

}  // namespace stele::loops
