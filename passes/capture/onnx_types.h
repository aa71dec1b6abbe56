// Types and free dims of an ONNX file. Only for the sources of this folder.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <string>

#include "core/ir/ir.h"

namespace stele::capture {

// Gives every dim_param of a file a symbol that the text form can hold, the same one for the same text.
class DimSymbols {
 public:
  explicit DimSymbols(Module& module) : module_(module) {}
  // Declares the plain names in a type, before expressions of them are looked at: "2*n" may stand before "n".
  void declare_names(const onnx::TypeProto& proto);
  // An input's dim: a plain name ("seq-len" -> seq_len), which it declares, or an expression of declared ones.
  Dim declare(const std::string& text);
  // What the file says of a dim elsewhere, if it can be said by symbols declared before: a name, or an expression of them.
  std::optional<Dim> find(const std::string& text) const;

 private:
  Module& module_;
  std::map<std::string, std::string> names_;  // dim_param -> symbol
};

// The type of the graph's input `name`: a dim without a value becomes a symbol. Unknown for sequences, strings, the like.
// Throws Error, beginning with `what`, on negative dims and dims whose product overflows.
Type input_type(const onnx::TypeProto& proto, const std::string& name, const std::string& what, DimSymbols& symbols);
// The type a file states of any other value; unknown where it is not stated in full.
Type stated_type(const onnx::TypeProto& proto, const std::string& what, const DimSymbols& symbols);

}  // namespace stele::capture
