// What the command line and the viewer take for a model, and sizes of its dims.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ir/ir.h"

namespace stele {

// As open_model, and the first snapshot of a session too.
std::unique_ptr<Module> load_model(const std::string& path);

// "batch=32" … as a binding. Throws Error on anything else.
Binding parse_dims(const std::vector<std::string>& texts);

}  // namespace stele
