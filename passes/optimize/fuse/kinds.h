// The three kinds of kernels, as what each of them takes in.
#pragma once

#include <set>
#include <string_view>

#include "core/ops/op_def.h"

namespace stele::fusion {

using Members = std::set<const Operation*>;

struct Kind {
  std::string_view name;
  std::string_view consumer_rule, producer_rule;
  // op reads a member: may it join behind the group? (That it makes no cycle has been seen to.)
  bool (*takes_consumer)(const Operation& op, const Operation& root, const Members& members);
  // Members read op: may it join before the group?
  bool (*takes_producer)(const Operation& op, const Operation& root, const Members& members);
};

extern const Kind contraction_kind, row_kind, loop_kind;

// Costs a few instructions an element at most: may be computed where it is read, as often as it is read.
bool is_cheap_to_copy(const Operation& op);

}  // namespace stele::fusion
