// Reductions and contractions: loops that carry what has been accumulated.
#include <algorithm>

#include "core/ops/rules.h"
#include "core/ops/window.h"
#include "passes/lower/loops/elements.h"
#include "passes/lower/loops/subscripts.h"

namespace stele::loops {
namespace {

// Loops over extents (each from 0, or from `lower`), carrying values through all of them.
class Carrying {
 public:
  Carrying(Nest& nest, std::vector<Value*> values) : nest_(nest), values_(std::move(values)) {}

  Value* open(Value* lower, Value* upper) {
    int64_t first = 0, end = 0;
    if (nest_.is_integer(lower, &first) && nest_.is_integer(upper, &end) && end - first == 1) return lower;
    const Nest::Loop loop = nest_.open(lower, upper, values_);
    values_ = loop.carried;
    ++opened_;
    return loop.iv;
  }
  const std::vector<Value*>& values() const { return values_; }
  std::vector<Value*> close(std::vector<Value*> values) {
    for (; opened_ > 0; --opened_) values = nest_.close(values);
    return values;
  }

 private:
  Nest& nest_;
  std::vector<Value*> values_;
  int opened_ = 0;
};

bool depends_on(const Value* value, const Value* on, std::set<const Value*>& seen) {
  if (value == on) return true;
  const Operation* op = value->definition();
  if (!op || !seen.insert(value).second) return false;
  return std::any_of(op->operands().begin(), op->operands().end(), [&](const Value* operand) { return depends_on(operand, on, seen); });
}

bool contains(const Ints& list, int64_t value) { return std::find(list.begin(), list.end(), value) != list.end(); }

// The op of a reducer that is nothing but one; null else.
const Operation* only_op(const Region& region) {
  const Operation* first = region.first();
  const bool one = first && first->next() == region.terminator() && region.argument_count() == 2 && first->result_count() == 1 &&
                   region.terminator()->operand_count() == 1 && region.terminator()->operand(0) == first->result();
  return one ? first : nullptr;
}

// What a reduction is carried in. A sum of many f32 loses what the evaluator, which sums in f64, keeps: so it is carried
// in the next wider type, and rounded once.
DType carried_type(const Operation& reduction) {
  const DType dtype = reduction.operand(0)->dtype();
  const Operation* op = only_op(reduction.region());
  if (!op || !op->is("stablehlo.add") || op->operand(0) == op->operand(1) || !is_float(dtype)) return dtype;
  return dtype == DType::f32 ? DType::f64 : dtype == DType::f64 ? dtype : DType::f32;
}

// What sums of products of elements of this type are carried in.
DType accumulator(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype; }

}  // namespace

Value* Elements::from_row(const Value* tensor, const Index& index) {
  auto found = rows_.find(tensor);
  if (found == rows_.end()) return nullptr;
  const Row& row = found->second;
  Index inner;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    if (!row.reduced[axis] && row.outer[axis] != index[axis]) return nullptr;
    if (row.reduced[axis] && is_joined(index, axis)) return nullptr;
    if (row.reduced[axis]) inner.push_back(index[axis]);
  }
  return nest_.load(row.scratch, inner, row.depth);
}

std::vector<const Value*> Elements::rows_to_keep(const Operation& reduction, const std::vector<bool>& reduced) const {
  std::vector<const Value*> rows;
  const Value* x = reduction.operand(0);
  Dim elements = 1;
  for (size_t axis = 0; axis < reduced.size(); ++axis) {
    if (reduced[axis]) elements = elements * x->shape()[axis];
  }
  if (!elements.is_static() || elements.value() > most_row_elements) return rows;
  for (const Value* candidate : worth_keeping_) {
    std::set<const Value*> seen;
    if (candidate->shape() == x->shape() && !rows_.contains(candidate) && depends_on(x, candidate, seen)) rows.push_back(candidate);
  }
  return rows;
}

Value* Elements::carried(const Operation& reduction, Value* scalar) {
  const DType dtype = carried_type(reduction);
  return dtype == reduction.operand(0)->dtype() ? scalar : convert(scalar, dtype);
}

// One step: `arguments` are what is carried, then the new elements.
std::vector<Value*> Elements::combine(const Operation& reduction, const std::vector<Value*>& arguments) {
  const DType dtype = carried_type(reduction);
  if (dtype == reduction.operand(0)->dtype()) return inline_region(reduction.region(), arguments);
  return {nest_.pure("stablehlo.add", {arguments[0], convert(arguments[1], dtype)}, Type::scalar(dtype))};
}

