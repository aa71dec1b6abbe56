// ONNX ops that move elements: Transpose, Concat, Split, Slice, Tile, DepthToSpace and back, Trilu
// (https://onnx.ai/onnx/operators/). Pad and the gathers have files of their own.
#include <algorithm>
#include <cstring>
#include <limits>

#include "core/ops/all_ops.h"
#include "core/ops/build.h"
#include "core/ops/onnx_common.h"
#include "core/ops/onnx_slice.h"
#include "core/ops/shape_values.h"

namespace stele {
namespace {

using namespace onnx_op;
using O = const Operation&;

// ---- Transpose: c1: perm holds each axis once -----------------------------------------------------------------------

Ints permutation(O op, int64_t rank) {
  Ints reversed;
  for (int64_t i = rank; i-- > 0;) reversed.push_back(i);
  Ints perm = op.get_or<Ints>("perm", reversed);
  if (static_cast<int64_t>(perm.size()) != rank) violated(op, "c1", "perm is {}, expected each axis of rank {} once", str(perm), rank);
  return axes_in(op, "c1", perm, rank);
}

std::vector<Type> infer_transpose(O op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& x = op.operand(0)->type();
  Shape shape;
  for (int64_t axis : permutation(op, x.rank())) shape.push_back(x.shape[static_cast<size_t>(axis)]);
  return {x.with_shape(shape)};
}

std::vector<Tensor> evaluate_transpose(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor& x = operands[0];
  const Ints strides = x.strides();
  Ints sizes, steps;
  for (int64_t axis : permutation(op, x.rank())) {
    sizes.push_back(x.sizes()[static_cast<size_t>(axis)]);
    steps.push_back(strides[static_cast<size_t>(axis)]);
  }
  return {pick(x, sizes, affine_index(sizes, steps))};
}

std::vector<Value*> decompose_transpose(O op, Builder& b) {
  return {build::transpose(b, op.operand(0), permutation(op, op.operand(0)->rank()))};
}

// ---- Concat: c1: one element type. c2: axis in range. c3: the other dims are equal ----------------------------------

void verify_concat(O op) {
  for (unsigned i = 1; i < op.operand_count(); ++i) verify_same_dtype(op, "c1", 0, i);
}

Shape concat_shape(O op, const std::vector<Shape>& parts) {
  Shape shape = parts[0];
  const size_t axis = static_cast<size_t>(axis_in(op, "c2", op.get<int64_t>("axis"), static_cast<int64_t>(shape.size())));
  for (size_t k = 1; k < parts.size(); ++k) {
    bool fits = parts[k].size() == shape.size();
    for (size_t i = 0; fits && i < shape.size(); ++i) {
      if (i == axis) {
        shape[i] = shape[i] + parts[k][i];
      } else {
        fits = may_equal(shape[i], parts[k][i]);
        if (parts[k][i].is_static()) shape[i] = parts[k][i];
      }
    }
    if (!fits) violated(op, "c3", "operand {} has shape {}, expected that of {} but at axis {}", k, str(parts[k]), str(parts[0]), axis);
  }
  return shape;
}

std::vector<Type> infer_concat(O op) {
  if (!types_known(op)) return unknown_results(op);
  std::vector<Shape> parts;
  for (const Value* value : op.operands()) parts.push_back(value->shape());
  return {op.operand(0)->type().with_shape(concat_shape(op, parts))};
}

std::vector<Tensor> evaluate_concat(O op, const std::vector<Tensor>& operands, EvalContext&) {
  std::vector<Shape> parts;
  for (const Tensor& x : operands) parts.push_back(make_shape(x.sizes()));
  Tensor result(operands[0].dtype(), static_sizes(concat_shape(op, parts)));
  const size_t axis = static_cast<size_t>(axis_in(op, "c2", op.get<int64_t>("axis"), result.rank()));
  int64_t outer = 1, inner = size_bytes(result.dtype());
  for (size_t i = 0; i < axis; ++i) outer *= result.sizes()[i];
  for (size_t i = axis + 1; i < result.sizes().size(); ++i) inner *= result.sizes()[i];
  std::byte* to = result.mutable_data();
  for (int64_t row = 0; row < outer; ++row) {
    for (const Tensor& x : operands) {
      const int64_t length = x.sizes()[axis] * inner;
      if (length > 0) std::memcpy(to, x.data() + row * length, static_cast<size_t>(length));
      to += length;
    }
  }
  return {std::move(result)};
}

std::vector<Value*> decompose_concat(O op, Builder& b) {
  if (op.operand_count() == 1) return {build::reshape(b, op.operand(0), op.result()->shape())};
  return {build::concatenate(b, op.operands(), axis_in(op, "c2", op.get<int64_t>("axis"), op.result()->rank()))};
}

// ---- Split ----------------------------------------------------------------------------------------------------------
//   c1: axis in range. c2: as many lengths as results, whose sum is the dim

// Without lengths: equal parts, the last one smaller where they do not come out even.
Shape equal_parts(O op, const Dim& dim) {
  const int64_t parts = op.get_or<int64_t>("num_outputs", op.result_count());
  if (parts < 1 || parts != op.result_count()) violated(op, "c2", "num_outputs is {}, expected {}", parts, op.result_count());
  const auto exact = Dim::exact_div(dim, parts);
  const Dim each = exact ? *exact : Dim::ceil_div(dim, parts);
  Shape lengths(static_cast<size_t>(parts), each);
  lengths.back() = dim - each * (parts - 1);
  return lengths;
}

Shape checked_parts(O op, Shape lengths, const Dim& dim) {
  Dim sum = 0;
  for (const Dim& length : lengths) sum = sum + length;
  const bool negative = std::any_of(lengths.begin(), lengths.end(), [](const Dim& d) { return d.is_static() && d.value() < 0; });
  if (lengths.size() != op.result_count() || negative || !may_equal(sum, dim)) {
    violated(op, "c2", "lengths are {}, expected {} of the sum {}", str(lengths), op.result_count(), dim.str());
  }
  return lengths;
}

std::optional<Shape> static_parts(O op, const Dim& dim) {
  std::optional<Shape> lengths;
  if (const Value* split = operand(op, 1)) {
    lengths = known_dims(split);
    if (!lengths) return std::nullopt;
  } else {
    lengths = op.has("split") ? make_shape(op.get<Ints>("split")) : equal_parts(op, dim);
  }
  return checked_parts(op, *lengths, dim);
}

std::vector<Type> infer_split(O op) {
  if (!types_known(op)) return unknown_results(op);
  const Type& x = op.operand(0)->type();
  const size_t axis = static_cast<size_t>(axis_in(op, "c1", op.get_or<int64_t>("axis", 0), x.rank()));
  const auto lengths = static_parts(op, x.shape[axis]);
  if (!lengths) return unknown_results(op);
  std::vector<Type> types;
  for (const Dim& length : *lengths) {
    Shape shape = x.shape;
    shape[axis] = length;
    types.push_back(x.with_shape(shape));
  }
  return types;
}

std::vector<Tensor> evaluate_split(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor& x = operands[0];
  const size_t axis = static_cast<size_t>(axis_in(op, "c1", op.get_or<int64_t>("axis", 0), x.rank()));
  const Dim dim = x.sizes()[axis];
  const bool lengths_given = given(operands, 1) || op.has("split");
  const Shape lengths = checked_parts(op, lengths_given ? make_shape(run_ints(op, operands, 1, "split", {})) : equal_parts(op, dim), dim);
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (int64_t length : static_sizes(lengths)) {
    Ints sizes = x.sizes();
    sizes[axis] = length;
    parts.push_back(pick(x, sizes, affine_index(sizes, x.strides(), start * x.strides()[axis])));
    start += length;
  }
  return parts;
}

std::vector<Value*> decompose_split(O op, Builder& b) {
  Value* x = op.operand(0);
  const int64_t axis = axis_in(op, "c1", op.get_or<int64_t>("axis", 0), x->rank());
  std::vector<Value*> parts;
  Dim start = 0;
  for (const Value* result : op.results()) {
    const Dim limit = start + result->shape()[static_cast<size_t>(axis)];
    parts.push_back(op.result_count() == 1 ? build::reshape(b, x, result->shape()) : build::slice_axis(b, x, axis, start, limit));
    start = limit;
  }
  return parts;
}

// ---- Tile: c1: a repeat an axis, none negative ----------------------------------------------------------------------

Shape tile_shape(O op, const Shape& data, const Shape& repeats) {
  const bool negative = std::any_of(repeats.begin(), repeats.end(), [](const Dim& d) { return d.is_static() && d.value() < 0; });
  if (repeats.size() != data.size() || negative) violated(op, "c1", "repeats are {}, expected {} of them", str(repeats), data.size());
  Shape shape;
  for (size_t i = 0; i < data.size(); ++i) shape.push_back(data[i] * repeats[i]);
  return shape;
}

std::vector<Type> infer_tile(O op) {
  if (!types_known(op)) return unknown_results(op);
  const auto repeats = known_dims(op.operand(1));
  if (!repeats) return unknown_results(op);
  return {op.operand(0)->type().with_shape(tile_shape(op, op.operand(0)->shape(), *repeats))};
}

// Both see [r0, d0, r1, d1, …], where the repeats have no step.
std::vector<Tensor> evaluate_tile(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Tensor& x = operands[0];
  const Ints repeats = ints(operands[1]);
  const Ints result = static_sizes(tile_shape(op, make_shape(x.sizes()), make_shape(repeats)));
  Ints sizes, steps;
  for (size_t i = 0; i < repeats.size(); ++i) {
    sizes.insert(sizes.end(), {repeats[i], x.sizes()[i]});
    steps.insert(steps.end(), {0, x.strides()[i]});
  }
  return {pick(x, result, affine_index(sizes, steps))};
}

std::vector<Value*> decompose_tile(O op, Builder& b) {
  Value* x = op.operand(0);
  const auto repeats = known_dims(op.operand(1));
  if (!repeats) fail("{}: the repeats are not known before the run: not supported below the framework level", op.describe());
  Shape apart;
  Ints kept;
  for (size_t i = 0; i < repeats->size(); ++i) {
    apart.push_back((*repeats)[i]);
    kept.push_back(static_cast<int64_t>(apart.size()));
    apart.push_back(x->shape()[i]);
  }
  return {build::reshape(b, build::broadcast_in_dim(b, x, x->type().with_shape(apart), kept), op.result()->shape())};
}

// ---- DepthToSpace, SpaceToDepth -------------------------------------------------------------------------------------
//   c1: rank 4. c2: blocksize divides what is split. Both are a reshape to six axes, a permutation, a reshape back.

struct Blocks {
  Shape apart, result;
  Ints permutation;
};

Dim divided(O op, const Dim& dim, int64_t by) {
  const auto exact = by > 0 ? Dim::exact_div(dim, by) : std::nullopt;
  if (!exact) violated(op, "c2", "{} does not divide by blocks of {}", dim.str(), by);
  return *exact;
}

Blocks blocks(O op, const Shape& x) {
  if (x.size() != 4) violated(op, "c1", "input has rank {}, expected 4", x.size());
  const int64_t n = op.get<int64_t>("blocksize");
  if (op.is("onnx.SpaceToDepth")) {
    const Dim h = divided(op, x[2], n), w = divided(op, x[3], n);
    return {{x[0], x[1], h, n, w, n}, {x[0], x[1] * (n * n), h, w}, {0, 3, 5, 1, 2, 4}};
  }
  if (n < 1 || n > (1 << 15)) violated(op, "c2", "blocksize is {}", n);
  const Dim c = divided(op, x[1], n * n);
  const Shape result = {x[0], c, x[2] * n, x[3] * n};
  if (op.get_or<std::string>("mode", "DCR") == "DCR") return {{x[0], n, n, c, x[2], x[3]}, result, {0, 3, 4, 1, 5, 2}};
  return {{x[0], c, n, n, x[2], x[3]}, result, {0, 1, 4, 2, 5, 3}};
}

std::vector<Type> infer_blocks(O op) {
  if (!types_known(op)) return unknown_results(op);
  return {op.operand(0)->type().with_shape(blocks(op, op.operand(0)->shape()).result)};
}

std::vector<Tensor> evaluate_blocks(O op, const std::vector<Tensor>& operands, EvalContext&) {
  const Blocks how = blocks(op, make_shape(operands[0].sizes()));
  const Ints apart = static_sizes(how.apart), strides = row_major_strides(apart);
  Ints sizes, steps;
  for (int64_t axis : how.permutation) {
    sizes.push_back(apart[static_cast<size_t>(axis)]);
    steps.push_back(strides[static_cast<size_t>(axis)]);
  }
  return {pick(operands[0], static_sizes(how.result), affine_index(sizes, steps))};
}

std::vector<Value*> decompose_blocks(O op, Builder& b) {
  const Blocks how = blocks(op, op.operand(0)->shape());
  return {build::reshape(b, build::transpose(b, build::reshape(b, op.operand(0), how.apart), how.permutation), how.result)};
}

// ---- Trilu: c1: rank 2 or more; zero below (upper) or above (lower) the k-th diagonal --------------------------------

std::vector<Type> infer_trilu(O op) {
  if (!types_known(op)) return unknown_results(op);
  if (op.operand(0)->rank() < 2) violated(op, "c1", "input has rank {}, expected 2 or more", op.operand(0)->rank());
  return {op.operand(0)->type()};
}

std::vector<Tensor> evaluate_trilu(O op, const std::vector<Tensor>& operands, EvalContext&) {
  Tensor result = own_copy(operands[0]);
  if (result.rank() < 2) violated(op, "c1", "input has rank {}, expected 2 or more", result.rank());
  const bool upper = op.get_or<int64_t>("upper", 1) != 0;
  const int64_t k = given(operands, 1) ? operands[1].get_int(0) : 0;
  const size_t row = static_cast<size_t>(result.rank()) - 2;
  for (Subscripts s(result.sizes()); !s.done(); s.next()) {
    const int64_t diagonal = s[row + 1] - s[row];
    if (upper ? diagonal < k : diagonal > k) result.set_int(s.linear(), 0);
  }
  return {std::move(result)};
}

std::vector<Value*> decompose_trilu(O op, Builder& b) {
  Value* x = op.operand(0);
  const Type places = Type::tensor(DType::i64, x->shape());
  Value* diagonal = build::subtract(b, build::iota(b, places, x->rank() - 1), build::iota(b, places, x->rank() - 2));
  Value* k = operand(op, 1) ? build::broadcast_to(b, build::reshape(b, op.operand(1), {}), x->shape()) : build::splat(b, places, 0);
  Value* keep = build::compare(b, op.get_or<int64_t>("upper", 1) != 0 ? "GE" : "LE", diagonal, k);
  return {build::select(b, keep, x, build::splat_like(b, x, 0))};
}

OpDef record(std::string_view name, std::string_view summary, std::vector<OperandDef> operands, std::vector<AttributeDef> attributes,
             InferFunction* infer, EvaluateFunction* evaluate, DecomposeFunction* decompose) {
  return {
      .name = name,
      .summary = summary,
      .level = Level::framework,
      .operands = std::move(operands),
      .attributes = std::move(attributes),
      .traits = Trait::pure | Trait::movement,
      .verify = nullptr,
      .infer = infer,
      .evaluate = evaluate,
      .gradient = gradient_of_decomposition(),
      .decompose = decompose,
      .cost = onnx_op::cost_movement,
  };
}

std::vector<OpDef> records() {
  constexpr auto optional = OperandDef::optional;
  const AttributeDef blocksize = {"blocksize", "i64", true};
  std::vector<OpDef> all = {
      record("onnx.Transpose", "reorder the axes", {{"data"}}, {{"perm", "ints, default reversed"}}, infer_transpose, evaluate_transpose,
             decompose_transpose),
      record("onnx.Concat", "one after another along an axis", {{"first"}, {"more", OperandDef::variadic}}, {{"axis", "i64", true}},
             infer_concat, evaluate_concat, decompose_concat),
      record("onnx.Split", "parts along an axis", {{"input"}, {"split", optional}},
             {{"axis", "i64, default 0"}, {"num_outputs", "i64, from opset 18"}, {"split", "ints, before opset 13"}}, infer_split,
             evaluate_split, decompose_split),
      record("onnx.Slice", "every step-th element from start to end of some axes",
             {{"data"}, {"starts", optional}, {"ends", optional}, {"axes", optional}, {"steps", optional}},
             {{"starts", "ints, before opset 10"}, {"ends", "ints, before opset 10"}, {"axes", "ints, before opset 10"}}, infer_slice,
             evaluate_slice, decompose_slice),
      record("onnx.Tile", "repeat along each axis", {{"input"}, {"repeats"}}, {}, infer_tile, evaluate_tile, decompose_tile),
      record("onnx.DepthToSpace", "channels become blocks of pixels", {{"input"}}, {blocksize, {"mode", "text, default DCR"}},
             infer_blocks, evaluate_blocks, decompose_blocks),
      record("onnx.SpaceToDepth", "blocks of pixels become channels", {{"input"}}, {blocksize}, infer_blocks, evaluate_blocks,
             decompose_blocks),
      record("onnx.Trilu", "the upper or lower triangle, the rest zero", {{"input"}, {"k", optional}}, {{"upper", "i64, default 1"}},
             infer_trilu, evaluate_trilu, decompose_trilu),
  };
  for (OpDef& op : all) {
    if (op.name == "onnx.Concat") op.verify = verify_concat;
    if (op.name == "onnx.Slice" || op.name == "onnx.Split") op.cost = onnx_op::cost_touching;
  }
  return all;
}

}  // namespace

std::span<const OpDef> onnx_movement_ops() {
  static const std::vector<OpDef> table = records();
  return table;
}

}  // namespace stele
