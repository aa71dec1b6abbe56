// Capture: an ONNX file becomes a module of onnx.* ops, one to one, names kept (https://onnx.ai/onnx/repo-docs/IR.html).
#pragma once

#include <memory>
#include <string>

#include "core/ir/ir.h"

namespace stele {

// Throws Error naming the file, the node or initialiser, and the reason. Ops that Stele does not know are kept: such a
// module can be looked at, not run. Initialisers become onnx.Constant ops; external data is memory-mapped, from the model's
// own folder only.
std::unique_ptr<Module> read_onnx(const std::string& path);

}  // namespace stele