Value* Elements::reduce(const Operation& op, const Value* tensor, const Index& given) {
  const Ints& dimensions = op.get<Ints>("dimensions");
  const unsigned count = op.operand_count() / 2;
  const Shape& from = op.operand(0)->shape();
  std::vector<bool> reduced(from.size());
  Shape row_shape;
  bool split = false;  // dims joined in the result have a reduced one between them
  for (size_t axis = 0, kept = 0; axis < from.size(); ++axis) {
    reduced[axis] = contains(dimensions, static_cast<int64_t>(axis));
    if (reduced[axis]) row_shape.push_back(from[axis]);
    if (reduced[axis] && kept > 0 && !given[kept - 1]) split = true;
    if (!reduced[axis]) ++kept;
  }
  const Index outer = split ? separated(nest_, given, tensor->shape()) : given;
  const int depth = nest_.depth_of(outer);
  const std::vector<Value*> results = nest_.at_depth(depth, [&] {
    std::vector<Value*> initial;
    for (unsigned i = 0; i < count; ++i) initial.push_back(carried(op, element(op.operand(count + i), {})));
    const std::vector<const Value*> keep = rows_to_keep(op, reduced);
    std::vector<Row> rows;
    for (const Value* value : keep) rows.push_back({nest_.alloc(Type::buffer(value->dtype(), row_shape)), {}, reduced, depth});
    Carrying loops(nest_, initial);
    Index at, row, inner;
    for (size_t axis = 0, kept = 0; axis < from.size(); ++axis) {
      at.push_back(reduced[axis] ? loops.open(nest_.integer(0), nest_.dim(from[axis])) : outer[kept++]);
      row.push_back(reduced[axis] ? nullptr : at.back());
      if (reduced[axis]) inner.push_back(at.back());
    }
    std::vector<Value*> arguments = loops.values();
    for (unsigned i = 0; i < count; ++i) arguments.push_back(element(op.operand(i), at));
    for (size_t i = 0; i < keep.size(); ++i) nest_.store(element(keep[i], at), rows[i].scratch, inner);
    std::vector<Value*> final = loops.close(combine(op, arguments));
    for (unsigned i = 0; i < count; ++i) final[i] = convert(final[i], op.result(i)->dtype());
    for (size_t i = 0; i < keep.size(); ++i) {
      rows[i].outer = row;
      rows_[keep[i]] = rows[i];
    }
    return final;
  });
  for (unsigned i = 0; i < count; ++i) nest_.remember({op.result(i), given}, results[i]);
  return results[tensor->index()];
}

Value* Elements::reduce_window(const Operation& op, const Value* tensor, const Index& index) {
  const unsigned count = op.operand_count() / 2;
  const Shape& from = op.operand(0)->shape();
  const size_t rank = from.size();
  const Ints ones(rank, 1);
  const Ints window = op.get<Ints>("window_dimensions"), strides = ints_attribute_or(op, "window_strides", ones);
  const Ints base = ints_attribute_or(op, "base_dilations", ones), dilations = ints_attribute_or(op, "window_dilations", ones);
  const Shape padding = padding_of(op, rank);
  const int depth = nest_.depth_of(index);
  const std::vector<Value*> results = nest_.at_depth(depth, [&] {
    std::vector<Value*> initial;
    std::vector<Value*> padding_values;
    for (unsigned i = 0; i < count; ++i) {
      padding_values.push_back(element(op.operand(count + i), {}));
      initial.push_back(carried(op, padding_values.back()));
    }
    Carrying loops(nest_, initial);
    Index at;
    Value* inside = nullptr;
    for (size_t axis = 0; axis < rank; ++axis) {
      Value* k = loops.open(nest_.integer(0), nest_.integer(window[axis]));
      Value* place = nest_.add(nest_.multiply(index[axis], nest_.integer(strides[axis])), nest_.multiply(k, nest_.integer(dilations[axis])));
      place = nest_.subtract(place, nest_.dim(padding[2 * axis]));
      Value* on = nullptr;
      if (base[axis] > 1) {
        Value* by = nest_.integer(base[axis]);
        Value* rest = nest_.pure("stablehlo.remainder", {place, by}, Type::index());
        on = nest_.pure("stablehlo.compare", {rest, nest_.integer(0)}, Type::scalar(DType::boolean), {{"comparison_direction", "EQ"}});
        on = both(on, nest_.pure("stablehlo.compare", {place, nest_.integer(0)}, Type::scalar(DType::boolean), {{"comparison_direction", "GE"}}));
        place = nest_.pure("stablehlo.divide", {place, by}, Type::index());
      }
      if (base[axis] > 1 || !padding[2 * axis].is(0) || !padding[2 * axis + 1].is(0)) {
        inside = both(inside, both(on, within(place, from[axis])));
        place = clamped(place, from[axis]);
      }
      at.push_back(place);
    }
    std::vector<Value*> arguments = loops.values();
    for (unsigned i = 0; i < count; ++i) arguments.push_back(select(inside, element(op.operand(i), at), padding_values[i]));
    std::vector<Value*> final = loops.close(combine(op, arguments));
    for (unsigned i = 0; i < count; ++i) final[i] = convert(final[i], op.result(i)->dtype());
    return final;
  });
  for (unsigned i = 0; i < count; ++i) nest_.remember({op.result(i), index}, results[i]);
  return results[tensor->index()];
}

