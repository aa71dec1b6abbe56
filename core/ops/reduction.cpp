// Reductions: reduce and reduce_window, by a region. A region of one commutative op is run directly, in double and
// rounded once; any other is interpreted for every element.
#include <algorithm>
#include <cmath>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/elements.h"
#include "core/ops/reducer.h"
#include "core/ops/strided.h"
#include "core/ops/window.h"

namespace stele {

// ---- what both share ------------------------------------------------------------------------------------------------

std::string_view reducer_of(const Region& region) {
  const Operation* op = region.first();
  if (!op || region.argument_count() != 2 || op->next() != region.terminator() || op->operand_count() != 2 || op->result_count() != 1) return {};
  const Operation& end = *region.terminator();
  if (end.operand_count() != 1 || end.operand(0) != op->result()) return {};
  const Value *a = region.argument(0), *b = region.argument(1);
  const bool both = (op->operand(0) == a && op->operand(1) == b) || (op->operand(0) == b && op->operand(1) == a);
  if (!both || op->result()->dtype() != a->dtype()) return {};
  for (std::string_view kind : {"add", "multiply", "maximum", "minimum", "and", "or", "xor"}) {
    if (op->name().substr(op->name().find('.') + 1) == kind && op->name().starts_with("stablehlo.")) return kind;
  }
  return {};
}

Reducer::Reducer(std::string_view kind, DType dtype) : is_unsigned(is_unsigned_int(dtype)) {
  constexpr std::string_view kinds[] = {"add", "multiply", "maximum", "minimum", "and", "or", "xor"};
  for (size_t i = 0; i < std::size(kinds); ++i) {
    if (kind == kinds[i]) this->kind = static_cast<Kind>(i);
  }
}

double Reducer::operator()(double a, double b) const {
  switch (kind) {
    case add: return a + b;
    case multiply: return a * b;
    case maximum:
      if (std::isnan(a) || std::isnan(b)) return NAN;
      return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
    case minimum:
      if (std::isnan(a) || std::isnan(b)) return NAN;
      return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
    default: fail("a reduction by a bitwise op on floats");
  }
}

int64_t Reducer::operator()(int64_t a, int64_t b) const {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  const bool less = is_unsigned ? x < y : a < b;
  switch (kind) {
    case add: return static_cast<int64_t>(x + y);
    case multiply: return static_cast<int64_t>(x * y);
    case maximum: return less ? b : a;
    case minimum: return less ? a : b;
    case bit_and: return a & b;
    case bit_or: return a | b;
    case bit_xor: return a ^ b;
  }
  return a;
}

namespace {

using Tensors = std::vector<Tensor>;
using Values = std::vector<Value*>;

// Region of n inputs: 2n scalars in, n out, of the inputs' element types.
void verify_region(const Operation& op, std::string_view constraint, unsigned n) {
  if (op.region_count() != 1 || op.region().argument_count() != 2 * n || !op.region().terminator() ||
      op.region().terminator()->operand_count() != n) {
    violated(op, constraint, "region is not one of {} arguments that returns {} values", 2 * n, n);
  }
}

unsigned input_count(const Operation& op) {
  if (op.operand_count() == 0 || op.operand_count() % 2 != 0) violated(op, "c1", "{} operands, expected as many inits as inputs", op.operand_count());
  return op.operand_count() / 2;
}

void verify_inputs(const Operation& op) {
  const unsigned n = input_count(op);
  for (unsigned i = 0; i < n; ++i) {
    if (!may_equal(op.operand(i)->shape(), op.operand(0)->shape())) {
      violated(op, "c1", "inputs have shapes {} and {}", str(op.operand(0)->shape()), str(op.operand(i)->shape()));
    }
    if (op.operand(n + i)->rank() != 0 || op.operand(n + i)->dtype() != op.operand(i)->dtype()) {
      violated(op, "c2", "init {} has type {}, expected a scalar of {}", i, op.operand(n + i)->type().str(), name(op.operand(i)->dtype()));
    }
  }
}

// Result element types: what the region returns.
DType result_dtype(const Operation& op, unsigned i) {
  if (op.region_count() == 1 && op.region().terminator() && i < op.region().terminator()->operand_count()) {
    return op.region().terminator()->operand(i)->dtype();
  }
  return op.operand(i)->dtype();
}

// ---- reduce ---------------------------------------------------------------------------------------------------------
// reduce(inputs…, inits…) {dimensions} region: folds the elements along the dimensions, in row-major order, from init.
//   c1: as many inits as inputs, inputs of one shape
//   c2: inits are scalars of the inputs' element types
//   c3: dimensions are axes, none twice
//   c4: the region takes and returns one scalar (two, resp.) an input
//   c5: results have the inputs' shape without the dimensions

std::vector<Type> infer_reduce(const Operation& op) {
  const unsigned n = input_count(op);
  const Ints& dimensions = op.get<Ints>("dimensions");
  verify_axes(op, "c3", dimensions, op.operand(0)->rank());
  std::vector<Type> types;
  for (unsigned i = 0; i < n; ++i) {
    Shape shape;
    for (int axis = 0; axis < op.operand(0)->rank(); ++axis) {
      if (std::find(dimensions.begin(), dimensions.end(), axis) == dimensions.end()) shape.push_back(op.operand(0)->shape()[axis]);
    }
    types.push_back(Type::tensor(result_dtype(op, i), shape));
  }
  return types;
}

void verify_reduce(const Operation& op) {
  verify_inputs(op);
  verify_region(op, "c4", input_count(op));
  verify_inferred(op, "c5");
}

// The input with kept axes first, then the reduced ones: rows to fold.
Tensor rows_of(const Tensor& x, const Ints& dimensions, Ints& kept) {
  Ints order, sizes, strides, reduced;
  kept.clear();
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool folds = std::find(dimensions.begin(), dimensions.end(), axis) != dimensions.end();
    (folds ? reduced : order).push_back(axis);
    if (!folds) kept.push_back(x.sizes()[axis]);
  }
  order.insert(order.end(), reduced.begin(), reduced.end());
  if (std::is_sorted(order.begin(), order.end())) return x;
  for (int64_t axis : order) {
    sizes.push_back(x.sizes()[axis]);
    strides.push_back(x.strides()[axis]);
  }
  return gather_strided(x, sizes, 0, strides);
}

template <typename Number>
Tensor fold_rows(const Tensor& rows, const Tensor& init, const Ints& kept, const Reducer& reducer) {
  Tensor result(rows.dtype(), kept);
  const int64_t length = result.elements() == 0 ? 0 : rows.elements() / result.elements();
  Number start;
  read(init, 0, 1, &start);
  std::vector<Number> row(static_cast<size_t>(length));
  for (int64_t i = 0; i < result.elements(); ++i) {
    read(rows, i * length, length, row.data());
    Number sum = start;
    for (const Number& value : row) sum = reducer(sum, value);
    write(result, i, 1, &sum);
  }
  return result;
}

// state = region(state, elements)
void fold(EvalContext& context, const Region& region, Tensors& state, const Tensors& elements) {
  Tensors arguments = state;
  arguments.insert(arguments.end(), elements.begin(), elements.end());
  state = context.run_region(region, arguments);
}

Tensors evaluate_reduce(const Operation& op, const Tensors& operands, EvalContext& context) {
  const unsigned n = input_count(op);
  const Ints& dimensions = op.get<Ints>("dimensions");
  Ints kept;
  Tensors rows, results;
  for (unsigned i = 0; i < n; ++i) {
    if (operands[i].sizes() != operands[0].sizes()) fail("{}: inputs have sizes {} and {}", op.describe(), str(operands[0].sizes()), str(operands[i].sizes()));
    rows.push_back(rows_of(operands[i], dimensions, kept));
  }
  if (const auto kind = reducer_of(op.region()); n == 1 && !kind.empty() && !is_complex(rows[0].dtype())) {
    const Reducer reducer(kind, rows[0].dtype());
    return {is_float(rows[0].dtype()) ? fold_rows<double>(rows[0], operands[1], kept, reducer)
                                      : fold_rows<int64_t>(rows[0], operands[1], kept, reducer)};
  }
  for (unsigned i = 0; i < n; ++i) results.emplace_back(context.widened(result_dtype(op, i)), kept);
  const int64_t count = results[0].elements(), length = count == 0 ? 0 : rows[0].elements() / count;
  for (int64_t at = 0; at < count; ++at) {
    Tensors state(operands.begin() + n, operands.end());
    for (int64_t k = 0; k < length; ++k) {
      Tensors elements;
      for (const Tensor& x : rows) elements.push_back(element(x, at * length + k));
      fold(context, op.region(), state, elements);
    }
    for (unsigned i = 0; i < n; ++i) set_element(results[i], at, state.at(i));
  }
  return results;
}

// Of a sum: g repeated. Of others it is not provided.
Values gradient_reduce(const Operation& op, const Values& g, Builder& b) {
  if (op.operand_count() != 2 || reducer_of(op.region()) != "add") fail("{}: gradient of this reduction is not provided", op.describe());
  const Ints& dimensions = op.get<Ints>("dimensions");
  Ints kept;
  for (int axis = 0; axis < op.operand(0)->rank(); ++axis) {
    if (std::find(dimensions.begin(), dimensions.end(), axis) == dimensions.end()) kept.push_back(axis);
  }
  return {build::broadcast_in_dim(b, g[0], op.operand(0)->type(), kept), nullptr};
}

Cost cost_reduce(const Operation& op) {
  return one_kernel(op, op.operand(0)->type().elements() * static_cast<int64_t>(input_count(op)));
}

const OpDef reduce_def = {
    .name = "stablehlo.reduce",
    .summary = "fold the elements along axes by a region",
    .operands = {{"inputs_and_inits", OperandDef::variadic}},
    .attributes = {{"dimensions", "ints", true}},
    .traits = Trait::pure | Trait::reduction,
    .verify = verify_reduce,
    .infer = infer_reduce,
    .evaluate = evaluate_reduce,
    .gradient = gradient_reduce,
    .decompose = primitive(),
    .cost = cost_reduce,
};

// ---- reduce_window --------------------------------------------------------------------------------------------------
// reduce_window(inputs…, inits…) {window} region: folds the elements of each window; padding and gaps are skipped,
// which is folding init there.
//   c1, c2: as of reduce;  c3: one window size, stride, dilation and pair of paddings an axis, sizes, strides and dilations positive
//   c4: as of reduce;  c5: results have as many positions as the window has

std::vector<WindowAxis> window_of(const Operation& op) {
  const auto rank = static_cast<size_t>(op.operand(0)->rank());
  const Ints ones(rank, 1);
  const Shape sizes = dims_attribute(op, "window_dimensions"), padding = padding_of(op, rank);
  const Ints strides = ints_attribute_or(op, "window_strides", ones), base = ints_attribute_or(op, "base_dilations", ones);
  const Ints dilations = ints_attribute_or(op, "window_dilations", ones);
  if (sizes.size() != rank || strides.size() != rank || base.size() != rank || dilations.size() != rank) {
    violated(op, "c3", "window attributes of another number of axes than {}", rank);
  }
  std::vector<WindowAxis> window;
  for (size_t i = 0; i < rank; ++i) {
    const bool empty = sizes[i].is_static() && sizes[i].value() < 1;
    if (empty || strides[i] < 1 || base[i] < 1 || dilations[i] < 1) violated(op, "c3", "a window size, stride or dilation of axis {} is not positive", i);
    window.push_back({sizes[i], strides[i], padding[2 * i], padding[2 * i + 1], base[i], dilations[i]});
  }
  return window;
}

std::vector<Type> infer_reduce_window(const Operation& op) {
  const unsigned n = input_count(op);
  const std::vector<WindowAxis> window = window_of(op);
  std::vector<Type> types;
  for (unsigned i = 0; i < n; ++i) {
    Shape shape;
    for (size_t axis = 0; axis < window.size(); ++axis) shape.push_back(window_positions(op.operand(0)->shape()[axis], window[axis]));
    types.push_back(Type::tensor(result_dtype(op, i), shape));
  }
  return types;
}

void verify_reduce_window(const Operation& op) {
  verify_inputs(op);
  verify_region(op, "c4", input_count(op));
  verify_inferred(op, "c5");
}

struct Windows {
  std::vector<StaticWindow> axes;
  Ints sizes, positions, strides;

