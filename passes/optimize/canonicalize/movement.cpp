// Identities of ops that move or repeat elements. They compute nothing, so all of them are exact.
#include "passes/optimize/canonicalize/rules.h"

namespace stele::canonical {
namespace {

using Ints = Attribute::Ints;

bool same_type(const Operation& op) { return op.operand(0)->type() == op.result()->type(); }

bool reshape_identity(Operation& op, Rewriter& rewriter, std::string_view rule) {
  return same_type(op) && replace_with(op, op.operand(0), rewriter, rule);
}

bool reshape_of_reshape(Operation& op, Rewriter& rewriter, std::string_view rule) {
  Operation* inner = defined_by(op.operand(0), op.name());
  if (!inner) return false;
  return rewriter.apply(rule, {&op, inner}, [&](Rewrite& rewrite) { rewrite.set_operand(&op, 0, inner->operand(0)); });
}

bool transpose_identity(Operation& op, Rewriter& rewriter, std::string_view rule) {
  return is_iota(op.get<Ints>("permutation")) && replace_with(op, op.operand(0), rewriter, rule);
}

bool transpose_of_transpose(Operation& op, Rewriter& rewriter, std::string_view rule) {
  Operation* inner = defined_by(op.operand(0), op.name());
  if (!inner) return false;
  const Ints& first = inner->get<Ints>("permutation");
  Ints composed;
  for (int64_t axis : op.get<Ints>("permutation")) composed.push_back(first.at(static_cast<size_t>(axis)));
  return rewriter.apply(rule, {&op, inner}, [&](Rewrite& rewrite) {
    rewrite.set_operand(&op, 0, inner->operand(0));
    rewrite.set_attribute(&op, "permutation", composed);
  });
}

// The dims larger than 1 keep their order: a view, no kernel.
bool transpose_is_reshape(Operation& op, Rewriter& rewriter, std::string_view rule) {
  int64_t last = -1;
  for (int64_t axis : op.get<Ints>("permutation")) {
    if (op.operand(0)->shape()[static_cast<size_t>(axis)].is(1)) continue;
    if (axis < last) return false;
    last = axis;
  }
  return rewriter.apply(rule, {&op}, [&](Rewrite& rewrite) {
    rewrite.replace(&op, rewrite.create_value("stablehlo.reshape", {op.operand(0)}, op.result()->type()));
  });
}

bool broadcast_identity(Operation& op, Rewriter& rewriter, std::string_view rule) {
  return same_type(op) && is_iota(op.get<Ints>("broadcast_dimensions")) && replace_with(op, op.operand(0), rewriter, rule);
}

bool broadcast_of_broadcast(Operation& op, Rewriter& rewriter, std::string_view rule) {
  Operation* inner = defined_by(op.operand(0), op.name());
  if (!inner) return false;
  const Ints& outer_dims = op.get<Ints>("broadcast_dimensions");
  Ints composed;
  for (int64_t dim : inner->get<Ints>("broadcast_dimensions")) composed.push_back(outer_dims.at(static_cast<size_t>(dim)));
  return rewriter.apply(rule, {&op, inner}, [&](Rewrite& rewrite) {
    rewrite.set_operand(&op, 0, inner->operand(0));
    rewrite.set_attribute(&op, "broadcast_dimensions", composed);
  });
}

// Only dims of size 1 are new: a view, no kernel.
bool broadcast_is_reshape(Operation& op, Rewriter& rewriter, std::string_view rule) {
  const Ints& dims = op.get<Ints>("broadcast_dimensions");
  const Shape& from = op.operand(0)->shape();
  const Shape& to = op.result()->shape();
  std::vector<bool> mapped(to.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0 && dims[i] < dims[i - 1]) return false;
    const size_t dim = static_cast<size_t>(dims[i]);
    if (from[i] != to[dim]) return false;
    mapped[dim] = true;
  }
  for (size_t i = 0; i < to.size(); ++i) {
    if (!mapped[i] && !to[i].is(1)) return false;
  }
  return rewriter.apply(rule, {&op}, [&](Rewrite& rewrite) {
    rewrite.replace(&op, rewrite.create_value("stablehlo.reshape", {op.operand(0)}, op.result()->type()));
  });
}

// Where each dim of `small` stands in `large`, if `large` is `small` with dims of size 1 put between.
std::optional<Ints> positions_among_ones(const Shape& small, const Shape& large) {
  Ints positions;
  size_t next = 0;
  for (size_t i = 0; i < large.size(); ++i) {
    if (next < small.size() && small[next] == large[i]) {
      positions.push_back(static_cast<int64_t>(i));
      ++next;
    } else if (!large[i].is(1)) {
      return std::nullopt;
    }
  }
  if (next < small.size()) return std::nullopt;
  return positions;
}

bool broadcast_of_reshape(Operation& op, Rewriter& rewriter, std::string_view rule) {
  Operation* inner = defined_by(op.operand(0), "stablehlo.reshape");
  if (!inner) return false;
  const auto positions = positions_among_ones(inner->operand(0)->shape(), inner->result()->shape());
  if (!positions) return false;
  const Ints& dims = op.get<Ints>("broadcast_dimensions");
  Ints composed;
  for (int64_t position : *positions) composed.push_back(dims.at(static_cast<size_t>(position)));
  return rewriter.apply(rule, {&op, inner}, [&](Rewrite& rewrite) {
    rewrite.set_operand(&op, 0, inner->operand(0));
    rewrite.set_attribute(&op, "broadcast_dimensions", composed);
  });
}

bool all_are(const Ints& numbers, int64_t expected) {
  return std::all_of(numbers.begin(), numbers.end(), [&](int64_t n) { return n == expected; });
}

bool slice_identity(Operation& op, Rewriter& rewriter, std::string_view rule) {
  const Attribute* starts = op.attribute("start_indices");
  const auto* from = starts ? starts->get<Ints>() : nullptr;
  if (!from || !all_are(*from, 0) || !all_are(op.get<Ints>("strides"), 1) || !same_type(op)) return false;
  return replace_with(op, op.operand(0), rewriter, rule);
}

struct SliceBounds {
  Ints start, limit, stride;
};

// Static bounds, or nothing.
std::optional<SliceBounds> bounds_of(const Operation& op) {
  SliceBounds bounds;
  for (const auto& [name, target] : {std::pair{"start_indices", &bounds.start}, {"limit_indices", &bounds.limit}, {"strides", &bounds.stride}}) {
    const Attribute* attribute = op.attribute(name);
    const auto* numbers = attribute ? attribute->get<Ints>() : nullptr;
    if (!numbers) return std::nullopt;
    *target = *numbers;
  }
  return bounds;
}

bool slice_of_slice(Operation& op, Rewriter& rewriter, std::string_view rule) {
  Operation* inner = defined_by(op.operand(0), op.name());
  const auto outer = bounds_of(op), first = inner ? bounds_of(*inner) : std::nullopt;
  if (!outer || !first || !is_static(op.result()->shape())) return false;
  const std::vector<int64_t> sizes = static_sizes(op.result()->shape());
  SliceBounds composed;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return false;
    composed.start.push_back(first->start[i] + first->stride[i] * outer->start[i]);
    composed.stride.push_back(first->stride[i] * outer->stride[i]);
    composed.limit.push_back(composed.start[i] + (sizes[i] - 1) * composed.stride[i] + 1);
  }
  return rewriter.apply(rule, {&op, inner}, [&](Rewrite& rewrite) {
    rewrite.set_operand(&op, 0, inner->operand(0));
    rewrite.set_attribute(&op, "start_indices", composed.start);
    rewrite.set_attribute(&op, "limit_indices", composed.limit);
    rewrite.set_attribute(&op, "strides", composed.stride);
  });
}

