#include "passes/optimize/fuse/kinds.h"

#include <array>

#include "passes/optimize/fuse/fuse.h"

namespace stele::fusion {
namespace {

constexpr std::string_view movement[] = {
    "stablehlo.broadcast_in_dim", "stablehlo.concatenate", "stablehlo.gather", "stablehlo.iota", "stablehlo.pad",
    "stablehlo.reshape",          "stablehlo.reverse",     "stablehlo.slice",  "stablehlo.transpose",
};

constexpr std::string_view expensive[] = {
    "chlo.erf",        "chlo.erfc",      "chlo.erf_inv",       "stablehlo.atan2",    "stablehlo.cbrt",
    "stablehlo.cosine", "stablehlo.divide", "stablehlo.exponential", "stablehlo.exponential_minus_one", "stablehlo.log",
    "stablehlo.log_plus_one", "stablehlo.logistic", "stablehlo.power", "stablehlo.remainder", "stablehlo.rsqrt",
    "stablehlo.sine",  "stablehlo.sqrt", "stablehlo.tan",      "stablehlo.tanh",
};

template <size_t N>
bool is_one_of(const Operation& op, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), op.name()) != std::end(names);
}

bool is_tensor_op(const Operation& op) {
  return level_of(op) == Level::tensor && op.result_count() == 1 && op.result()->type().is_tensor();
}

bool is_elementwise(const Operation& op) { return is_tensor_op(op) && has_trait(op, Trait::elementwise) && has_trait(op, Trait::pure); }
bool is_movement(const Operation& op) { return is_tensor_op(op) && is_one_of(op, movement); }

bool is_cheap(const Operation& op) { return is_movement(op) || (is_elementwise(op) && !is_one_of(op, expensive)); }

// Reads some element more than once.
bool repeats(const Operation& op) { return op.is("stablehlo.broadcast_in_dim") || op.is("stablehlo.gather"); }

bool is_in(const Value* value, const Members& members) { return value->definition() && members.contains(value->definition()); }

// What is read through a broadcast, be it a few ops further on, is computed once a reader.
bool is_read_repeatedly(const Operation& op, const Members& members, int depth = 4) {
  return std::any_of(op.result()->uses().begin(), op.result()->uses().end(), [&](const Use& use) {
    if (!members.contains(use.user)) return false;
    return repeats(*use.user) || (depth > 0 && use.user->result_count() == 1 && is_read_repeatedly(*use.user, members, depth - 1));
  });
}

int movement_readers(const Operation& op, const Members& members) {
  int count = 0;
  for (const Use& use : op.result()->uses()) count += members.contains(use.user) && is_movement(*use.user);
  return count;
}

bool all_cheap(const Members& members) {
  return std::all_of(members.begin(), members.end(), [](const Operation* op) { return is_cheap(*op); });
}

// ---- contraction: one dot_general or convolution, and elementwise ops on its result ----

bool contraction_takes_consumer(const Operation& op, const Operation& root, const Members&) {
  return is_elementwise(op) && op.result()->shape() == root.result()->shape();
}

bool contraction_takes_producer(const Operation& op, const Operation& root, const Members& members) {
  for (const Use& use : op.result()->uses()) {
    if (use.user == &root) return false;  // an operand of the contraction is read many times: it stays in memory
  }
  if (is_elementwise(op)) return is_cheap(op) || !is_read_repeatedly(op, members);
  return op.is("stablehlo.broadcast_in_dim") || op.is("stablehlo.iota");
}

// ---- row: reductions of one shape, and elementwise ops on their operands' and results' shapes ----

// A fusion is isolated: a region that reads what stands around its op cannot go into one.
bool has_closed_region(const Operation& op) {
  bool closed = true;
  walk(op.region(), [&](const Operation& inner) {
    for (const Value* operand : inner.operands()) {
      closed = closed && is_inside(operand->definition() ? operand->definition()->parent() : operand->argument_of(), &op);
    }
  });
  return closed;
}

bool is_reduction(const Operation& op) {
  return op.is("stablehlo.reduce") && op.operand_count() == 2 && is_tensor_op(op) && has_closed_region(op);
}

// The reduced shape with dims of 1 in the place of those that are gone.
Shape kept_dims(const Operation& reduction) {
  Shape shape = reduction.operand(0)->shape();
  for (int64_t dim : reduction.get<Attribute::Ints>("dimensions")) shape[static_cast<size_t>(dim)] = 1;
  return shape;
}

bool reduces_trailing(const Operation& reduction) {
  Attribute::Ints dims = reduction.get<Attribute::Ints>("dimensions");
  std::sort(dims.begin(), dims.end());
  const int64_t first = reduction.operand(0)->rank() - static_cast<int64_t>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != first + static_cast<int64_t>(i)) return false;
  }
  return true;
}