  // Calls visit(linear element) for the elements of the window at `at`, in order.
  template <typename Visit>
  void each(const Subscripts& at, Visit visit) const {
    for (Subscripts k(sizes); !k.done(); k.next()) {
      int64_t element = 0;
      for (size_t i = 0; i < axes.size() && element >= 0; ++i) {
        const int64_t on = axes[i].element(at[i], k[i]);
        element = on < 0 ? -1 : element + on * strides[i];
      }
      if (element >= 0) visit(element);
    }
  }
};

Windows windows_at_run(const Operation& op, const Tensor& x, EvalContext& context) {
  Windows windows;
  windows.strides = x.strides();
  const std::vector<WindowAxis> axes = window_of(op);
  for (size_t i = 0; i < axes.size(); ++i) {
    windows.axes.push_back(at_run(axes[i], x.sizes()[i], context.binding()));
    const WindowAxis axis{windows.axes[i].size, axes[i].stride, axes[i].low.evaluate(context.binding()), axes[i].high.evaluate(context.binding()),
                          axes[i].base_dilation, axes[i].window_dilation};
    windows.sizes.push_back(windows.axes[i].size);
    windows.positions.push_back(window_positions(x.sizes()[i], axis).value());
  }
  return windows;
}

template <typename Number>
Tensor fold_windows(const Windows& windows, const Tensor& x, const Tensor& init, const Reducer& reducer) {
  Tensor result(x.dtype(), windows.positions);
  std::vector<Number> values(static_cast<size_t>(x.elements()));
  read(x, 0, x.elements(), values.data());
  Number start;
  read(init, 0, 1, &start);
  for (Subscripts at(windows.positions); !at.done(); at.next()) {
    Number sum = start;
    windows.each(at, [&](int64_t i) { sum = reducer(sum, values[i]); });
    write(result, at.linear(), 1, &sum);
  }
  return result;
}

Tensors evaluate_reduce_window(const Operation& op, const Tensors& operands, EvalContext& context) {
  const unsigned n = input_count(op);
  const Windows windows = windows_at_run(op, operands[0], context);
  if (const auto kind = reducer_of(op.region()); n == 1 && !kind.empty() && !is_complex(operands[0].dtype())) {
    const Reducer reducer(kind, operands[0].dtype());
    return {is_float(operands[0].dtype()) ? fold_windows<double>(windows, operands[0], operands[1], reducer)
                                          : fold_windows<int64_t>(windows, operands[0], operands[1], reducer)};
  }
  Tensors results;
  for (unsigned i = 0; i < n; ++i) results.emplace_back(context.widened(result_dtype(op, i)), windows.positions);
  for (Subscripts at(windows.positions); !at.done(); at.next()) {
    Tensors state(operands.begin() + n, operands.end());
    windows.each(at, [&](int64_t element_index) {
      Tensors elements;
      for (unsigned i = 0; i < n; ++i) elements.push_back(element(operands[i], element_index));
      fold(context, op.region(), state, elements);
    });
    for (unsigned i = 0; i < n; ++i) set_element(results[i], at.linear(), state.at(i));
  }
  return results;
}

Cost cost_reduce_window(const Operation& op) {
  Dim window = static_cast<int64_t>(input_count(op));
  for (const Dim& size : dims_attribute(op, "window_dimensions")) window = window * size;
  return one_kernel(op, op.result()->type().elements() * window);
}

const OpDef reduce_window_def = {
    .name = "stablehlo.reduce_window",
    .summary = "fold the elements of a sliding window by a region",
    .operands = {{"inputs_and_inits", OperandDef::variadic}},
    .attributes = {{"window_dimensions", "ints", true}, {"window_strides", "ints, default 1"}, {"base_dilations", "ints, default 1"},
                   {"window_dilations", "ints, default 1"}, {"padding", "ints or dims, low and high of each axis, default 0"}},
    .traits = Trait::pure | Trait::reduction,
    .verify = verify_reduce_window,
    .infer = infer_reduce_window,
    .evaluate = evaluate_reduce_window,
    .gradient = no_gradient("not provided"),
    .decompose = primitive(),
    .cost = cost_reduce_window,
};

}  // namespace

std::span<const OpDef> reduction_ops() {
  static const OpDef table[] = {reduce_def, reduce_window_def};
  return table;
}

}  // namespace stele
