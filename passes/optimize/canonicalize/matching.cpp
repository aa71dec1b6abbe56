// What the rules of canonicalize look at operands with.
#include <bit>
#include <cstring>

#include "passes/optimize/canonicalize/rules.h"

namespace stele::canonical {
namespace {

// Element 0 where all elements have its bits.
std::optional<double> splat_of_tensor(const Tensor& tensor) {
  if (tensor.elements() == 0) return std::nullopt;
  const size_t width = static_cast<size_t>(size_bytes(tensor.dtype()));
  const std::byte* bytes = tensor.data();
  const size_t size = tensor.size_bytes();
  // Each element equals the one before it: the bytes equal themselves shifted by one element.
  if (size > width && std::memcmp(bytes, bytes + width, size - width) != 0) return std::nullopt;
  return is_float(tensor.dtype()) ? tensor.get(0) : static_cast<double>(tensor.get_int(0));
}

bool is_repeating(const Operation* op) { return op && (op->is("stablehlo.broadcast_in_dim") || op->is("stablehlo.reshape")); }

}  // namespace

std::optional<double> splat_of(const Value* value) {
  while (is_repeating(value->definition())) value = value->definition()->operand(0);
  const Tensor* constant = constant_of(value);
  return constant ? splat_of_tensor(*constant) : std::nullopt;
}

bool is_splat(const Value* value, double expected) {
  const auto found = splat_of(value);
  return found && std::bit_cast<uint64_t>(*found) == std::bit_cast<uint64_t>(expected);
}

Value* make_splat_like(Rewrite& rewrite, const Value* like, double number) {
  if (is_repeating(like->definition())) {
    const Operation& op = *like->definition();
    Value* inner = make_splat_like(rewrite, op.operand(0), number);
    return rewrite.create_value(op.name(), {inner}, like->type(), op.attributes());
  }
  const Tensor& old = *constant_of(like);
  const std::vector<double> values(static_cast<size_t>(old.elements()), number);
  Tensor tensor = Tensor::of_doubles(old.dtype(), old.sizes(), values);
  return rewrite.create_value("stablehlo.constant", {}, like->type(), {{"value", Attribute(std::move(tensor))}});
}

bool is_iota(const std::vector<int64_t>& numbers) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

bool replace_with(Operation& op, Value* value, Rewriter& rewriter, std::string_view rule) {
  return rewriter.apply(rule, {&op}, [&](Rewrite& rewrite) { rewrite.replace(&op, value); });
}

std::optional<std::vector<DimGroup>> group_dims(const Shape& from, const Shape& to) {
  const auto is_zero = [](const Dim& dim) { return dim.is(0); };
  if (std::any_of(from.begin(), from.end(), is_zero) || std::any_of(to.begin(), to.end(), is_zero)) return std::nullopt;
  std::vector<DimGroup> groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    DimGroup group{i, i + 1, j, j + 1};
    Dim left = from[i++], right = to[j++];
    while (left != right) {
      if (i < from.size() && Dim::exact_div(right, left)) {
        left = left * from[i++];
      } else if (j < to.size() && Dim::exact_div(left, right)) {
        right = right * to[j++];
      } else {
        return std::nullopt;
      }
    }
    group.from_end = i;
    group.to_end = j;
    groups.push_back(group);
  }
  // What is left over can only be dims of size 1.
  for (size_t k = i; k < from.size(); ++k) {
    if (!from[k].is(1)) return std::nullopt;
  }
  for (size_t k = j; k < to.size(); ++k) {
    if (!to[k].is(1)) return std::nullopt;
  }
  if (i < from.size() || j < to.size()) groups.push_back({i, from.size(), j, to.size()});
  return groups;
}

}  // namespace stele::canonical