std::vector<Value*> Elements::contract(const Operation& op, const std::vector<Index>& indices, const std::vector<bool>& inside) {
  return op.is("stablehlo.convolution") ? convolution(op, indices, inside) : dot(op, indices);
}

std::vector<Value*> Elements::dot(const Operation& op, const std::vector<Index>& indices) {
  const Value *x = op.operand(0), *y = op.operand(1);
  const bool plain = op.is("stablehlo.dot");
  const Ints x_batch = ints_attribute_or(op, "lhs_batching_dimensions", {}), y_batch = ints_attribute_or(op, "rhs_batching_dimensions", {});
  const Ints x_sum = plain ? Ints{x->rank() - 1} : ints_attribute_or(op, "lhs_contracting_dimensions", {});
  const Ints y_sum = plain ? Ints{0} : ints_attribute_or(op, "rhs_contracting_dimensions", {});
  const DType dtype = op.result()->dtype(), sum = accumulator(dtype);
  Carrying loops(nest_, std::vector<Value*>(indices.size(), zero(sum)));
  Index k;
  for (int64_t axis : x_sum) k.push_back(loops.open(nest_.integer(0), nest_.dim(x->shape()[static_cast<size_t>(axis)])));
  // One side's subscripts: batching, then free dims from `next` on, then what is summed over.
  const auto side = [&](const Value* value, const Ints& batch, const Ints& summed, const Index& out, size_t& next) {
    Index at(value->shape().size());
    for (size_t i = 0; i < batch.size(); ++i) at[static_cast<size_t>(batch[i])] = out[i];
    for (size_t i = 0; i < summed.size(); ++i) at[static_cast<size_t>(summed[i])] = k[i];
    for (size_t axis = 0; axis < at.size(); ++axis) {
      if (!contains(batch, static_cast<int64_t>(axis)) && !contains(summed, static_cast<int64_t>(axis))) at[axis] = out[next++];
    }
    return at;
  };
  std::vector<Value*> sums;
  for (size_t i = 0; i < indices.size(); ++i) {
    size_t next = x_batch.size();
    Value* left = convert(element(x, side(x, x_batch, x_sum, indices[i], next)), sum);
    Value* right = convert(element(y, side(y, y_batch, y_sum, indices[i], next)), sum);
    sums.push_back(multiply_add(left, right, loops.values()[i]));
  }
  sums = loops.close(sums);
  for (Value*& value : sums) value = convert(value, dtype);
  return sums;
}

