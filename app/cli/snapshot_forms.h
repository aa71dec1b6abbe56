// One snapshot in the forms that `stele show` prints.
#pragma once

#include <string>

#include "app/cli/json.h"
#include "core/session/session.h"

namespace stele::cli {

// Throws Error where the form is unknown, or the snapshot has none of it.
std::string snapshot_form(const Session& session, int snapshot, const std::string& format);

// Ops, edges, rewrites and text.
Json snapshot_contents(const Session& session, int snapshot);

}  // namespace stele::cli
