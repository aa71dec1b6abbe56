// Ops that write elements where the run tells, combining them by a region: scatter, select_and_scatter. And sort.
#include <algorithm>
#include <numeric>

#include "core/ops/all_ops.h"
#include "core/ops/elements.h"
#include "core/ops/reducer.h"
#include "core/ops/strided.h"
#include "core/ops/window.h"

namespace stele {
namespace {

using Tensors = std::vector<Tensor>;

// to[i] = region(to[i], value), one rounding each; directly where the region is one known op.
class Combiner {
 public:
  Combiner(const Region& region, unsigned count, EvalContext& context) : region_(region), context_(context) {
    if (count == 1) kind_ = reducer_of(region);
  }

  void operator()(Tensors& to, int64_t i, const Tensors& from, int64_t k) const {
    if (kind_.empty() || is_complex(to[0].dtype())) return by_region(to, i, from, k);
    const Reducer reducer(kind_, to[0].dtype());
    if (is_float(to[0].dtype())) {
      to[0].set(i, reducer(to[0].get(i), from[0].get(k)));
    } else {
      to[0].set_int(i, reducer(to[0].get_int(i), from[0].get_int(k)));
    }
  }

 private:
  void by_region(Tensors& to, int64_t i, const Tensors& from, int64_t k) const {
    Tensors arguments;
    for (const Tensor& x : to) arguments.push_back(element(x, i));
    for (const Tensor& x : from) arguments.push_back(element(x, k));
    const Tensors results = context_.run_region(region_, arguments);
    for (size_t n = 0; n < to.size(); ++n) set_element(to[n], i, results.at(n));
  }

  const Region& region_;
  EvalContext& context_;
  std::string_view kind_;
};

// ---- scatter --------------------------------------------------------------------------------------------------------
// scatter(inputs…, indices, updates…) {dimension numbers} region: the inputs with the updates combined into the slices
// that the indices tell; what would be outside is left out.
//   c1: as many updates as inputs, inputs of one shape, updates of one shape
//   c2: update_window_dims are axes of updates, sorted
//   c3: inserted_window_dims and input_batching_dims are axes of inputs, none twice
//   c4: scatter_dims_to_operand_dims is an axis of inputs for each component of an index vector
//   c5: index_vector_dim is an axis of indices, or its rank
//   c6: the region takes two scalars an input and returns one
//   c7: results have the inputs' types

struct ScatterNumbers {
  Ints window, inserted, batching, indices_batching, map;
  int64_t vector_axis;

  explicit ScatterNumbers(const Operation& op)
      : window(ints_attribute_or(op, "update_window_dims", {})),
        inserted(ints_attribute_or(op, "inserted_window_dims", {})),
        batching(ints_attribute_or(op, "input_batching_dims", {})),
        indices_batching(ints_attribute_or(op, "scatter_indices_batching_dims", {})),
        map(ints_attribute_or(op, "scatter_dims_to_operand_dims", {})),
        vector_axis(op.get_or<int64_t>("index_vector_dim", 0)) {}

