// ONNX's pools: MaxPool, AveragePool, GlobalMaxPool, GlobalAveragePool.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops/all_ops.h"
#include "core/ops/onnx_nn.h"

namespace stele {
namespace {

using namespace onnx_op;
using namespace onnx_nn;
using Tensors = std::vector<Tensor>;
using Types = std::vector<Type>;
using Values = std::vector<Value*>;

// onnx.MaxPool, AveragePool(X [N, C, spatial…]) {kernel_shape, …}
//   c1: rank 3 or more;  c2: kernel_shape is given;  w1 to w4: the window
SlidingWindow pool_of(const Operation& op, const Shape& x) {
  if (x.size() < 3) violated(op, "c1", "operand has rank {}, expected 3 or more", x.size());
  if (!op.has("kernel_shape")) violated(op, "c2", "kernel_shape is missing");
  return sliding_window(op, Shape(x.begin() + 2, x.end()), op.get<Ints>("kernel_shape"));
}

Shape pooled(const Shape& x, const SlidingWindow& window) {
  Shape shape = {x[0], x[1]};
  shape.insert(shape.end(), window.positions.begin(), window.positions.end());
  return shape;
}

Types infer_pool(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& x = op.operand(0)->type();
  const Type type = x.with_shape(pooled(x.shape, pool_of(op, x.shape)));
  Types types = {type, type.with_dtype(DType::i64)};  // the second: MaxPool's Indices
  types.resize(std::min<size_t>(op.result_count(), types.size()));
  return types;
}

// Where one position of the window is: the elements of a plane it sees, and how many more are on stated padding.
struct Seen {
  std::vector<int64_t> elements;
  int64_t on_padding = 0;
};

Seen seen_at(const SlidingWindow& w, const std::vector<int64_t>& at, const Ints& spatial, const Ints& strides) {
  Seen seen;
  for (Subscripts k(w.kernel); !k.done(); k.next()) {
    int64_t element = 0;
    bool inside = true, padded = true;
    for (size_t axis = 0; axis < spatial.size(); ++axis) {
      const int64_t place = at[axis] * w.strides[axis] + k[axis] * w.dilations[axis] - w.low[axis];
      inside = inside && place >= 0 && place < spatial[axis];
      padded = padded && place < spatial[axis] + w.stated_high[axis];
      element += place * strides[axis];
    }
    if (inside) seen.elements.push_back(element);
    if (!inside && padded) ++seen.on_padding;
  }
  return seen;
}

struct Planes {
  Ints spatial, strides, result;
  int64_t count = 0, size = 0, positions = 0;
};

Planes planes_of(const Tensor& x, const SlidingWindow& window) {
  Planes planes;
  planes.spatial.assign(x.sizes().begin() + 2, x.sizes().end());
  planes.strides = row_major_strides(planes.spatial);
  planes.result = static_sizes(pooled(make_shape(x.sizes()), window));
  planes.count = x.sizes()[0] * x.sizes()[1];
  planes.size = checked_element_count(planes.spatial);
  planes.positions = checked_element_count(static_sizes(window.positions));
  return planes;
}

// ---- MaxPool --------------------------------------------------------------------------------------------------------

// storage_order 1 counts the first spatial axis fastest.
int64_t column_major(int64_t element, const Planes& planes) {
  int64_t result = 0, step = 1;
  for (size_t axis = 0; axis < planes.spatial.size(); ++axis) {
    result += element / planes.strides[axis] % planes.spatial[axis] * step;
    step *= planes.spatial[axis];
  }
  return result;
}

double lowest(DType dtype) {
  if (is_float(dtype)) return -std::numeric_limits<double>::infinity();
  return is_signed_int(dtype) ? -std::ldexp(1.0, 8 * size_bytes(dtype) - 1) : 0;
}

Tensors evaluate_max_pool(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Tensor& x = operands[0];
  const SlidingWindow window = pool_of(op, make_shape(x.sizes()));
  const Planes planes = planes_of(x, window);
  const bool by_columns = op.get_or<int64_t>("storage_order", 0) != 0;
  const std::vector<double> values = doubles(x);
  std::vector<double> largest(static_cast<size_t>(planes.count * planes.positions), lowest(x.dtype()));
  std::vector<int64_t> indices(largest.size(), 0);
  for (Subscripts at(static_sizes(window.positions)); !at.done(); at.next()) {
    const Seen seen = seen_at(window, at.at(), planes.spatial, planes.strides);
    for (int64_t plane = 0; plane < planes.count; ++plane) {
      const auto to = static_cast<size_t>(plane * planes.positions + at.linear());
      bool first = true;
      for (int64_t element : seen.elements) {
        const double value = values[static_cast<size_t>(plane * planes.size + element)];
        // NaN wins, and stays.
        if (!first && !(value > largest[to]) && !(std::isnan(value) && !std::isnan(largest[to]))) continue;
        first = false;
        largest[to] = value;
        indices[to] = plane * planes.size + (by_columns ? column_major(element, planes) : element);
      }
    }
  }
  Tensors results = {tensor_of(context.widened(x.dtype()), planes.result, largest)};
  if (op.result_count() > 1) results.push_back(tensor_of(DType::i64, planes.result, indices));
  return results;
}

build::Window reduce_window_of(const SlidingWindow& w) {
  build::Window window{.dimensions = {1, 1}, .strides = {1, 1}, .window_dilations = {1, 1}, .padding = {0, 0, 0, 0}};
  const Ints padding = w.padding();
  window.dimensions.insert(window.dimensions.end(), w.kernel.begin(), w.kernel.end());
  window.strides.insert(window.strides.end(), w.strides.begin(), w.strides.end());
  window.window_dilations.insert(window.window_dilations.end(), w.dilations.begin(), w.dilations.end());
  window.padding.insert(window.padding.end(), padding.begin(), padding.end());
  return window;
}

Value* scaled_dim(Builder& b, Value* x, const Dim& factor) {
  if (factor.is_static()) return with(b, "stablehlo.multiply", x, static_cast<double>(factor.value()));
  return with(b, "stablehlo.multiply", x, build::dim_value(b, DType::i64, factor));
}

// For one element of the window: which element of the tensor each position sees there, and whether it is on the tensor.
struct Tap {
  Value* element;
  Value* inside;
};

Tap tap_at(const Operation& op, Builder& b, const SlidingWindow& w, const Type& result, const std::vector<int64_t>& k) {
  const Shape& x = op.operand(0)->shape();
  const Type type = result.with_dtype(DType::i64);
  const bool by_columns = op.get_or<int64_t>("storage_order", 0) != 0;
  const size_t spatial = w.kernel.size();
  Tap tap{nullptr, nullptr};
  for (size_t axis = 0; axis < spatial; ++axis) {
    Value* place = with(b, "stablehlo.multiply", build::iota(b, type, static_cast<int64_t>(axis) + 2), static_cast<double>(w.strides[axis]));
    place = with(b, "stablehlo.add", place, static_cast<double>(k[axis] * w.dilations[axis] - w.low[axis]));
    Value* end = scaled_dim(b, build::splat(b, type, 1), x[axis + 2]);
    Value* inside = build::logical_and(b, build::compare(b, "GE", place, build::splat(b, type, 0)), build::compare(b, "LT", place, end));
    Dim step = 1;
    for (size_t i = by_columns ? 0 : axis + 1; i < (by_columns ? axis : spatial); ++i) step = step * x[i + 2];
    Value* moved = scaled_dim(b, place, step);
    tap.element = tap.element ? build::add(b, tap.element, moved) : moved;
    tap.inside = tap.inside ? build::logical_and(b, tap.inside, inside) : inside;
  }
  Value* plane = build::add(b, scaled_dim(b, build::iota(b, type, 0), x[1]), build::iota(b, type, 1));
  tap.element = build::add(b, tap.element, scaled_dim(b, plane, element_count(Shape(x.begin() + 2, x.end()))));
  return tap;
}

// The value that each position sees at element k of its window.
Value* seen_values(Builder& b, Value* padded, const SlidingWindow& w, const Shape& positions, const std::vector<int64_t>& k) {
  Shape starts = {0, 0}, limits = {padded->shape()[0], padded->shape()[1]};
  Ints strides = {1, 1};
  for (size_t axis = 0; axis < w.kernel.size(); ++axis) {
    starts.push_back(k[axis] * w.dilations[axis]);
    limits.push_back(starts.back() + (positions[axis] - 1) * w.strides[axis] + 1);
    strides.push_back(w.strides[axis]);
  }
  return build::slice(b, padded, starts, limits, strides);
}

// No tensor-level op gives the place of a window's largest element: each element of the window in turn, against the
// largest so far. The first of equals stays; NaN wins, and stays.
Value* indices_of_largest(const Operation& op, Builder& b, const SlidingWindow& w, const Type& result) {
  Value* const x = op.operand(0);
  Shape low = {0, 0}, high = {0, 0};
  for (size_t axis = 0; axis < w.kernel.size(); ++axis) {
    low.push_back(w.low[axis]);
    high.push_back(w.high[axis]);
  }
  Value* padded = build::pad(b, x, build::neutral(b, "maximum", x->dtype()), low, high);
  Value* best = build::splat(b, result, lowest(x->dtype()));
  const Type index_type = result.with_dtype(DType::i64);
  Value* index = build::splat(b, index_type, -1);
  for (Subscripts k(w.kernel); !k.done(); k.next()) {
    const Tap tap = tap_at(op, b, w, result, k.at());
    Value* value = seen_values(b, padded, w, w.positions, k.at());
    Value* first = build::compare(b, "LT", index, build::splat(b, index_type, 0));
    Value* new_nan = build::logical_and(b, build::compare(b, "NE", value, value), build::compare(b, "EQ", best, best));
    Value* better = build::logical_or(b, first, build::logical_or(b, build::compare(b, "GT", value, best), new_nan));
    Value* takes = build::logical_and(b, tap.inside, better);
    best = build::select(b, takes, value, best);
    index = build::select(b, takes, tap.element, index);
  }
  return build::maximum(b, index, build::splat(b, index_type, 0));  // of a window that is all padding: 0
}

Values decompose_max_pool(const Operation& op, Builder& b) {
  const SlidingWindow window = pool_of(op, op.operand(0)->shape());
  Value* result = build::reduce_window(b, op.operand(0), "maximum", reduce_window_of(window));
  if (op.result_count() == 1) return {result};
  if (op.result(1)->unused()) return {result, build::splat(b, result->type().with_dtype(DType::i64), 0)};
  return {result, indices_of_largest(op, b, window, result->type())};
}

// ---- AveragePool ----------------------------------------------------------------------------------------------------

bool counts_padding(const Operation& op) { return op.get_or<int64_t>("count_include_pad", 0) != 0; }

Tensors evaluate_average_pool(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Tensor& x = operands[0];
  const SlidingWindow window = pool_of(op, make_shape(x.sizes()));
  const Planes planes = planes_of(x, window);
  const std::vector<double> values = doubles(x);
  std::vector<double> means(static_cast<size_t>(planes.count * planes.positions), 0);
  for (Subscripts at(static_sizes(window.positions)); !at.done(); at.next()) {
    const Seen seen = seen_at(window, at.at(), planes.spatial, planes.strides);
    const double count = static_cast<double>(seen.elements.size()) + (counts_padding(op) ? static_cast<double>(seen.on_padding) : 0.0);
    for (int64_t plane = 0; plane < planes.count; ++plane) {
      double sum = 0;
      for (int64_t element : seen.elements) sum += values[static_cast<size_t>(plane * planes.size + element)];
      means[static_cast<size_t>(plane * planes.positions + at.linear())] = sum / count;
    }
  }
  return {tensor_of(context.widened(x.dtype()), planes.result, means)};
}

// How many elements each position counts: the same sum over ones.
Value* counts(const Operation& op, Builder& b, Value* x, const SlidingWindow& w) {
  SlidingWindow over = w;
  Shape shape = {1, 1};
  for (size_t i = 0; i < w.kernel.size(); ++i) {
    Dim size = x->shape()[2 + i];
    if (counts_padding(op)) {
      size = size + w.low[i] + w.stated_high[i];
      over.low[i] = 0;
      over.high[i] = w.high[i] - w.stated_high[i];
    }
    shape.push_back(size);
  }
  return build::reduce_window(b, build::splat(b, Type::tensor(x->dtype(), shape), 1), "add", reduce_window_of(over));
}

Values decompose_average_pool(const Operation& op, Builder& b) {
  const DType dtype = op.operand(0)->dtype();
  const SlidingWindow w = pool_of(op, op.operand(0)->shape());
  Value* x = build::convert(b, op.operand(0), compute_dtype(dtype));
  Value* sum = build::reduce_window(b, x, "add", reduce_window_of(w));
  Value* mean = w.has_padding() ? with(b, "stablehlo.divide", sum, counts(op, b, x, w))
                                : with(b, "stablehlo.divide", sum, static_cast<double>(w.elements()));
  return {build::convert(b, mean, dtype)};
}

Cost cost_pool(const Operation& op) {
  if (!types_known(op) || !op.result()->type().is_tensor()) return {};
  return one_kernel(op, op.result()->type().elements() * checked_element_count(op.get<Ints>("kernel_shape")));
}

// ---- Global pools ---------------------------------------------------------------------------------------------------

Types infer_global(const Operation& op) {
  if (!types_known(op)) return unknown_results(op);
  Shape shape = op.operand(0)->shape();
  if (shape.size() < 2) violated(op, "c1", "operand has rank {}, expected 2 or more", shape.size());
  for (size_t i = 2; i < shape.size(); ++i) shape[i] = 1;
  return {op.operand(0)->type().with_shape(std::move(shape))};
}

template <typename Combine>
Tensors evaluate_global(const Tensors& operands, EvalContext& context, Combine combine) {
  const Tensor& x = operands[0];
  const Split split = split_at(x.sizes(), 2, x.rank());
  const std::vector<double> values = doubles(x);
  std::vector<double> results;
  for (int64_t i = 0; i < split.outer; ++i) results.push_back(combine(values.data() + i * split.count, split.count));
  Ints sizes = x.sizes();
  for (size_t i = 2; i < sizes.size(); ++i) sizes[i] = 1;
  return {tensor_of(context.widened(x.dtype()), sizes, results)};
}

Tensors evaluate_global_average(const Operation&, const Tensors& operands, EvalContext& context) {
  return evaluate_global(operands, context, [](const double* x, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += x[i];
    return sum / static_cast<double>(count);
  });
}

Tensors evaluate_global_max(const Operation&, const Tensors& operands, EvalContext& context) {
  const double start = lowest(operands[0].dtype());
  return evaluate_global(operands, context, [start](const double* x, int64_t count) {
    double largest = start;
    for (int64_t i = 0; i < count; ++i) {
      if (x[i] > largest || std::isnan(x[i])) largest = x[i];
      if (std::isnan(largest)) break;
    }
    return largest;
  });
}

Values decompose_global_average(const Operation& op, Builder& b) {
  const DType dtype = op.operand(0)->dtype();
  Value* x = build::convert(b, op.operand(0), compute_dtype(dtype));
  return {build::convert(b, mean(b, x, axes_from(2, x->rank())), dtype)};
}

Values decompose_global_max(const Operation& op, Builder& b) {
  return {build::reduce(b, op.operand(0), "maximum", axes_from(2, op.operand(0)->rank()), true)};
}

Cost cost_global(const Operation& op) { return cost_an_element(op, 1); }

std::vector<AttributeDef> with_window(AttributeDef more) {
  return {
      {"kernel_shape", "i64s", true},
      {"strides", "i64s, default 1"},
      {"dilations", "i64s, default 1"},
      {"pads", "i64s: all lows, then all highs; default 0"},
      {"auto_pad", "NOTSET, SAME_UPPER, SAME_LOWER or VALID; default NOTSET"},
      {"ceil_mode", "i64, default 0"},
      more,
  };
}

OpDef pool(std::string_view name, std::string_view summary, AttributeDef attribute, EvaluateFunction* evaluate, DecomposeFunction* decompose) {
  return {.name = name,
          .summary = summary,
          .level = Level::framework,
          .operands = {{"X"}},
          .attributes = with_window(attribute),
          .traits = Trait::pure | Trait::reduction,
          .verify = verify_by_inference,
          .infer = infer_pool,
          .evaluate = evaluate,
          .gradient = gradient_of_decomposition(),
          .decompose = decompose,
          .cost = cost_pool};
}

OpDef global_pool(std::string_view name, std::string_view summary, EvaluateFunction* evaluate, DecomposeFunction* decompose) {
  return {.name = name,
          .summary = summary,
          .level = Level::framework,
          .operands = {{"X"}},
          .traits = Trait::pure | Trait::reduction,
          .verify = verify_by_inference,
          .infer = infer_global,
          .evaluate = evaluate,
          .gradient = gradient_of_decomposition(),
          .decompose = decompose,
          .cost = cost_global};
}

}  // namespace

std::span<const OpDef> onnx_pool_ops() {
  static const OpDef table[] = {
      pool("onnx.MaxPool", "largest element of each window", {"storage_order", "i64, default 0: how Indices count"}, evaluate_max_pool,
           decompose_max_pool),
      pool("onnx.AveragePool", "mean of each window", {"count_include_pad", "i64, default 0"}, evaluate_average_pool, decompose_average_pool),
      global_pool("onnx.GlobalMaxPool", "largest element of each channel", evaluate_global_max, decompose_global_max),
      global_pool("onnx.GlobalAveragePool", "mean of each channel", evaluate_global_average, decompose_global_average),
  };
  return table;
}

}  // namespace stele
