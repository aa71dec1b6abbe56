#include "passes/lower/loops/elements.h"

#include <algorithm>

#include "core/ops/rules.h"
#include "passes/lower/loops/subscripts.h"

namespace stele::loops {

Value* Elements::buffer(const Value* tensor) const {
  auto found = buffers_.find(tensor);
  return found == buffers_.end() ? nullptr : found->second;
}

std::set<const Value*> Elements::in_memory() const {
  std::set<const Value*> values;
  for (const auto& [value, buffer] : buffers_) values.insert(value);
  return values;
}

Value* Elements::element(const Value* tensor, const Index& index) {
  if (Value* known = nest_.recall({tensor, index})) return known;
  if (Value* memory = buffer(tensor)) return nest_.load(memory, index);
  if (Value* value = from_row(tensor, index)) return value;
  const Operation* op = tensor->definition();
  if (!op) fail("a value of a fusion is neither in memory nor computed in it");
  Value* scalar = emit(*op, tensor, index);
  nest_.remember({tensor, index}, scalar);
  return scalar;
}

Value* Elements::emit(const Operation& op, const Value* tensor, const Index& index) {
  if (op.is("stablehlo.constant")) return constant(op);
  if (op.is("stablehlo.reduce")) return reduce(op, tensor, index);
  if (has_trait(op, Trait::elementwise)) return elementwise(op, index);
  if (op.is("stablehlo.broadcast_in_dim")) return element(op.operand(0), broadcast_index(nest_, op, index));
  if (op.is("stablehlo.reshape")) {
    return element(op.operand(0), reshaped_index(nest_, op.operand(0)->shape(), tensor->shape(), index));
  }
  if (op.is("stablehlo.optimization_barrier")) return element(op.operand(tensor->index()), index);
  if (op.is("stablehlo.transpose")) return transpose(op, index);
  // What follows takes subscripts apart.
  const Index apart = separated(nest_, index, tensor->shape());
  if (op.is("stablehlo.slice")) return slice(op, index);
  if (op.is("stablehlo.iota")) return iota(op, apart);
  if (op.is("stablehlo.concatenate")) return concatenate(op, index);
  if (op.is("stablehlo.pad")) return pad(op, apart);
  if (op.is("stablehlo.reverse")) {
    Index from = apart;
    for (int64_t axis : op.get<Ints>("dimensions")) {
      const auto at = static_cast<size_t>(axis);
      from[at] = nest_.subtract(nest_.dim(tensor->shape()[at] - 1), from[at]);
    }
    return element(op.operand(0), from);
  }
  if (op.is("stablehlo.gather")) return gather(op, apart);
  if (op.is("stablehlo.dynamic_slice")) return dynamic_slice(op, apart);
  if (op.is("stablehlo.dynamic_update_slice")) return dynamic_update_slice(op, apart);
  if (op.is("stablehlo.reduce_window")) return reduce_window(op, tensor, apart);
  if (has_trait(op, Trait::contraction)) {
    return nest_.at_depth(nest_.depth_of(apart), [&] { return contract(op, {apart}); }).front();
  }
  fail("{}: cannot be lowered to loops", op.describe());
}

Value* Elements::constant(const Operation& op) {
  const Tensor& value = op.get<Tensor>("value");
  Tensor one(value.dtype(), {});
  if (is_float(value.dtype())) {
    one.set(0, value.get(0));
  } else {
    one.set_int(0, value.get_int(0));
  }
  return nest_.constant(one);
}

Value* Elements::elementwise(const Operation& op, const Index& index) {
  std::vector<Value*> operands;
  for (const Value* operand : op.operands()) {
    // Predicates and bounds of rank 0 go with every element.
    operands.push_back(element(operand, operand->rank() == 0 ? Index{} : index));
  }
  return nest_.pure(op.name(), operands, Type::scalar(op.result()->dtype()), op.attributes());
}

Value* Elements::transpose(const Operation& op, const Index& given) {
  const Ints& permutation = op.get<Ints>("permutation");
  Index index = given;
  for (size_t axis = 0; axis + 1 < index.size(); ++axis) {
    if (!index[axis] && permutation[axis + 1] != permutation[axis] + 1) index = separated(nest_, given, op.result()->shape());
  }
  Index from(index.size());
  for (size_t i = 0; i < index.size(); ++i) from[static_cast<size_t>(permutation[i])] = index[i];
  return element(op.operand(0), from);
}

Value* Elements::iota(const Operation& op, const Index& index) {
  Value* subscript = index[static_cast<size_t>(op.get<int64_t>("iota_dimension"))];
  const DType dtype = op.result()->dtype();
  return nest_.pure("stablehlo.convert", {subscript}, Type::scalar(dtype));
}

Value* Elements::slice(const Operation& op, const Index& given) {
  const Value* x = op.operand(0);
  Index index = given;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    if (is_joined(index, axis) && x->shape()[axis] != op.result()->shape()[axis]) index = separated(nest_, given, op.result()->shape());
  }
  const Shape starts = dims_attribute(op, "start_indices");
  const Ints strides = ints_attribute_or(op, "strides", Ints(index.size(), 1));
  for (size_t axis = 0; axis < index.size(); ++axis) {
    if (is_joined(index, axis)) continue;  // whole
    index[axis] = nest_.add(nest_.multiply(index[axis], nest_.integer(strides[axis])), nest_.dim(starts[axis]));
  }
  return element(x, index);
}

