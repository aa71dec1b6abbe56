// Reshapes flow down through elementwise ops, and transposes into contractions, so that what belongs into one kernel has
// one shape and stands side by side.
#include "passes/optimize/canonicalize/rules.h"

namespace stele::canonical {
namespace {

using Ints = Attribute::Ints;

// A broadcast to `from`, redone to the shape `to` of as many elements: what to broadcast, and along which dims.
struct Rebroadcast {
  Shape operand;
  Ints dims;
};

// In each group of dims a broadcast either repeats all or none.
enum class Repeats { none, all, mixed, unit };
Repeats repeats_in(const Operation& broadcast, size_t begin, size_t end) {
  const Ints& dims = broadcast.get<Ints>("broadcast_dimensions");
  bool any_repeated = false, any_kept = false;
  for (size_t i = begin; i < end; ++i) {
    if (broadcast.result()->shape()[i].is(1)) continue;
    const auto found = std::find(dims.begin(), dims.end(), static_cast<int64_t>(i));
    const bool kept = found != dims.end() && broadcast.operand(0)->shape()[static_cast<size_t>(found - dims.begin())] == broadcast.result()->shape()[i];
    (kept ? any_kept : any_repeated) = true;
  }
  if (any_kept && any_repeated) return Repeats::mixed;
  return any_kept ? Repeats::none : any_repeated ? Repeats::all : Repeats::unit;
}

std::optional<Rebroadcast> rebroadcast(const Operation& broadcast, const Shape& to) {
  const Ints& dims = broadcast.get<Ints>("broadcast_dimensions");
  if (!std::is_sorted(dims.begin(), dims.end())) return std::nullopt;
  const auto groups = group_dims(broadcast.result()->shape(), to);
  if (!groups) return std::nullopt;
  Rebroadcast made;
  for (const DimGroup& group : *groups) {
    const Repeats repeats = repeats_in(broadcast, group.from_begin, group.from_end);
    if (repeats == Repeats::mixed) return std::nullopt;
    if (repeats != Repeats::none) continue;
    for (size_t i = group.to_begin; i < group.to_end; ++i) {
      made.operand.push_back(to[i]);
      made.dims.push_back(static_cast<int64_t>(i));
    }
  }
  return made;
}

// How an operand of an elementwise op is had in the shape `to`.
enum class Way { as_is, source_of_reshape, constant, broadcast, new_reshape };

Way way_to(const Value* value, const Shape& from, const Shape& to) {
  if (value->shape() != from) return Way::as_is;  // a scalar predicate or bound
  if (constant_of(value)) return Way::constant;
  if (const Operation* reshape = defined_by(value, "stablehlo.reshape")) {
    if (reshape->operand(0)->shape() == to) return Way::source_of_reshape;
  }
  const Operation* broadcast = defined_by(value, "stablehlo.broadcast_in_dim");
  if (broadcast && rebroadcast(*broadcast, to)) return Way::broadcast;
  return Way::new_reshape;
}

Value* reshaped(Rewrite& rewrite, Value* value, const Shape& to) {
  if (value->shape() == to) return value;
  if (const Tensor* constant = constant_of(value); constant && is_static(to)) {
    return rewrite.create_value("stablehlo.constant", {}, value->type().with_shape(to), {{"value", constant->reshaped(static_sizes(to))}});
  }
  return rewrite.create_value("stablehlo.reshape", {value}, value->type().with_shape(to));
}

Value* in_shape(Rewrite& rewrite, Value* value, const Shape& from, const Shape& to) {
  switch (way_to(value, from, to)) {
    case Way::as_is: return value;
    case Way::source_of_reshape: return value->definition()->operand(0);
    case Way::constant:
    case Way::new_reshape: return reshaped(rewrite, value, to);
    case Way::broadcast: break;
  }
  const Operation& broadcast = *value->definition();
  const auto made = rebroadcast(broadcast, to);
  Value* operand = reshaped(rewrite, broadcast.operand(0), made->operand);
  return rewrite.create_value(broadcast.name(), {operand}, value->type().with_shape(to), {{"broadcast_dimensions", made->dims}});
}

// Whether a contraction of the same shape is behind the value, through elementwise ops: the kernel that it should join.
bool follows_contraction(const Value* value, int depth = 24) {
  const Operation* op = value->definition();
  if (!op || depth == 0) return false;
  if (has_trait(*op, Trait::contraction)) return true;
  if (!has_trait(*op, Trait::elementwise)) return false;
  return std::any_of(op->operands().begin(), op->operands().end(), [&](const Value* operand) {
    return operand->shape() == value->shape() && follows_contraction(operand, depth - 1);
  });
}

// Going down is progress. A reshape that this puts in front of another operand is worth it only where it lets the op join a
// contraction, and where the other operand is not itself in such a place: else two reshapes would chase each other.
bool worth_sinking(const Operation& op, const Value* source, const Shape& from, const Shape& to) {
  for (const Value* operand : op.operands()) {
    if (way_to(operand, from, to) != Way::new_reshape) continue;
    const Operation* inner = defined_by(operand, "stablehlo.reshape");
    if (inner) operand = inner->operand(0);
    if (follows_contraction(operand) || !follows_contraction(source)) return false;
  }
  return true;
}

// The first operand that is a reshape of something that is no constant.
Operation* find_reshape(const Operation& op) {
  for (const Value* operand : op.operands()) {
    Operation* reshape = defined_by(operand, "stablehlo.reshape");
    if (reshape && !splat_of(operand) && operand->shape() == op.result()->shape()) return reshape;
  }
  return nullptr;
}

bool reshape_after_elementwise(Operation& op, Rewriter& rewriter, std::string_view rule) {
  if (!has_trait(op, Trait::elementwise) || level_of(op) != Level::tensor || op.result_count() != 1 || op.parent_op()) return false;
  Operation* reshape = find_reshape(op);
  if (!reshape) return false;
  Value* source = reshape->operand(0);
  const Shape to = source->shape(), from = reshape->result()->shape();
  if (op.result()->shape() != from || !worth_sinking(op, source, from, to)) return false;
  return rewriter.apply(rule, {&op, reshape}, [&](Rewrite& rewrite) {
    std::vector<Value*> operands;
    for (Value* operand : op.operands()) operands.push_back(in_shape(rewrite, operand, from, to));
    Value* result = rewrite.create_value(op.name(), operands, op.result()->type().with_shape(to), op.attributes());
    rewrite.replace(&op, rewrite.create_value("stablehlo.reshape", {result}, op.result()->type()));
  });
}

// Dims of `from` to reduce in the place of `reduced` dims of `to`, where no group of dims is reduced in part.
std::optional<Ints> reduced_before_reshape(const Shape& from, const Shape& to, const Ints& reduced) {
  const auto groups = group_dims(from, to);
  if (!groups) return std::nullopt;
  Ints dims;
  for (const DimGroup& group : *groups) {
    bool any_reduced = false, any_kept = false;
    for (size_t i = group.to_begin; i < group.to_end; ++i) {
      if (to[i].is(1)) continue;
      (std::count(reduced.begin(), reduced.end(), static_cast<int64_t>(i)) ? any_reduced : any_kept) = true;
    }
    if (any_reduced && any_kept) return std::nullopt;
    for (size_t i = group.from_begin; any_reduced && i < group.from_end; ++i) dims.push_back(static_cast<int64_t>(i));
  }
  return dims;
}

bool reshape_after_reduce(Operation& op, Rewriter& rewriter, std::string_view rule) {
  Operation* reshape = defined_by(op.operand(0), "stablehlo.reshape");
  if (!reshape || op.operand_count() != 2 || op.parent_op() || constant_of(reshape->operand(0))) return false;
  Value* source = reshape->operand(0);
  Ints reduced = op.get<Ints>("dimensions");
  if (!std::is_sorted(reduced.begin(), reduced.end())) return false;
  const auto dims = reduced_before_reshape(source->shape(), reshape->result()->shape(), reduced);
  if (!dims) return false;
  Shape kept;
  for (size_t i = 0; i < source->shape().size(); ++i) {
    if (!std::count(dims->begin(), dims->end(), static_cast<int64_t>(i))) kept.push_back(source->shape()[i]);
  }
  return rewriter.apply(rule, {&op, reshape}, [&](Rewrite& rewrite) {
    ValueMap mapping = {{op.operand(0), source}};
    Operation* reduce = rewrite.clone(op, mapping);
    rewrite.set_attribute(reduce, "dimensions", *dims);
    rewrite.set_type(reduce->result(), op.result()->type().with_shape(kept));
    rewrite.replace(&op, rewrite.create_value("stablehlo.reshape", {reduce->result()}, op.result()->type()));
  });
}

// Free dims of a side, in order, seen through the permutation: must stay in order for the result to keep its shape.
bool free_dims_stay_sorted(const Ints& permutation, const Ints& batching, const Ints& contracting) {
  int64_t last = -1;
  for (size_t i = 0; i < permutation.size(); ++i) {
    const int64_t dim = static_cast<int64_t>(i);
    if (std::count(batching.begin(), batching.end(), dim) || std::count(contracting.begin(), contracting.end(), dim)) continue;
    if (permutation[i] < last) return false;
    last = permutation[i];
  }
  return true;
}

Ints through(const Ints& permutation, const Ints& dims) {
  Ints mapped;
  for (int64_t dim : dims) mapped.push_back(permutation.at(static_cast<size_t>(dim)));
  return mapped;
}

bool transpose_into_dot(Operation& op, Rewriter& rewriter, std::string_view rule) {
  for (unsigned side = 0; side < 2; ++side) {
    Operation* transpose = defined_by(op.operand(side), "stablehlo.transpose");
    if (!transpose) continue;
    const std::string prefix = side == 0 ? "lhs_" : "rhs_";
    const Ints permutation = transpose->get<Ints>("permutation");
    const Ints batching = op.get_or<Ints>(prefix + "batching_dimensions", {}), contracting = op.get_or<Ints>(prefix + "contracting_dimensions", {});
    if (!free_dims_stay_sorted(permutation, batching, contracting)) continue;
    return rewriter.apply(rule, {&op, transpose}, [&](Rewrite& rewrite) {
      rewrite.set_operand(&op, side, transpose->operand(0));
      rewrite.set_attribute(&op, prefix + "batching_dimensions", through(permutation, batching));
      rewrite.set_attribute(&op, prefix + "contracting_dimensions", through(permutation, contracting));
    });
  }
  return false;
}

constexpr Rule rules[] = {
    {{"reshape-after-elementwise", "f(reshape(x), y) -> reshape(f(x, y in the shape of x))"}, "", reshape_after_elementwise},
    {{"reshape-after-reduce", "reduce(reshape(x)) -> reshape(reduce(x)) where the reshape does not join what is reduced and what is not"}, "stablehlo.reduce", reshape_after_reduce},
    {{"transpose-into-dot", "dot_general(transpose(x), y) -> dot_general(x, y) over x's own dims"}, "stablehlo.dot_general", transpose_into_dot},
};

}  // namespace

std::span<const Rule> reshape_rules() { return rules; }

}  // namespace stele::canonical
