// Ops that take as operands what their siblings have as attributes: sizes that only the run tells (what JAX prints for
// symbolic shapes). Stele's own passes make none of them: a symbolic dim stands in a type.
#include "core/ops/all_ops.h"
#include "core/ops/strided.h"

namespace stele {
namespace {

using Tensors = std::vector<Tensor>;

// Of every one:  c1: an operand of sizes is a line of integers, as many as the rank it speaks of;
//                c2: the result has the first operand's element type.

void verify_line(const Operation& op, unsigned i, int64_t length) {
  const Type& type = op.operand(i)->type();
  if (type.rank() != 1 || !is_int(type.dtype) || !may_equal(type.shape[0], length)) {
    violated(op, "c1", "operand {} has type {}, expected {} integers", i, type.str(), length);
  }
}

void verify_dtype(const Operation& op) {
  if (op.result()->dtype() != op.operand(0)->dtype()) {
    violated(op, "c2", "result has element type {}, expected {}", name(op.result()->dtype()), name(op.operand(0)->dtype()));
  }
}

// Sizes from the run: no larger than a tensor may be, which making the result checks.
Ints sizes_of(const Operation& op, const Tensor& line) {
  Ints sizes = ints(line);
  for (int64_t size : sizes) {
    if (size < 0) fail("{}: a size is {}, expected at least 0", op.describe(), size);
  }
  return sizes;
}

OpDef dynamic(std::string_view name, std::string_view summary, std::vector<OperandDef> operands, std::vector<AttributeDef> attributes,
              VerifyFunction* verify, EvaluateFunction* evaluate, CostFunction* cost = cost_movement) {
  return {
      .name = name,
      .summary = summary,
      .operands = std::move(operands),
      .attributes = std::move(attributes),
      .traits = Trait::pure | Trait::movement,
      .verify = verify,
      .infer = declared_result_types,
      .evaluate = evaluate,
      .gradient = no_gradient("not provided"),
      .decompose = primitive(),
      .cost = cost,
  };
}

// dynamic_broadcast_in_dim(x, sizes) {broadcast_dimensions}
//   c3: one broadcast dimension an axis of x, each in range, none twice
void verify_broadcast(const Operation& op) {
  verify_line(op, 1, op.result()->rank());
  verify_dtype(op);
  const Ints& dims = op.get<Ints>("broadcast_dimensions");
  if (static_cast<int>(dims.size()) != op.operand(0)->rank()) violated(op, "c3", "{} broadcast dimensions, expected {}", dims.size(), op.operand(0)->rank());
  verify_axes(op, "c3", dims, op.result()->rank());
}

Tensors evaluate_broadcast(const Operation& op, const Tensors& operands, EvalContext&) {
  return {broadcast_to_sizes(op, operands[0], sizes_of(op, operands[1]), op.get<Ints>("broadcast_dimensions"))};
}

// dynamic_iota(sizes) {iota_dimension}
//   c3: iota_dimension is an axis of the result
void verify_iota(const Operation& op) {
  verify_line(op, 0, op.result()->rank());
  verify_axes(op, "c3", {op.get<int64_t>("iota_dimension")}, op.result()->rank());
}

Tensors evaluate_iota(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Ints sizes = sizes_of(op, operands[0]);
  const int64_t axis = op.get<int64_t>("iota_dimension");
  Tensor line(context.widened(op.result()->dtype()), {sizes.at(axis)});
  for (int64_t i = 0; i < line.elements(); ++i) line.set_int(i, i);
  return {broadcast_to_sizes(op, line, sizes, {axis})};
}

// dynamic_reshape(x, sizes)
void verify_reshape(const Operation& op) {
  verify_line(op, 1, op.result()->rank());
  verify_dtype(op);
}

Tensors evaluate_reshape(const Operation& op, const Tensors& operands, EvalContext&) {
  return {operands[0].reshaped(sizes_of(op, operands[1]))};
}

// real_dynamic_slice(x, starts, limits, strides)
void verify_slice(const Operation& op) {
  for (unsigned i = 1; i < 4; ++i) verify_line(op, i, op.operand(0)->rank());
  verify_dtype(op);
}

Tensors evaluate_slice(const Operation& op, const Tensors& operands, EvalContext&) {
  return {slice_tensor(op, operands[0], ints(operands[1]), ints(operands[2]), ints(operands[3]))};
}

// dynamic_pad(x, value, low, high, interior)
void verify_pad(const Operation& op) {
  for (unsigned i = 2; i < 5; ++i) verify_line(op, i, op.operand(0)->rank());
  verify_dtype(op);
}

Tensors evaluate_pad(const Operation& op, const Tensors& operands, EvalContext&) {
  const Ints interior = sizes_of(op, operands[4]);
  return {pad_tensor(operands[0], operands[1], ints(operands[2]), ints(operands[3]), interior)};
}

// get_dimension_size(x) {dimension}
//   c3: dimension is an axis of x;  c4: the result is an i32 scalar
void verify_size(const Operation& op) {
  verify_axes(op, "c3", {op.get<int64_t>("dimension")}, op.operand(0)->rank());
  if (op.result()->type() != Type::tensor(DType::i32, {})) violated(op, "c4", "result has type {}, expected tensor<i32>", op.result()->type().str());
}

Tensors evaluate_size(const Operation& op, const Tensors& operands, EvalContext&) {
  return {Tensor::of_ints(DType::i32, {}, {operands[0].sizes()[op.get<int64_t>("dimension")]})};
}

}  // namespace

std::span<const OpDef> dynamic_ops() {
  const std::vector<OperandDef> x_and_sizes = {{"x"}, {"sizes"}};
  static const OpDef table[] = {
      dynamic("stablehlo.dynamic_broadcast_in_dim", "repeat to sizes that the run tells", x_and_sizes,
              {{"broadcast_dimensions", "ints", true}}, verify_broadcast, evaluate_broadcast),
      dynamic("stablehlo.dynamic_iota", "the subscript along an axis, of sizes that the run tells", {{"sizes"}},
              {{"iota_dimension", "i64", true}}, verify_iota, evaluate_iota),
      dynamic("stablehlo.dynamic_reshape", "the same elements under sizes that the run tells", x_and_sizes, {}, verify_reshape, evaluate_reshape),
      dynamic("stablehlo.real_dynamic_slice", "a part whose bounds the run tells", {{"x"}, {"starts"}, {"limits"}, {"strides"}}, {},
              verify_slice, evaluate_slice),
      dynamic("stablehlo.dynamic_pad", "pad by what the run tells", {{"x"}, {"value"}, {"low"}, {"high"}, {"interior"}}, {}, verify_pad, evaluate_pad),
      dynamic("stablehlo.get_dimension_size", "the size of an axis", {{"x"}}, {{"dimension", "i64", true}}, verify_size, evaluate_size, cost_free),
  };
  return table;
}

}  // namespace stele