Value* Elements::within(Value* subscript, const Dim& size) {
  const auto compare = [&](const char* direction, Value* bound) {
    return nest_.pure("stablehlo.compare", {subscript, bound}, Type::scalar(DType::boolean), {{"comparison_direction", direction}});
  };
  return both(compare("GE", nest_.integer(0)), compare("LT", nest_.dim(size)));
}

Value* Elements::both(Value* a, Value* b) {
  if (!a || !b) return a ? a : b;
  return nest_.pure("stablehlo.and", {a, b}, Type::scalar(DType::boolean));
}

Value* Elements::select(Value* condition, Value* yes, Value* no) {
  return condition ? nest_.pure("stablehlo.select", {condition, yes, no}, yes->type()) : yes;
}

Value* Elements::clamped(Value* subscript, const Dim& size) {
  return nest_.clamp(nest_.integer(0), subscript, nest_.dim(size - 1));
}

// pad: the operand's element where the subscripts, without padding, fall on one.
Value* Elements::pad(const Operation& op, const Index& index) {
  const Value* x = op.operand(0);
  const Shape low = dims_attribute(op, "edge_padding_low"), high = dims_attribute(op, "edge_padding_high");
  const Ints interior = ints_attribute_or(op, "interior_padding", Ints(index.size(), 0));
  Value* inside = nullptr;
  Index from = index;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    if (low[axis].is(0) && high[axis].is(0) && interior[axis] == 0) continue;
    Value* at = nest_.subtract(index[axis], nest_.dim(low[axis]));
    if (interior[axis] > 0) {
      Value* step = nest_.integer(interior[axis] + 1);
      Value* rest = nest_.pure("stablehlo.remainder", {at, step}, Type::index());
      inside = both(inside, nest_.pure("stablehlo.compare", {rest, nest_.integer(0)}, Type::scalar(DType::boolean),
                                       {{"comparison_direction", "EQ"}}));
      at = nest_.pure("stablehlo.divide", {at, step}, Type::index());
      inside = both(inside, nest_.pure("stablehlo.compare", {index[axis], nest_.dim(low[axis])}, Type::scalar(DType::boolean),
                                       {{"comparison_direction", "GE"}}));
    }
    inside = both(inside, within(at, x->shape()[axis]));
    from[axis] = clamped(at, x->shape()[axis]);
  }
  if (x->type().elements().is(0)) return element(op.operand(1), {});
  Value* padding = inside ? element(op.operand(1), {}) : nullptr;
  return select(inside, element(x, from), padding);
}