  // Axes of the inputs that update_window_dims are, in order.
  Ints window_axes(int rank) const {
    Ints axes;
    for (int axis = 0; axis < rank; ++axis) {
      if (!among(inserted, axis) && !among(batching, axis)) axes.push_back(axis);
    }
    return axes;
  }
};

unsigned scatter_inputs(const Operation& op) {
  if (op.operand_count() < 3 || op.operand_count() % 2 == 0) violated(op, "c1", "{} operands, expected inputs, indices and as many updates", op.operand_count());
  return (op.operand_count() - 1) / 2;
}

std::vector<Type> infer_scatter(const Operation& op) {
  std::vector<Type> types;
  for (unsigned i = 0; i < scatter_inputs(op); ++i) types.push_back(op.operand(i)->type());
  return types;
}

void verify_scatter(const Operation& op) {
  const unsigned n = scatter_inputs(op);
  const ScatterNumbers numbers(op);
  const Type &input = op.operand(0)->type(), &indices = op.operand(n)->type(), &update = op.operand(n + 1)->type();
  for (unsigned i = 1; i < n; ++i) {
    if (!may_equal(op.operand(i)->shape(), input.shape) || !may_equal(op.operand(n + 1 + i)->shape(), update.shape)) violated(op, "c1", "inputs or updates differ in shape");
  }
  verify_axes(op, "c2", numbers.window, update.rank());
  Ints taken = numbers.inserted;
  taken.insert(taken.end(), numbers.batching.begin(), numbers.batching.end());
  verify_axes(op, "c3", taken, input.rank());
  verify_axes(op, "c4", numbers.map, input.rank());
  if (numbers.vector_axis < 0 || numbers.vector_axis > indices.rank()) violated(op, "c5", "index_vector_dim is {}, expected 0 to {}", numbers.vector_axis, indices.rank());
  const Dim components = numbers.vector_axis == indices.rank() ? Dim(1) : indices.shape[numbers.vector_axis];
  if (!may_equal(components, static_cast<int64_t>(numbers.map.size()))) violated(op, "c4", "{} axes, expected {}", numbers.map.size(), components.str());
  if (numbers.window.size() != numbers.window_axes(input.rank()).size()) violated(op, "c2", "{} update_window_dims, expected {}", numbers.window.size(), numbers.window_axes(input.rank()).size());
  if (op.region_count() != 1 || op.region().argument_count() != 2 * n || !op.region().terminator() || op.region().terminator()->operand_count() != n) {
    violated(op, "c6", "region is not one of {} arguments that returns {} values", 2 * n, n);
  }
  verify_inferred(op, "c7");
}

Tensors evaluate_scatter(const Operation& op, const Tensors& operands, EvalContext& context) {
  const unsigned n = scatter_inputs(op);
  const ScatterNumbers numbers(op);
  Tensors results;
  for (unsigned i = 0; i < n; ++i) results.push_back(own_copy(operands[i]));
  const Tensors updates(operands.begin() + n + 1, operands.end());
  const Tensor& indices = operands[n];
  const Ints starts = ints(indices), index_strides = indices.strides(), strides = results[0].strides();
  const Ints window_axes = numbers.window_axes(results[0].rank());
  const Ints& sizes = results[0].sizes();
  const int64_t step = numbers.vector_axis < indices.rank() ? index_strides[numbers.vector_axis] : 0;
  const Combiner combine(op.region(), n, context);
  Ints at_input(sizes.size());
  for (Subscripts at(updates[0].sizes()); !at.done(); at.next()) {
    // The update's subscripts that are no window's are the indices' but the vector's, in order.
    Ints batch;
    std::fill(at_input.begin(), at_input.end(), 0);
    for (size_t axis = 0, window = 0; axis < at.at().size(); ++axis) {
      if (among(numbers.window, static_cast<int64_t>(axis))) {
        at_input[window_axes[window++]] += at[axis];
      } else {
        batch.push_back(at[axis]);
      }
    }
    int64_t index = 0;
    for (size_t k = 0; k < batch.size(); ++k) {
      const auto axis = static_cast<int64_t>(k) < numbers.vector_axis ? k : k + 1;
      index += batch[k] * index_strides.at(axis);
    }
    for (size_t k = 0; k < numbers.map.size(); ++k) at_input[numbers.map[k]] += starts.at(index + static_cast<int64_t>(k) * step);
    for (size_t k = 0; k < numbers.batching.size(); ++k) {
      const int64_t axis = numbers.indices_batching.at(k);
      at_input[numbers.batching[k]] += batch.at(axis < numbers.vector_axis ? axis : axis - 1);
    }
    int64_t to = 0;
    bool inside = true;
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      inside = inside && at_input[axis] >= 0 && at_input[axis] < sizes[axis];
      to += at_input[axis] * strides[axis];
    }
    if (inside) combine(results, to, updates, at.linear());
  }
  return results;
}

// Copies the inputs, and reads and writes what the updates touch.
Cost cost_scatter(const Operation& op) {
  return one_kernel(op, op.operand(op.operand_count() - 1)->type().elements() * static_cast<int64_t>(scatter_inputs(op)));
}

const OpDef scatter_def = {
    .name = "stablehlo.scatter",
    .summary = "combine slices into places that indices tell",
    .operands = {{"inputs_indices_updates", OperandDef::variadic}},
    .attributes = {{"update_window_dims", "ints"}, {"inserted_window_dims", "ints"}, {"input_batching_dims", "ints"},
                   {"scatter_indices_batching_dims", "ints"}, {"scatter_dims_to_operand_dims", "ints"}, {"index_vector_dim", "i64"},
                   {"indices_are_sorted", "bool"}, {"unique_indices", "bool"}},
    .traits = Trait::pure,
    .verify = verify_scatter,
    .infer = infer_scatter,
    .evaluate = evaluate_scatter,
    .gradient = no_gradient("not provided"),
    .decompose = primitive(),
    .cost = cost_scatter,
};

// ---- select_and_scatter ---------------------------------------------------------------------------------------------
// select_and_scatter(x, source, init) {window} select, scatter: each source element goes to the element of its window
// of x that `select` chooses; those that meet are combined by `scatter`, from init.
//   c1: init is a scalar, x and source have its element type;  c2: two regions
//   c3: the source has as many positions as the window;  c4: the result has x's type

std::vector<WindowAxis> select_window(const Operation& op) {
  const auto rank = static_cast<size_t>(op.operand(0)->rank());
  const Ints ones(rank, 1), sizes = ints_attribute_or(op, "window_dimensions", ones), strides = ints_attribute_or(op, "window_strides", ones);
  const Shape padding = padding_of(op, rank);
  if (sizes.size() != rank || strides.size() != rank) violated(op, "c3", "window attributes of another number of axes than {}", rank);
  std::vector<WindowAxis> window;
  for (size_t i = 0; i < rank; ++i) {
    if (sizes[i] < 1 || strides[i] < 1) violated(op, "c3", "a window size or stride of axis {} is not positive", i);
    window.push_back({sizes[i], strides[i], padding[2 * i], padding[2 * i + 1], 1, 1});
  }
  return window;
}

std::vector<Type> infer_select_and_scatter(const Operation& op) { return {op.operand(0)->type()}; }

void verify_select_and_scatter(const Operation& op) {
  const Type &x = op.operand(0)->type(), &source = op.operand(1)->type(), &init = op.operand(2)->type();
  if (init.rank() != 0 || init.dtype != x.dtype || source.dtype != x.dtype || source.rank() != x.rank()) violated(op, "c1", "operands have types {}, {} and {}", x.str(), source.str(), init.str());
  if (op.region_count() != 2 || op.region(0).argument_count() != 2 || op.region(1).argument_count() != 2) violated(op, "c2", "regions are not two of two arguments");
  const std::vector<WindowAxis> window = select_window(op);
  for (size_t i = 0; i < window.size(); ++i) {
    const Dim positions = window_positions(x.shape[i], window[i]);
    if (!may_equal(positions, source.shape[i])) violated(op, "c3", "source dim {} is {}, expected {}", i, source.shape[i].str(), positions.str());
  }
  verify_inferred(op, "c4");
}

Tensors evaluate_select_and_scatter(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Tensor &x = operands[0], &source = operands[1];
  std::vector<StaticWindow> window;
  Ints sizes;
  const std::vector<WindowAxis> axes = select_window(op);
  for (size_t i = 0; i < axes.size(); ++i) {
    window.push_back(at_run(axes[i], x.sizes()[i], context.binding()));
    sizes.push_back(window.back().size);
  }
  Tensors result = {filled(operands[2], x.sizes())};
  const Combiner combine(op.region(1), 1, context);
  const Ints strides = x.strides();
  for (Subscripts at(source.sizes()); !at.done(); at.next()) {
    int64_t chosen = -1;
    for (Subscripts k(sizes); !k.done(); k.next()) {
      int64_t candidate = 0;
      for (size_t i = 0; i < window.size() && candidate >= 0; ++i) {
        const int64_t on = window[i].element(at[i], k[i]);
        candidate = on < 0 ? -1 : candidate + on * strides[i];
      }
      if (candidate < 0) continue;
      if (chosen < 0 || context.run_region(op.region(0), {element(x, chosen), element(x, candidate)}).at(0).get_int(0) == 0) chosen = candidate;
    }
    if (chosen >= 0) combine(result, chosen, {source}, at.linear());
  }
  return result;
}

const OpDef select_and_scatter_def = {
    .name = "stablehlo.select_and_scatter",
    .summary = "send each source element to the chosen element of its window",
    .operands = {{"x"}, {"source"}, {"init"}},
    .attributes = {{"window_dimensions", "ints, default 1"}, {"window_strides", "ints, default 1"}, {"padding", "ints, low and high of each axis, default 0"}},
    .traits = Trait::pure,
    .verify = verify_select_and_scatter,
    .infer = infer_select_and_scatter,
    .evaluate = evaluate_select_and_scatter,
    .gradient = no_gradient("not provided"),
    .decompose = primitive(),
    .cost = cost_movement,
};

// ---- sort -----------------------------------------------------------------------------------------------------------
// sort(inputs…) {dimension, is_stable} comparator: the inputs' lines along dimension, all permuted alike. Always stable.
//   c1: at least one input, inputs of one shape;  c2: dimension is an axis (negative: from the end)
//   c3: the comparator takes two scalars an input and returns a boolean;  c4: results have the inputs' types

int64_t sort_axis(const Operation& op) {
  const int64_t axis = op.get_or<int64_t>("dimension", -1);
  return axis < 0 ? axis + op.operand(0)->rank() : axis;
}

std::vector<Type> infer_sort(const Operation& op) {
  std::vector<Type> types;
  for (const Value* operand : op.operands()) types.push_back(operand->type());
  return types;
}

void verify_sort(const Operation& op) {
  if (op.operand_count() == 0) violated(op, "c1", "no inputs, expected at least 1");
  for (const Value* operand : op.operands()) {
    if (!may_equal(operand->shape(), op.operand(0)->shape())) violated(op, "c1", "inputs have shapes {} and {}", str(op.operand(0)->shape()), str(operand->shape()));
  }
  verify_axes(op, "c2", {sort_axis(op)}, op.operand(0)->rank());
  if (op.region_count() != 1 || op.region().argument_count() != 2 * op.operand_count()) violated(op, "c3", "comparator does not take {} arguments", 2 * op.operand_count());
  verify_inferred(op, "c4");
}

// A merge sort: unlike std::stable_sort it stays within the array whatever a user's comparator says.
template <typename Before>
void merge_sort(Ints& order, Before before) {
  Ints merged(order.size());
  for (size_t width = 1; width < order.size(); width *= 2) {
    for (size_t begin = 0; begin < order.size(); begin += 2 * width) {
      const size_t middle = std::min(begin + width, order.size()), end = std::min(begin + 2 * width, order.size());
      size_t left = begin, right = middle;
      for (size_t to = begin; to < end; ++to) {
        const bool take_right = left == middle || (right < end && before(order[right], order[left]));
        merged[to] = take_right ? order[right++] : order[left++];
      }
    }
    order.swap(merged);
  }
}

Tensors evaluate_sort(const Operation& op, const Tensors& operands, EvalContext& context) {
  Tensors results;
  for (const Tensor& x : operands) results.push_back(own_copy(x));
  const auto axis = static_cast<size_t>(sort_axis(op));
  Ints lines = operands[0].sizes();
  const int64_t length = std::exchange(lines[axis], 1);
  const Ints strides = operands[0].strides();
  for (Subscripts line(lines); !line.done(); line.next()) {
    int64_t start = 0;
    for (size_t i = 0; i < lines.size(); ++i) start += line[i] * strides[i];
    const auto before = [&](int64_t a, int64_t b) {
      Tensors arguments;
      for (const Tensor& x : operands) {
        arguments.push_back(element(x, start + a * strides[axis]));
        arguments.push_back(element(x, start + b * strides[axis]));
      }
      return context.run_region(op.region(), arguments).at(0).get_int(0) != 0;
    };
    Ints order(static_cast<size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    merge_sort(order, before);
    for (size_t n = 0; n < operands.size(); ++n) {
      for (int64_t i = 0; i < length; ++i) copy_element(results[n], start + i * strides[axis], operands[n], start + order[i] * strides[axis]);
    }
  }
  return results;
}

const OpDef sort_def = {
    .name = "stablehlo.sort",
    .summary = "sort lines by a comparator",
    .operands = {{"inputs", OperandDef::variadic}},
    .attributes = {{"dimension", "i64, default the last"}, {"is_stable", "bool; the evaluator always is"}},
    .traits = Trait::pure,
    .verify = verify_sort,
    .infer = infer_sort,
    .evaluate = evaluate_sort,
    .gradient = no_gradient("not provided"),
    .decompose = primitive(),
    .cost = cost_movement,
};

}  // namespace

std::span<const OpDef> scatter_ops() {
  static const OpDef table[] = {scatter_def, select_and_scatter_def, sort_def};
  return table;
}

}  // namespace stele