std::vector<Value*> Elements::convolution(const Operation& op, const std::vector<Index>& indices, const std::vector<bool>& inside) {
  const Value *x = op.operand(0), *w = op.operand(1);
  const Ints &x_spatial = op.get<Ints>("input_spatial_dimensions"), &w_spatial = op.get<Ints>("kernel_spatial_dimensions");
  const Ints& out_spatial = op.get<Ints>("output_spatial_dimensions");
  const size_t rank = x_spatial.size();
  const Ints ones(rank, 1);
  const Ints strides = ints_attribute_or(op, "window_strides", ones), dilations = ints_attribute_or(op, "rhs_dilation", ones);
  const Ints base = ints_attribute_or(op, "lhs_dilation", ones);
  const Shape padding = padding_of(op, rank);
  const auto axis_of = [&](const char* name) { return static_cast<size_t>(op.get<int64_t>(name)); };
  const size_t x_batch = axis_of("input_batch_dimension"), x_feature = axis_of("input_feature_dimension");
  const size_t w_in = axis_of("kernel_input_feature_dimension"), w_out = axis_of("kernel_output_feature_dimension");
  const size_t out_batch = axis_of("output_batch_dimension"), out_feature = axis_of("output_feature_dimension");
  const int64_t groups = op.get_or<int64_t>("feature_group_count", 1);
  const DType dtype = op.result()->dtype(), sum = accumulator(dtype);
  const Index& first = indices.front();

  Carrying loops(nest_, std::vector<Value*>(indices.size(), zero(sum)));
  Index x_at(x->shape().size()), w_at(w->shape().size());
  Value* valid = nullptr;
  Value* feature = loops.open(nest_.integer(0), nest_.dim(w->shape()[w_in]));
  w_at[w_in] = feature;
  x_at[x_batch] = first[out_batch];
  for (size_t i = 0; i < rank; ++i) {
    const auto xs = static_cast<size_t>(x_spatial[i]), ws = static_cast<size_t>(w_spatial[i]);
    const Dim &extent = x->shape()[xs], &size = w->shape()[ws];
    const bool padded = !(padding[2 * i].is(0) && padding[2 * i + 1].is(0)) && !(i < inside.size() && inside[i]);
    const bool pointwise = size.is(1) && strides[i] == 1 && base[i] == 1 && padding[2 * i].is(0);
    if (pointwise && !padded) {  // dims may be joined
      w_at[ws] = nest_.integer(0);
      x_at[xs] = first[static_cast<size_t>(out_spatial[i])];
      continue;
    }
    Value* start = nest_.subtract(nest_.multiply(first[static_cast<size_t>(out_spatial[i])], nest_.integer(strides[i])), nest_.dim(padding[2 * i]));
    Value *lower = nest_.integer(0), *upper = nest_.dim(size);
    if (padded && base[i] == 1) {
      // Window elements whose place start + k*dilation lies in [0, extent).
      const auto least = [&](Value* bound) {
        Value* room = nest_.maximum(nest_.integer(0), nest_.subtract(bound, start));
        return nest_.divide(nest_.add(room, nest_.integer(dilations[i] - 1)), nest_.integer(dilations[i]));
      };
      lower = nest_.minimum(least(nest_.integer(0)), nest_.dim(size));
      upper = nest_.minimum(least(nest_.dim(extent)), nest_.dim(size));
    }
    w_at[ws] = loops.open(lower, upper);
    Value* place = nest_.add(start, nest_.multiply(w_at[ws], nest_.integer(dilations[i])));
    if (base[i] > 1) {
      Value* by = nest_.integer(base[i]);
      Value* rest = nest_.pure("stablehlo.remainder", {place, by}, Type::index());
      valid = both(valid, nest_.pure("stablehlo.compare", {rest, nest_.integer(0)}, Type::scalar(DType::boolean), {{"comparison_direction", "EQ"}}));
      valid = both(valid, within(place, extent * base[i]));
      place = clamped(nest_.pure("stablehlo.divide", {place, by}, Type::index()), extent);
    }
    x_at[xs] = place;
  }
  std::vector<Value*> sums;
  for (size_t i = 0; i < indices.size(); ++i) {
    w_at[w_out] = indices[i][out_feature];
    // Group g of the outputs sees group g of the inputs.
    const Dim per_group = Dim::floor_div(w->shape()[w_out], groups);
    Value* group = groups == 1 ? nest_.integer(0) : nest_.divide(w_at[w_out], nest_.dim(per_group));
    x_at[x_feature] = nest_.add(nest_.multiply(group, nest_.dim(w->shape()[w_in])), feature);
    Value* left = convert(element(x, x_at), sum);
    if (valid) left = select(valid, left, zero(sum));
    sums.push_back(multiply_add(left, convert(element(w, w_at), sum), loops.values()[i]));
  }
  sums = loops.close(sums);
  for (Value*& value : sums) value = convert(value, dtype);
  return sums;
}

}  // namespace stele::loops
