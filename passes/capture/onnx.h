// Capture: an ONNX file becomes a module of onnx.* ops, one to one, names kept (https://onnx.ai/onnx/repo-docs/IR.html).
//
// A node of ONNX's own domain is the op "onnx.<OpType>"; one of another domain is "onnx.<domain>.<OpType>" and carries the
// domain as the attribute "domain". An optional operand that is left out is the result of an onnx.None op (type none);
// trailing ones are dropped. Initialisers, and Constant nodes whatever attribute they use, are onnx.Constant {value}; one
// whose element type Stele lacks has the attribute "not_read" (why) instead. The bodies of If, Loop and Scan are regions,
// ended by stablehlo.return; the attribute "graphs" names them in order. A free dim is a symbol.
// The module's attributes: "opset" (of ONNX's domain), "opsets" (of the others: "com.microsoft 1"), "ir_version", "producer", and
// "opset_note" where the opset is older than 13, the first that the ops are written for; one newer than 23 is refused.
// The function's attribute "graph_inputs" names the graph's inputs where some of them are initialisers, and so constants.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/ir/ir.h"

namespace stele {

// Throws Error naming the file, the node or initialiser, and the reason. Ops that Stele does not know are kept: such a
// module can be looked at, not run. External data is memory-mapped, from the model's own folder only.
std::unique_ptr<Module> read_onnx(const std::string& path);
// The same from memory; `name` stands in messages. External data is refused.
std::unique_ptr<Module> read_onnx_bytes(std::span<const std::byte> bytes, const std::string& name);

}  // namespace stele