Value* Elements::concatenate(const Operation& op, const Index& given) {
  const auto along = static_cast<size_t>(op.get<int64_t>("dimension"));
  const Index index = is_joined(given, along) ? separated(nest_, given, op.result()->shape()) : given;
  Value* result = nullptr;
  Dim end = element_count({op.result()->shape()[along]});
  // From the last to the first: each takes what lies below its end.
  for (unsigned i = op.operand_count(); i-- > 0;) {
    const Value* piece = op.operand(i);
    const Dim size = piece->shape()[along];
    const Dim start = end - size;
    if (!size.is(0)) {
      Index from = index;
      from[along] = clamped(nest_.subtract(index[along], nest_.dim(start)), size);
      Value* value = element(piece, from);
      Value* below = result ? nest_.pure("stablehlo.compare", {index[along], nest_.dim(end)}, Type::scalar(DType::boolean),
                                         {{"comparison_direction", "LT"}})
                            : nullptr;
      result = result ? select(below, value, result) : value;
    }
    end = start;
  }
  if (!result) fail("{}: has no elements", op.describe());
  return result;
}

Value* Elements::dynamic_slice(const Operation& op, const Index& index) {
  const Value* x = op.operand(0);
  Index from;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    Value* start = nest_.pure("stablehlo.convert", {element(op.operand(static_cast<unsigned>(axis) + 1), {})}, Type::index());
    start = nest_.clamp(nest_.integer(0), start, nest_.dim(x->shape()[axis] - op.result()->shape()[axis]));
    from.push_back(nest_.add(start, index[axis]));
  }
  return element(x, from);
}

Value* Elements::dynamic_update_slice(const Operation& op, const Index& index) {
  const Value *x = op.operand(0), *update = op.operand(1);
  Value* inside = nullptr;
  Index from;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    Value* start = nest_.pure("stablehlo.convert", {element(op.operand(static_cast<unsigned>(axis) + 2), {})}, Type::index());
    start = nest_.clamp(nest_.integer(0), start, nest_.dim(x->shape()[axis] - update->shape()[axis]));
    Value* at = nest_.subtract(index[axis], start);
    inside = both(inside, within(at, update->shape()[axis]));
    from.push_back(clamped(at, update->shape()[axis]));
  }
  return select(inside, element(update, from), inside ? element(x, index) : nullptr);
}

// gather, as StableHLO's specification has it: the start of the slice, clamped, plus the subscripts within the slice.
Value* Elements::gather(const Operation& op, const Index& index) {
  const Value *x = op.operand(0), *starts = op.operand(1);
  const Ints offset_dims = ints_attribute_or(op, "offset_dims", {}), collapsed = ints_attribute_or(op, "collapsed_slice_dims", {});
  const Ints batching = ints_attribute_or(op, "operand_batching_dims", {}), start_batching = ints_attribute_or(op, "start_indices_batching_dims", {});
  const Ints start_map = ints_attribute_or(op, "start_index_map", {});
  const auto vector_dim = static_cast<size_t>(op.get_or<int64_t>("index_vector_dim", 0));
  const Shape sizes = dims_attribute(op, "slice_sizes");
  const auto in = [](const Ints& list, size_t value) { return std::find(list.begin(), list.end(), static_cast<int64_t>(value)) != list.end(); };
  Index batch;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    if (!in(offset_dims, axis)) batch.push_back(index[axis]);
  }
  Index from(x->shape().size(), nest_.integer(0));
  for (size_t k = 0; k < start_map.size(); ++k) {
    Index at = batch;
    if (vector_dim < starts->shape().size()) at.insert(at.begin() + static_cast<long>(vector_dim), nest_.integer(static_cast<int64_t>(k)));
    const auto axis = static_cast<size_t>(start_map[k]);
    Value* start = nest_.pure("stablehlo.convert", {element(starts, at)}, Type::index());
    from[axis] = nest_.clamp(nest_.integer(0), start, nest_.dim(x->shape()[axis] - sizes[axis]));
  }
  for (size_t k = 0; k < batching.size(); ++k) {
    const auto dim = static_cast<size_t>(start_batching[k]);
    from[static_cast<size_t>(batching[k])] = batch[dim - (vector_dim < dim ? 1 : 0)];
  }
  size_t next = 0;
  for (size_t axis = 0; axis < from.size(); ++axis) {
    if (in(collapsed, axis) || in(batching, axis)) continue;
    from[axis] = nest_.add(from[axis], index[static_cast<size_t>(offset_dims.at(next++))]);
  }
  return element(x, from);
}

