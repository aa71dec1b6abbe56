// A module as rows of a session.
#pragma once

#include <map>
#include <vector>

#include "core/session/session.h"

namespace stele {

// An op's own share of the scoreboard; -1: not known.
struct OpShare {
  int64_t kernels = -1, hbm_bytes = -1, flops = -1;
};
using OpShares = std::map<OpId, OpShare>;

// Ops of the functions' own bodies and, one level down, of kernel.fusion bodies, in execution order, constants included;
// terminators are edges, not ops. Inside a fusion, an edge from outside comes from the op that feeds the fusion's operand.
std::vector<OpRow> op_rows(const Module& module, const OpShares& shares = {});
std::vector<EdgeRow> edge_rows(const Module& module);

// Everything a changed snapshot consists of; prints the module. `row.rewrites` is set from `rewrites`.
Session::NewSnapshot record(const Module& module, SnapshotRow row, std::vector<RewriteRow> rewrites, const OpShares& shares = {});

}  // namespace stele