// The slice is exactly one of the parts.
bool slice_of_concatenate(Operation& op, Rewriter& rewriter, std::string_view rule) {
  Operation* inner = defined_by(op.operand(0), "stablehlo.concatenate");
  const auto bounds = bounds_of(op);
  if (!inner || !bounds || !all_are(bounds->stride, 1)) return false;
  const size_t axis = static_cast<size_t>(inner->get<int64_t>("dimension"));
  int64_t offset = 0;
  for (Value* part : inner->operands()) {
    if (!part->shape()[axis].is_static() || offset > bounds->start[axis]) return false;
    if (offset == bounds->start[axis] && part->type() == op.result()->type()) return replace_with(op, part, rewriter, rule);
    offset += part->shape()[axis].value();
  }
  return false;
}

bool concatenate_one(Operation& op, Rewriter& rewriter, std::string_view rule) {
  return op.operand_count() == 1 && replace_with(op, op.operand(0), rewriter, rule);
}

bool concatenate_empty(Operation& op, Rewriter& rewriter, std::string_view rule) {
  const size_t axis = static_cast<size_t>(op.get<int64_t>("dimension"));
  std::vector<Value*> kept;
  for (Value* part : op.operands()) {
    if (!part->shape()[axis].is(0)) kept.push_back(part);
  }
  if (kept.empty() || kept.size() == op.operand_count()) return false;
  return rewriter.apply(rule, {&op}, [&](Rewrite& rewrite) {
    rewrite.replace(&op, rewrite.create_value(op.name(), kept, op.result()->type(), op.attributes()));
  });
}