Value* Elements::convert(Value* scalar, DType dtype) {
  return scalar->dtype() == dtype ? scalar : nest_.pure("stablehlo.convert", {scalar}, Type::scalar(dtype));
}

Value* Elements::zero(DType dtype) { return nest_.constant(Tensor(dtype, {})); }

Value* Elements::multiply_add(Value* a, Value* b, Value* c) {
  const Type& type = c->type();
  if (is_float(type.dtype)) return nest_.pure("loop.fma", {a, b, c}, type);
  return nest_.pure("stablehlo.add", {c, nest_.pure("stablehlo.multiply", {a, b}, type)}, type);
}

std::vector<Value*> Elements::inline_region(const Region& region, const std::vector<Value*>& arguments) {
  ValueMap values;
  for (unsigned i = 0; i < region.argument_count(); ++i) values[region.argument(i)] = arguments[i];
  const auto value_of = [&](const Operation& op, const Value* value) {
    auto found = values.find(value);
    if (found == values.end()) fail("{}: uses a value from outside of its region", op.describe());
    return found->second;
  };
  std::vector<Value*> results;
  for (const Operation& op : region) {
    std::vector<Value*> operands;
    for (const Value* operand : op.operands()) operands.push_back(value_of(op, operand));
    if (has_trait(op, Trait::terminator)) return operands;
    values[op.result()] = op.is("stablehlo.constant") ? constant(op)
                                                      : nest_.pure(op.name(), operands, Type::scalar(op.result()->dtype()), op.attributes());
  }
  return results;
}

namespace {

bool is_scalar_region(const Region& region) {
  for (const Operation& op : region) {
    if (has_trait(op, Trait::terminator)) continue;
    if (op.region_count() > 0 || op.result_count() != 1) return false;
    if (!op.is("stablehlo.constant") && !has_trait(op, Trait::elementwise)) return false;
  }
  return true;
}

bool is_loop_type(DType dtype) { return !is_complex(dtype) && dtype != DType::f8e4m3fn && dtype != DType::f8e5m2; }

}  // namespace

void check_can_emit(const Operation& op) {
  static const std::set<std::string, std::less<>> known = {
      "stablehlo.constant", "stablehlo.reduce", "stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.optimization_barrier",
      "stablehlo.transpose", "stablehlo.slice", "stablehlo.iota", "stablehlo.concatenate", "stablehlo.pad", "stablehlo.reverse",
      "stablehlo.gather", "stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice", "stablehlo.reduce_window",
      "stablehlo.dot_general", "stablehlo.dot", "stablehlo.convolution"};
  if (!known.contains(op.name()) && !has_trait(op, Trait::elementwise)) fail("{}: cannot be lowered to loops", op.describe());
  const auto check_type = [&](const Value* value) {
    if (!value->type().is_tensor() || !is_loop_type(value->dtype())) fail("{}: {} cannot be lowered to loops", op.describe(), value->type().str());
  };
  for (const Value* operand : op.operands()) check_type(operand);
  for (const Value* result : op.results()) check_type(result);
  if (op.region_count() > 0 && !is_scalar_region(op.region())) fail("{}: its region cannot be lowered to loops", op.describe());
  const bool arithmetic = has_trait(op, Trait::elementwise) && op.operand_count() <= 2;
  const bool special = op.is("stablehlo.convert") || op.is("stablehlo.compare") || op.is("stablehlo.is_finite");
  if (arithmetic && !special && !op_def(op).lanes) fail("{}: has no meaning on scalars", op.describe());
  if (op.is("stablehlo.convolution") && op.get_or<int64_t>("batch_group_count", 1) != 1) {
    fail("{}: batch_group_count other than 1 cannot be lowered to loops", op.describe());
  }
}

}  // namespace stele::loops
