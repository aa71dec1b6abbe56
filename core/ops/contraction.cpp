// Contractions: dot_general and dot. Sums are in double and rounded once.
#include <algorithm>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/complex.h"
#include "core/ops/strided.h"

namespace stele {
namespace {

using Tensors = std::vector<Tensor>;
using Values = std::vector<Value*>;

// Axes of one side by role. Free axes keep their order.
struct Side {
  Ints batching, contracting, free;
};

Side side_of(const Operation& op, std::string_view which, int rank) {
  Side side;
  if (op.is("stablehlo.dot")) {
    side.contracting = {which == "lhs" ? rank - 1 : 0};
  } else {
    side.batching = ints_attribute_or(op, fmt::format("{}_batching_dimensions", which), {});
    side.contracting = ints_attribute_or(op, fmt::format("{}_contracting_dimensions", which), {});
  }
  Ints used = side.batching;
  used.insert(used.end(), side.contracting.begin(), side.contracting.end());
  verify_axes(op, which == "lhs" ? "c1" : "c2", used, rank);
  for (int axis = 0; axis < rank; ++axis) {
    if (std::find(used.begin(), used.end(), axis) == used.end()) side.free.push_back(axis);
  }
  return side;
}

Dim product(const Shape& shape, const Ints& axes) {
  Dim n = 1;
  for (int64_t axis : axes) n = n * shape[axis];
  return n;
}

// dot_general(lhs, rhs) {batching and contracting dimensions of each}: result axes are batching, free of lhs, free of rhs.
//   c1, c2: the axes given of lhs, of rhs, are in range, none twice
//   c3: as many batching and contracting axes on both sides, of equal dims
//   c4: the result has the shape described; its element type may be wider than the operands' (accumulation)

std::vector<Type> infer_dot_general(const Operation& op) {
  const Type &x = op.operand(0)->type(), &y = op.operand(1)->type();
  if (op.is("stablehlo.dot") && (x.rank() < 1 || x.rank() > 2 || y.rank() < 1 || y.rank() > 2)) {
    violated(op, "c1", "operands have ranks {} and {}, expected 1 or 2", x.rank(), y.rank());
  }
  const Side l = side_of(op, "lhs", x.rank()), r = side_of(op, "rhs", y.rank());
  const auto check_pairs = [&](const Ints& left, const Ints& right, std::string_view role) {
    if (left.size() != right.size()) violated(op, "c3", "{} {} dimensions of lhs, {} of rhs", left.size(), role, right.size());
    for (size_t i = 0; i < left.size(); ++i) {
      if (!may_equal(x.shape[left[i]], y.shape[right[i]])) {
        violated(op, "c3", "{} dim {} of lhs is {}, of rhs {}", role, i, x.shape[left[i]].str(), y.shape[right[i]].str());
      }
    }
  };
  check_pairs(l.batching, r.batching, "batching");
  check_pairs(l.contracting, r.contracting, "contracting");
  Shape shape;
  for (int64_t axis : l.batching) shape.push_back(x.shape[axis]);
  for (int64_t axis : l.free) shape.push_back(x.shape[axis]);
  for (int64_t axis : r.free) shape.push_back(y.shape[axis]);
  const Type declared = op.result()->type();
  return {Type::tensor(declared.is_tensor() ? declared.dtype : x.dtype, shape)};
}

void verify_dot_general(const Operation& op) { verify_inferred(op, "c4"); }

// x with its axes in the given order, as numbers.
template <typename Number>
std::vector<Number> arranged(const Tensor& x, const Side& side, bool contracting_last) {
  Ints order = side.batching;
  const Ints &second = contracting_last ? side.free : side.contracting, &third = contracting_last ? side.contracting : side.free;
  order.insert(order.end(), second.begin(), second.end());
  order.insert(order.end(), third.begin(), third.end());
  Ints sizes, strides;
  for (int64_t axis : order) {
    sizes.push_back(x.sizes()[axis]);
    strides.push_back(x.strides()[axis]);
  }
  const bool in_order = std::is_sorted(order.begin(), order.end());
  const Tensor moved = in_order ? x : gather_strided(x, sizes, 0, strides);
  if constexpr (std::is_same_v<Number, Complex>) {
    return complexes(moved);
  } else {
    std::vector<Number> values(static_cast<size_t>(moved.elements()));
    read(moved, 0, moved.elements(), values.data());
    return values;
  }
}

int64_t product(const Ints& sizes, const Ints& axes) {
  int64_t n = 1;
  for (int64_t axis : axes) n *= sizes[axis];
  return n;
}

// c[b, m, n] = sum over k of x[b, m, k] * y[b, k, n], k in increasing order. Integers wrap (unsigned arithmetic).
template <typename Number>
std::vector<Number> batched_product(const std::vector<Number>& x, const std::vector<Number>& y, int64_t batch, int64_t m, int64_t n, int64_t k) {
  std::vector<Number> c(static_cast<size_t>(batch * m * n), 0);
  for (int64_t row = 0; row < batch * m; ++row) {
    Number* to = c.data() + row * n;
    const Number* left = x.data() + row * k;
    const Number* right = y.data() + (m == 0 ? 0 : row / m) * k * n;
    for (int64_t i = 0; i < k; ++i, right += n) {
      const Number factor = left[i];
      for (int64_t j = 0; j < n; ++j) to[j] += factor * right[j];
    }
  }
  return c;
}

void check_contracted(const Operation& op, const Tensor& x, const Tensor& y, const Ints& left, const Ints& right) {
  for (size_t i = 0; i < left.size(); ++i) {
    if (x.sizes()[left[i]] != y.sizes()[right[i]]) {
      fail("{}: operands have sizes {} and {}, which do not fit", op.describe(), str(x.sizes()), str(y.sizes()));
    }
  }
}

Tensors evaluate_dot_general(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Tensor &x = operands[0], &y = operands[1];
  const Side l = side_of(op, "lhs", x.rank()), r = side_of(op, "rhs", y.rank());
  check_contracted(op, x, y, l.batching, r.batching);
  check_contracted(op, x, y, l.contracting, r.contracting);
  const int64_t batch = product(x.sizes(), l.batching), k = product(x.sizes(), l.contracting);
  const int64_t m = product(x.sizes(), l.free), n = product(y.sizes(), r.free);
  Ints sizes;
  for (int64_t axis : l.batching) sizes.push_back(x.sizes()[axis]);
  for (int64_t axis : l.free) sizes.push_back(x.sizes()[axis]);
  for (int64_t axis : r.free) sizes.push_back(y.sizes()[axis]);
  const DType dtype = context.widened(op.result()->dtype());
  if (is_complex(dtype)) {
    return {tensor_of(dtype, sizes, batched_product(arranged<Complex>(x, l, true), arranged<Complex>(y, r, false), batch, m, n, k))};
  }
  Tensor result(dtype, sizes);
  if (is_float(dtype)) {
    const auto c = batched_product(arranged<double>(x, l, true), arranged<double>(y, r, false), batch, m, n, k);
    write(result, 0, result.elements(), c.data());
  } else {
    const auto a = arranged<int64_t>(x, l, true), b = arranged<int64_t>(y, r, false);
    const auto c = batched_product(std::vector<uint64_t>(a.begin(), a.end()), std::vector<uint64_t>(b.begin(), b.end()), batch, m, n, k);
    write(result, 0, result.elements(), std::vector<int64_t>(c.begin(), c.end()).data());
  }
  return {result};
}

// Gradient of one side: g contracted with the other side over the other's free axes, its axes put back in order.
Value* gradient_of_side(Value* g, Value* other, const Side& mine, const Side& theirs, bool mine_is_lhs, Builder& b) {
  const auto batch = static_cast<int64_t>(mine.batching.size());
  const auto my_free = static_cast<int64_t>(mine.free.size()), their_free = static_cast<int64_t>(theirs.free.size());
  build::DotDims dims;
  for (int64_t i = 0; i < batch; ++i) dims.lhs_batching.push_back(i);
  dims.rhs_batching = theirs.batching;
  for (int64_t i = 0; i < their_free; ++i) dims.lhs_contracting.push_back(batch + (mine_is_lhs ? my_free : 0) + i);
  dims.rhs_contracting = theirs.free;
  Value* product = build::dot_general(b, g, other, dims);  // axes: batching, my free, their contracting in ascending order
  std::vector<std::pair<int64_t, int64_t>> paired;         // their contracting axis -> mine
  for (size_t i = 0; i < mine.contracting.size(); ++i) paired.emplace_back(theirs.contracting[i], mine.contracting[i]);
  std::sort(paired.begin(), paired.end());
  Ints axes = mine.batching;
  axes.insert(axes.end(), mine.free.begin(), mine.free.end());
  for (const auto& pair : paired) axes.push_back(pair.second);
  Ints permutation(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) permutation[axes[i]] = static_cast<int64_t>(i);
  return build::transpose(b, product, permutation);
}

Values gradient_dot_general(const Operation& op, const Values& g, Builder& b) {
  Value *x = op.operand(0), *y = op.operand(1);
  const Side l = side_of(op, "lhs", x->rank()), r = side_of(op, "rhs", y->rank());
  return {gradient_of_side(g[0], y, l, r, true, b), gradient_of_side(g[0], x, r, l, false, b)};
}

Cost cost_dot_general(const Operation& op) {
  const Side l = side_of(op, "lhs", op.operand(0)->rank());
  return one_kernel(op, op.result()->type().elements() * product(op.operand(0)->shape(), l.contracting) * 2);
}

const std::vector<AttributeDef> dot_attributes = {
    {"lhs_batching_dimensions", "ints, default none"},    {"rhs_batching_dimensions", "ints, default none"},
    {"lhs_contracting_dimensions", "ints, default none"}, {"rhs_contracting_dimensions", "ints, default none"},
};

OpDef dot(std::string_view name, std::string_view summary, std::vector<AttributeDef> attributes) {
  return {
      .name = name,
      .summary = summary,
      .operands = {{"lhs"}, {"rhs"}},
      .attributes = std::move(attributes),
      .traits = Trait::pure | Trait::contraction,
      .verify = verify_dot_general,
      .infer = infer_dot_general,
      .evaluate = evaluate_dot_general,
      .gradient = gradient_dot_general,
      .decompose = primitive(),
      .cost = cost_dot_general,
  };
}

}  // namespace

std::span<const OpDef> contraction_ops() {
  static const OpDef table[] = {
      dot("stablehlo.dot_general", "sums of products over pairs of axes", dot_attributes),
      dot("stablehlo.dot", "product of matrices and vectors: lhs's last axis with rhs's first", {}),
  };
  return table;
}

}  // namespace stele
