// The text form: prints canonically, and parses back to the same module. Tensor level: StableHLO's syntax (pretty forms,
// https://openxla.org/stablehlo/spec); other levels: `name(operands) {attributes} : (types) -> types`, regions in braces.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/ir/ir.h"

namespace stele {

struct PrintOptions {
  bool names = true;       // values under the names of the user's file where they have one; else %0, %1 … and %arg0 …
  bool identity = false;   // ids, provenance and labels, in a trailing loc(…): what a session keeps
  int64_t elide_above = 16;  // constants of more elements are printed as dense_resource<hash>; -1: never
  bool resources = false;  // with elided constants: their bytes in a {-# dialect_resources … #-} section at the end
};

std::string print(const Module& module, const PrintOptions& options = {});
std::string print(const Operation& op, const PrintOptions& options = {});  // one op with its regions, no newline at the end
std::string print(const Attribute& attribute);

// Bytes of a constant by hash where the text holds none; null where unknown.
using BlobSource = std::function<BlobRef(const std::string& hash)>;

struct ParseOptions {
  std::string file = "<text>";  // for messages
  BlobSource blobs = nullptr;
};
// Throws Error with file, line and column. Does not verify. Also reads MLIR's generic form ("stablehlo.add"(%0, %1) …)
// and what JAX prints (attributes it does not know are kept).
std::unique_ptr<Module> parse(std::string_view text, const ParseOptions& options = {});
Type parse_type(std::string_view text);

// Every blob the module refers to (constants, bitcode), once each.
std::vector<BlobRef> blobs_of(const Module& module);

}  // namespace stele