bool pad_nothing(Operation& op, Rewriter& rewriter, std::string_view rule) {
  for (std::string_view name : {"edge_padding_low", "edge_padding_high", "interior_padding"}) {
    const Attribute* amounts = op.attribute(name);
    if (!amounts || !amounts->get<Ints>() || !all_are(*amounts->get<Ints>(), 0)) return false;
  }
  return replace_with(op, op.operand(0), rewriter, rule);
}

constexpr Rule rules[] = {
    {{"reshape-identity", "reshape(x) -> x where the shape stays"}, "stablehlo.reshape", reshape_identity},
    {{"reshape-of-reshape", "reshape(reshape(x)) -> reshape(x)"}, "stablehlo.reshape", reshape_of_reshape},
    {{"transpose-identity", "transpose(x, 0..n-1) -> x"}, "stablehlo.transpose", transpose_identity},
    {{"transpose-of-transpose", "transpose(transpose(x, p), q) -> transpose(x, p[q])"}, "stablehlo.transpose", transpose_of_transpose},
    {{"transpose-is-reshape", "transpose(x) -> reshape(x) where only dims of 1 move"}, "stablehlo.transpose", transpose_is_reshape},
    {{"broadcast-identity", "broadcast_in_dim(x) -> x where the shape stays"}, "stablehlo.broadcast_in_dim", broadcast_identity},
    {{"broadcast-of-broadcast", "broadcast(broadcast(x, d), e) -> broadcast(x, e[d])"}, "stablehlo.broadcast_in_dim", broadcast_of_broadcast},
    {{"broadcast-of-reshape", "broadcast(reshape(x)) -> broadcast(x) where the reshape adds dims of 1"}, "stablehlo.broadcast_in_dim", broadcast_of_reshape},
    {{"broadcast-is-reshape", "broadcast(x) -> reshape(x) where only dims of 1 are new"}, "stablehlo.broadcast_in_dim", broadcast_is_reshape},
    {{"slice-identity", "slice(x) -> x where it takes all"}, "stablehlo.slice", slice_identity},
    {{"slice-of-slice", "slice(slice(x)) -> slice(x)"}, "stablehlo.slice", slice_of_slice},
    {{"slice-of-concatenate", "slice(concatenate(…, x, …)) -> x where it takes just x"}, "stablehlo.slice", slice_of_concatenate},
    {{"concatenate-one", "concatenate(x) -> x"}, "stablehlo.concatenate", concatenate_one},
    {{"concatenate-empty", "concatenate(x, empty, y) -> concatenate(x, y)"}, "stablehlo.concatenate", concatenate_empty},
    {{"pad-nothing", "pad(x, 0, 0, 0) -> x"}, "stablehlo.pad", pad_nothing},
};

}  // namespace

std::span<const Rule> movement_rules() { return rules; }

}  // namespace stele::canonical
