// The scoreboard as a table: a snapshot a row, what each pass changed beside the numbers.
#pragma once

#include <string>
#include <vector>

#include "app/cli/json.h"
#include "core/session/session.h"

namespace stele::cli {

std::string scoreboard_table(const std::vector<SnapshotRow>& rows, bool colour);
// Lines "  3  fuse  kernels batch + 2, …" for rows whose numbers depend on dims; empty where none do.
std::string scoreboard_expressions(const std::vector<SnapshotRow>& rows, const std::string& binding);

// The fields of design.md: index, name, stage, level, changed, kernels, hbm_bytes, peak_bytes, flops, ms, and more.
Json snapshot_json(const SnapshotRow& row);

}  // namespace stele::cli