bool is_row_shape(const Shape& shape, const Operation& root) { return shape == root.result()->shape() || shape == kept_dims(root); }

bool same_rows(const Operation& op, const Operation& root) {
  return is_reduction(op) && op.operand(0)->shape() == root.operand(0)->shape() &&
         op.get<Attribute::Ints>("dimensions") == root.get<Attribute::Ints>("dimensions");
}

// A value a row, repeated along its row.
bool spreads_rows(const Operation& op, const Operation& root) {
  if (!op.is("stablehlo.broadcast_in_dim") || op.result()->shape() != root.operand(0)->shape()) return false;
  const auto& dims = op.get<Attribute::Ints>("broadcast_dimensions");
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != static_cast<int64_t>(i)) return false;
  }
  return is_row_shape(op.operand(0)->shape(), root);
}

bool row_takes_consumer(const Operation& op, const Operation& root, const Members&) {
  if (is_elementwise(op) && is_row_shape(op.result()->shape(), root)) return true;
  if (op.is("stablehlo.reshape") && is_row_shape(op.operand(0)->shape(), root) && is_row_shape(op.result()->shape(), root)) return true;
  if (!reduces_trailing(root)) return false;
  return (is_elementwise(op) && op.result()->shape() == root.operand(0)->shape()) || same_rows(op, root) || spreads_rows(op, root);
}

bool row_takes_producer(const Operation& op, const Operation& root, const Members& members) {
  if (op.is("stablehlo.iota") || op.is("stablehlo.broadcast_in_dim")) return true;
  if (is_movement(op)) return !op.is("stablehlo.reshape") && movement_readers(op, members) == 0;
  if (!is_elementwise(op)) return false;
  const Shape& shape = op.result()->shape();
  if (shape == root.operand(0)->shape() || is_row_shape(shape, root)) return true;
  return is_cheap(op);
}

// ---- loop: elementwise and movement ops ----

bool loop_takes_consumer(const Operation& op, const Operation&, const Members& members) {
  if (is_elementwise(op)) return true;
  if (!is_movement(op)) return false;
  if (op.is("stablehlo.gather") && is_in(op.operand(0), members)) return false;  // reads its data anywhere, any number of times
  if (repeats(op)) return all_cheap(members);
  // Two movement ops may read one member at different places, and so compute it twice; no more than that.
  for (const Value* operand : op.operands()) {
    if (is_in(operand, members) && !is_cheap(*operand->definition()) && movement_readers(*operand->definition(), members) > 1) return false;
  }
  return true;
}

bool loop_takes_producer(const Operation& op, const Operation&, const Members& members) {
  for (const Use& use : op.result()->uses()) {
    if (members.contains(use.user) && use.user->is("stablehlo.gather") && use.operand == 0) return false;
  }
  if (is_movement(op)) return !op.is("stablehlo.reshape") || movement_readers(op, members) == 0;
  if (!is_elementwise(op)) return false;
  return is_cheap(op) || (!is_read_repeatedly(op, members) && movement_readers(op, members) <= 2);
}

}  // namespace

const Kind contraction_kind = {"contraction", "fuse-epilogue", "fuse-epilogue-operand", contraction_takes_consumer, contraction_takes_producer};
const Kind row_kind = {"row", "fuse-reduction-consumer", "fuse-into-reduction", row_takes_consumer, row_takes_producer};
const Kind loop_kind = {"loop", "fuse-elementwise", "fuse-elementwise", loop_takes_consumer, loop_takes_producer};

bool is_contraction_root(const Operation& op) { return is_tensor_op(op) && has_trait(op, Trait::contraction); }
bool is_row_root(const Operation& op) { return is_reduction(op); }
bool is_loop_root(const Operation& op) { return (is_elementwise(op) || is_movement(op)) && !has_trait(op, Trait::view) && !op.is("stablehlo.iota"); }

bool is_cheap_to_copy(const Operation& op) {
  return op.is("stablehlo.broadcast_in_dim") || op.is("stablehlo.iota") || op.is("stablehlo.slice") || op.is("stablehlo.transpose");
}

bool is_splat_constant(const Operation& op) {
  if (!op.is("stablehlo.constant")) return false;
  const Tensor* value = constant_of(op.result());
  if (!value || value->elements() == 0) return false;
  const size_t width = static_cast<size_t>(size_bytes(value->dtype())), size = value->size_bytes();
  return std::equal(value->data(), value->data() + (size - width), value->data() + width);
}

}  // namespace stele::fusion
