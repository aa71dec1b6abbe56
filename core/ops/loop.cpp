// Ops of the loop level: buffers, loop nests, loads and stores, vectors. Arithmetic in loops is the elementwise ops of
// the tensor level, on scalars and vectors.
#include "core/ops/loop.h"

#include "core/ops/all_ops.h"
#include "core/ops/rules.h"

namespace stele {
namespace {

Cost within_its_kernel(const Operation&) { return {.kernels = 0}; }

std::vector<Tensor> only_inside(const Operation& op, const std::vector<Tensor>&, EvalContext&) {
  fail("{}: stands outside of a loop.kernel", op.describe());
}

std::vector<Tensor> evaluate_kernel(const Operation& op, const std::vector<Tensor>& operands, EvalContext& context) {
  return context.run_kernel(op, operands);
}

bool is_index(const Value* value) { return value->type() == Type::index(); }
bool is_register(const Type& type) { return type.kind == TypeKind::scalar || type.kind == TypeKind::vector; }

void expect_indices(const Operation& op, unsigned buffer, const char* label) {
  const unsigned rank = static_cast<unsigned>(op.operand(buffer)->rank());
  const unsigned given = op.operand_count() - buffer - 1;
  if (given != rank) fail("{}: {}: {} subscripts given, expected {}", op.describe(), label, given, rank);
  for (unsigned i = buffer + 1; i < op.operand_count(); ++i) {
    if (!is_index(op.operand(i))) fail("{}: {}: subscript is {}, expected index", op.describe(), label, op.operand(i)->type().str());
  }
}

void expect_access(const Operation& op, const Type& element, const Type& buffer, const char* label) {
  if (buffer.kind != TypeKind::buffer) fail("{}: {}: operand is {}, expected a buffer", op.describe(), label, buffer.str());
  if (!is_register(element) || element.dtype != buffer.dtype) {
    fail("{}: {}: value is {}, expected a scalar or vector of {}", op.describe(), label, element.str(), name(buffer.dtype));
  }
  if (element.kind == TypeKind::vector && buffer.rank() == 0) fail("{}: {}: a vector of a buffer of rank 0", op.describe(), label);
}

// loop.kernel(operands…) → tensor results: one launch. The region's arguments are buffers of the operands, then of the results.
//   loop_kernel_c1: one buffer an operand and a result, of its dtype and shape
//   loop_kernel_c2: the body ends in loop.yield without values
void verify_loop_kernel(const Operation& op) {
  if (op.region_count() != 1) fail("{}: loop_kernel_c1: {} regions, expected 1", op.describe(), op.region_count());
  const Region& body = op.region();
  const unsigned expected = op.operand_count() + op.result_count();
  if (body.argument_count() != expected) {
    fail("{}: loop_kernel_c1: {} buffers, expected {}", op.describe(), body.argument_count(), expected);
  }
  for (unsigned i = 0; i < expected; ++i) {
    const Value* outside = i < op.operand_count() ? op.operand(i) : op.result(i - op.operand_count());
    const Type type = Type::buffer(outside->dtype(), outside->shape());
    if (body.argument(i)->type() != type) {
      fail("{}: loop_kernel_c1: buffer {} is {}, expected {}", op.describe(), i, body.argument(i)->type().str(), type.str());
    }
  }
  const Operation* end = body.terminator();
  if (!end || !end->is("loop.yield") || end->operand_count() != 0) {
    fail("{}: loop_kernel_c2: body ends otherwise than in loop.yield()", op.describe());
  }
}

// loop.for(lower, upper, initial…) → final: iv = lower, lower+step … while iv < upper.
//   loop_for_c1: bounds are of type index, step is positive
//   loop_for_c2: the region takes iv, then what is carried; it yields what is carried; types agree
//   loop_for_c3: mode is serial or parallel; parallel carries nothing
void verify_loop_for(const Operation& op) {
  if (!is_index(op.operand(0)) || !is_index(op.operand(1))) fail("{}: loop_for_c1: bounds are not of type index", op.describe());
  const int64_t step = op.get_or<int64_t>("step", 1);
  if (step <= 0) fail("{}: loop_for_c1: step is {}, expected at least 1", op.describe(), step);
  const unsigned carried = op.operand_count() - 2;
  if (op.region_count() != 1) fail("{}: loop_for_c2: {} regions, expected 1", op.describe(), op.region_count());
  const Region& body = op.region();
  if (body.argument_count() != carried + 1 || op.result_count() != carried || body.argument(0)->type() != Type::index()) {
    fail("{}: loop_for_c2: the region takes {} values, expected {}", op.describe(), body.argument_count(), carried + 1);
  }
  const Operation* end = body.terminator();
  if (!end || !end->is("loop.yield") || end->operand_count() != carried) {
    fail("{}: loop_for_c2: the region does not yield {} values", op.describe(), carried);
  }
  for (unsigned i = 0; i < carried; ++i) {
    const Type& type = op.operand(i + 2)->type();
    if (body.argument(i + 1)->type() != type || end->operand(i)->type() != type || op.result(i)->type() != type) {
      fail("{}: loop_for_c2: carried value {} changes its type", op.describe(), i);
    }
  }
  const std::string mode = op.get_or<std::string>("mode", "serial");
  if (mode != "serial" && mode != "parallel") fail("{}: loop_for_c3: mode is '{}', expected serial or parallel", op.describe(), mode);
  if (mode == "parallel" && carried > 0) fail("{}: loop_for_c3: a parallel loop carries {} values", op.describe(), carried);
}

// loop.load(buffer, subscripts…) → scalar, or vector of lanes along the last dim.
//   loop_load_c1: of a buffer, of its dtype
//   loop_load_c2: one subscript a dim
void verify_load(const Operation& op) {
  expect_access(op, op.result()->type(), op.operand(0)->type(), "loop_load_c1");
  expect_indices(op, 0, "loop_load_c2");
}

// loop.store(value, buffer, subscripts…).
//   loop_store_c1: into a buffer, of its dtype
//   loop_store_c2: one subscript a dim
void verify_store(const Operation& op) {
  expect_access(op, op.operand(0)->type(), op.operand(1)->type(), "loop_store_c1");
  expect_indices(op, 1, "loop_store_c2");
}

// loop.alloc() → buffer: scratch of this kernel, one a thread.
//   loop_alloc_c1: the result is a buffer
void verify_alloc(const Operation& op) {
  if (!op.result()->type().is_buffer()) fail("{}: loop_alloc_c1: result is {}, expected a buffer", op.describe(), op.result()->type().str());
}

// loop.view(buffer) → the same elements under another shape.
//   loop_view_c1: from buffer to buffer, of one dtype and one number of elements
void verify_view(const Operation& op) {
  const Type &from = op.operand(0)->type(), &to = op.result()->type();
  if (!from.is_buffer() || !to.is_buffer() || from.dtype != to.dtype || from.elements() != to.elements()) {
    fail("{}: loop_view_c1: {} viewed as {}", op.describe(), from.str(), to.str());
  }
}

// loop.constant {value} → scalar.
//   loop_constant_c1: value has one element, of the result's dtype (i64 for index)
void verify_constant(const Operation& op) {
  const Tensor& value = op.get<Tensor>("value");
  const DType dtype = op.result()->dtype();
  const bool same = value.dtype() == dtype || (dtype == DType::index && value.dtype() == DType::i64);
  if (op.result()->type().kind != TypeKind::scalar || value.elements() != 1 || !same) {
    fail("{}: loop_constant_c1: value is {}, expected one element for {}", op.describe(), value.type().str(), op.result()->type().str());
  }
}

// loop.dim {value} → index: the value of a dim expression.
//   loop_dim_c1: value is one dim, the result an index
void verify_dim(const Operation& op) {
  if (op.get<Shape>("value").size() != 1 || !is_index(op.result())) fail("{}: loop_dim_c1: not one dim as an index", op.describe());
}

// loop.broadcast(scalar) → vector: the scalar in every lane; loop.lanes(index) → vector: index + 0, 1, 2 …
//   loop_broadcast_c1: from a scalar to a vector of its dtype
void verify_broadcast(const Operation& op) {
  const Type &from = op.operand(0)->type(), &to = op.result()->type();
  if (from.kind != TypeKind::scalar || to.kind != TypeKind::vector || from.dtype != to.dtype) {
    fail("{}: loop_broadcast_c1: {} to {}", op.describe(), from.str(), to.str());
  }
}

// loop.reduce(vector) {kind} → scalar: the lower half of the lanes with the upper half, and so on to one lane.
//   loop_reduce_c1: from a vector of a power of two lanes to a scalar of its dtype
//   loop_reduce_c2: kind is add, multiply, maximum, minimum, and, or
void verify_lane_reduce(const Operation& op) {
  const Type &from = op.operand(0)->type(), &to = op.result()->type();
  const int64_t lanes = from.kind == TypeKind::vector ? from.shape.at(0).value() : 0;
  if (lanes <= 0 || (lanes & (lanes - 1)) != 0 || to != Type::scalar(from.dtype)) {
    fail("{}: loop_reduce_c1: {} to {}", op.describe(), from.str(), to.str());
  }
  const std::string& kind = op.get<std::string>("kind");
  if (!is_lane_reduction(kind)) fail("{}: loop_reduce_c2: kind is '{}'", op.describe(), kind);
}

// loop.fma(a, b, c) → a*b + c with one rounding.
//   loop_fma_c1: floats of one type
void verify_fma(const Operation& op) {
  const Type& type = op.result()->type();
  for (const Value* operand : op.operands()) {
    if (operand->type() != type) fail("{}: loop_fma_c1: {}, expected {}", op.describe(), operand->type().str(), type.str());
  }
  if (!is_float(type.dtype) || !is_register(type)) fail("{}: loop_fma_c1: {} is no float", op.describe(), type.str());
}

constexpr auto no_gradient = "loop level: gradients are taken at the tensor level";
const auto absent_gradient = Aspect<GradientFunction>::absent(no_gradient);
const auto absent_decompose = Aspect<DecomposeFunction>::absent("primitive");

OpDef inner(std::string_view name, std::string_view summary, std::vector<OperandDef> operands, VerifyFunction* verify,
            Trait traits = Trait::pure) {
  return {.name = name,
          .summary = summary,
          .level = Level::loop,
          .operands = std::move(operands),
          .traits = traits,
          .verify = verify,
          .infer = declared_result_types,
          .evaluate = only_inside,
          .gradient = absent_gradient,
          .decompose = absent_decompose,
          .cost = within_its_kernel};
}

OpDef with(OpDef def, std::vector<AttributeDef> attributes) {
  def.attributes = std::move(attributes);
  return def;
}

const OpDef loop_kernel = {
    .name = "loop.kernel",
    .summary = "one launch, as loop nests over buffers",
    .level = Level::loop,
    .operands = {{"operands", OperandDef::variadic}},
    .attributes = {{"cost", "dims: flops, bytes read, bytes written; as predicted before lowering"}},
    .traits = Trait::pure | Trait::isolated,
    .verify = verify_loop_kernel,
    .infer = declared_result_types,
    .evaluate = evaluate_kernel,
    .gradient = absent_gradient,
    .decompose = absent_decompose,
    .cost = lowered_cost,
};

}  // namespace

bool is_lane_reduction(std::string_view kind) {
  return kind == "add" || kind == "multiply" || kind == "maximum" || kind == "minimum" || kind == "and" || kind == "or";
}

Attribute cost_attribute(const Cost& cost) { return Shape{cost.flops, cost.bytes_read, cost.bytes_written}; }

Cost lowered_cost(const Operation& op) {
  Cost cost;
  if (op.has("cost")) {
    const Shape& parts = op.get<Shape>("cost");
    if (parts.size() != 3) fail("{}: attribute 'cost' has {} parts, expected 3", op.describe(), parts.size());
    cost.flops = parts[0];
    cost.bytes_read = parts[1];
    cost.bytes_written = parts[2];
    return cost;
  }
  for (const Value* operand : op.operands()) cost.bytes_read = cost.bytes_read + operand->type().bytes();
  for (const Value* result : op.results()) cost.bytes_written = cost.bytes_written + result->type().bytes();
  return cost;
}

std::span<const OpDef> loop_ops() {
  using enum OperandDef::Kind;
  static const OpDef table[] = {
      loop_kernel,
      with(inner("loop.for", "a counted loop, carrying values", {{"lower"}, {"upper"}, {"initial", variadic}}, verify_loop_for, Trait::none),
           {{"step", "i64, default 1"}, {"mode", "serial or parallel, default serial"}, {"remainder", "unit: runs what a loop over vectors left"}}),
      inner("loop.load", "read a scalar or contiguous lanes", {{"buffer"}, {"subscripts", variadic}}, verify_load, Trait::none),
      inner("loop.store", "write a scalar or contiguous lanes", {{"value"}, {"buffer"}, {"subscripts", variadic}}, verify_store, Trait::none),
      inner("loop.alloc", "scratch memory of a kernel", {}, verify_alloc, Trait::none),
      inner("loop.view", "a buffer under another shape", {{"buffer"}}, verify_view),
      with(inner("loop.constant", "a constant scalar", {}, verify_constant, Trait::pure), {{"value", "one element", true}}),
      with(inner("loop.dim", "the value of a dim", {}, verify_dim), {{"value", "one dim", true}}),
      inner("loop.broadcast", "a scalar in every lane", {{"scalar"}}, verify_broadcast),
      inner("loop.lanes", "index, index + 1, … in the lanes", {{"index"}}, verify_broadcast),
      with(inner("loop.reduce", "the lanes combined by halves", {{"vector"}}, verify_lane_reduce), {{"kind", "add, multiply, maximum, minimum, and, or", true}}),
      inner("loop.fma", "a*b + c, rounded once", {{"a"}, {"b"}, {"c"}}, verify_fma),
      inner("loop.yield", "end a loop body or kernel", {{"values", variadic}}, nullptr, Trait::terminator),
  };
  return table;
}

}  // namespace stele
