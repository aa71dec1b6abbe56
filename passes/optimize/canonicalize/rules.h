// The rules of canonicalize, by family. Each is exact: bit for bit, for every value of its operands.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/pass/pass.h"

namespace stele::canonical {

// Tables known at compile time: the pass collects them before main.
std::span<const Rule> elementwise_rules();
std::span<const Rule> movement_rules();
std::span<const Rule> reshape_rules();
std::span<const Rule> framework_rules();

// The one value that every element of `value` has, where that is known: a constant, or a broadcast of one.
std::optional<double> splat_of(const Value* value);
// The same bits: -0.0 is not 0.0.
bool is_splat(const Value* value, double expected);
// A splat of `number` in the place of `like`, itself a splat: the same chain of broadcasts over another constant.
Value* make_splat_like(Rewrite& rewrite, const Value* like, double number);

inline Operation* defined_by(const Value* value, std::string_view name) {
  Operation* op = value->definition();
  return op && op->is(name) ? op : nullptr;
}
bool is_iota(const std::vector<int64_t>& numbers);

// Replaces op by value as rewrite `rule`, logging also the ops it looked through.
bool replace_with(Operation& op, Value* value, Rewriter& rewriter, std::string_view rule);

// Dims of `from` and `to` in consecutive groups of equal size, as a reshape pairs them: [begin, end) of either side.
struct DimGroup {
  size_t from_begin, from_end, to_begin, to_end;
};
// Nothing where the symbolic sizes cannot be paired.
std::optional<std::vector<DimGroup>> group_dims(const Shape& from, const Shape& to);

}  // namespace stele::canonical
