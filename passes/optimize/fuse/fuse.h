// Fusion: tensor ops that one kernel computes are gathered into kernel.fusion ops. What belongs together is decided on the
// graph as it stands (groups.cpp); it is then gathered one op a rewrite (gather.cpp), so that any prefix is a valid module.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/pass/pass.h"

namespace stele::fusion {

// How an op joins: moved behind the group as its consumer, moved before it as its producer, or copied before it.
enum class Join { consumer, producer, copy };

struct Step {
  Operation* op;
  Join join;
  std::string_view rule;
};

// A root and the ops that join it, in order.
struct Group {
  std::string_view kind;  // "contraction", "row", "loop"
  Operation* root = nullptr;
  std::vector<Step> steps;
};

// Positions of a region's ops, kept up as fusions take the place of ops.
using Order = std::unordered_map<const Operation*, size_t>;

bool is_contraction_root(const Operation& op);
bool is_row_root(const Operation& op);
bool is_loop_root(const Operation& op);

Group plan_contraction(Operation& root, const Order& order);
Group plan_row(Operation& root, const Order& order);
Group plan_loop(Operation& root, const Order& order);

// A constant of one repeated value lives in the kernels that use it, not in memory.
bool is_splat_constant(const Operation& op);

// Applies a group's steps as rewrites. False when fuel is spent.
bool gather(const Group& group, Rewriter& rewriter, Order& order);

}  // namespace stele::fusion
