#include "passes/lower/loops/subscripts.h"

#include <algorithm>
#include <map>

#include "core/ops/rules.h"

namespace stele::loops {

bool is_joined(const Index& index, size_t axis) { return !index[axis] || (axis > 0 && !index[axis - 1]); }

bool any_joined(const Index& index) { return std::find(index.begin(), index.end(), nullptr) != index.end(); }

Index separated(Nest& nest, const Index& index, const Shape& shape) {
  Index result = index;
  for (size_t axis = index.size(); axis-- > 1;) {
    if (result[axis - 1]) continue;
    Value* joined = result[axis];
    Value* size = nest.dim(shape[axis]);
    result[axis] = nest.remainder(joined, size);
    result[axis - 1] = nest.divide(joined, size);
  }
  return result;
}

namespace {

// Whether more dims of `from` must join a group of product a to reach the product b.
bool is_smaller(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return a.value() < b.value();
  return Dim::exact_div(b, a).has_value();
}

}  // namespace

Index reshaped_index(Nest& nest, const Shape& from, const Shape& to, const Index& index) {
  Shape sizes;
  Index subscripts;
  Dim product = 1;
  for (size_t axis = 0; axis < to.size(); ++axis) {
    product = product * to[axis];
    if (!index[axis]) continue;
    if (!product.is(1)) {
      sizes.push_back(product);
      subscripts.push_back(index[axis]);
    }
    product = 1;
  }
  Index result(from.size(), nest.integer(0));
  size_t i = 0, j = 0;
  while (i < from.size()) {
    if (from[i].is(1) || j == sizes.size()) {
      ++i;
      continue;
    }
    const size_t first = i;
    Dim here = from[i++], there = sizes[j];
    Value* linear = subscripts[j++];
    while (here != there && (i < from.size() || j < sizes.size())) {
      if (i < from.size() && (j == sizes.size() || is_smaller(here, there))) {
        here = here * from[i++];
      } else {
        there = there * sizes[j];
        linear = nest.add(nest.multiply(linear, nest.dim(sizes[j])), subscripts[j]);
        ++j;
      }
    }
    for (size_t axis = first; axis + 1 < i; ++axis) result[axis] = nullptr;
    result[i - 1] = linear;
  }
  return result;
}

namespace {

// Whether result axis `axis` of a broadcast is a dim of the operand; where it is, which.
bool carries(const Operation& op, const Ints& dims, size_t axis, size_t* operand_axis) {
  const auto found = std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis));
  if (found == dims.end()) return false;
  *operand_axis = static_cast<size_t>(found - dims.begin());
  const Dim& from = op.operand(0)->shape()[*operand_axis];
  return !from.is(1) || op.result()->shape()[axis].is(1);
}

enum class Joint { kept, dropped, broken };

// What becomes of the joint between axis and axis + 1 in the operand of a broadcast.
Joint joint_of(const Operation& op, size_t axis, size_t* operand_axis) {
  const Ints& dims = op.get<Ints>("broadcast_dimensions");
  size_t first = 0, second = 0;
  const bool has_first = carries(op, dims, axis, &first), has_second = carries(op, dims, axis + 1, &second);
  *operand_axis = first;
  if (has_first && has_second && second == first + 1) return Joint::kept;
  return has_first || has_second ? Joint::broken : Joint::dropped;
}

}  // namespace

Index broadcast_index(Nest& nest, const Operation& op, const Index& given) {
  const Ints& dims = op.get<Ints>("broadcast_dimensions");
  Index index = given;
  for (size_t axis = 0; axis + 1 < index.size(); ++axis) {
    size_t unused = 0;
    if (!index[axis] && joint_of(op, axis, &unused) == Joint::broken) {
      index = separated(nest, given, op.result()->shape());
      break;
    }
  }
  Index result;
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto axis = static_cast<size_t>(dims[i]);
    size_t same = 0;
    result.push_back(carries(op, dims, axis, &same) ? index[axis] : nest.integer(0));
  }
  return result;
}

namespace {

bool is_whole(const Operation& op, size_t axis) { return op.operand(0)->shape()[axis] == op.result()->shape()[axis]; }

// Answers each value and axis once: a value with several uses would be asked twice as often at each step back.
class JoinQuery {
 public:
  explicit JoinQuery(const std::set<const Value*>& known) : known_(known) {}

  bool can_join(const Value* value, size_t axis) {
    const auto key = std::make_pair(value, axis);
    if (const auto found = answers_.find(key); found != answers_.end()) return found->second;
    const bool joins = answer(value, axis);
    answers_[key] = joins;
    return joins;
  }

 private:
  bool answer(const Value* value, size_t axis) {
    const Operation* op = value->definition();
    if (!op || known_.contains(value) || has_trait(*op, Trait::constant)) return true;
    if (op->is("stablehlo.broadcast_in_dim")) {
      size_t operand_axis = 0;
      const Joint joint = joint_of(*op, axis, &operand_axis);
      return joint == Joint::dropped || (joint == Joint::kept && can_join(op->operand(0), operand_axis));
    }
    if (op->is("stablehlo.reshape")) return known_.contains(op->operand(0)) || !op->operand(0)->definition();
    if (op->is("stablehlo.transpose")) return transpose(*op, axis);
    if (op->is("stablehlo.slice")) return is_whole(*op, axis) && is_whole(*op, axis + 1) && can_join(op->operand(0), axis);
    if (op->is("stablehlo.reduce")) return reduce(*op, axis);
    if (op->is("stablehlo.concatenate")) {
      const auto along = static_cast<size_t>(op->get<int64_t>("dimension"));
      if (along == axis || along == axis + 1) return false;
    } else if (!has_trait(*op, Trait::elementwise)) {
      return false;
    }
    return std::all_of(op->operands().begin(), op->operands().end(),
                       [&](const Value* operand) { return operand->rank() == 0 || can_join(operand, axis); });
  }

  bool transpose(const Operation& op, size_t axis) {
    const Ints& permutation = op.get<Ints>("permutation");
    return permutation[axis + 1] == permutation[axis] + 1 && can_join(op.operand(0), static_cast<size_t>(permutation[axis]));
  }

  bool reduce(const Operation& op, size_t axis) {
    const Ints& reduced = op.get<Ints>("dimensions");
    std::vector<size_t> kept;
    for (size_t i = 0; i < op.operand(0)->shape().size(); ++i) {
      if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(i)) == reduced.end()) kept.push_back(i);
    }
    if (kept[axis + 1] != kept[axis] + 1) return false;
    for (unsigned i = 0; i < op.operand_count() / 2; ++i) {
      if (!can_join(op.operand(i), kept[axis])) return false;
    }
    return true;
  }

  const std::set<const Value*>& known_;
  std::map<std::pair<const Value*, size_t>, bool> answers_;
};

}  // namespace

bool can_join(const Value* value, size_t axis, const std::set<const Value*>& known) { return JoinQuery(known).can_join(value, axis); }

}  // namespace stele::loops
