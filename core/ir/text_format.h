// The pretty forms of StableHLO ops that are a list of operands and a few attributes: one table, read by printer and parser.
// (https://github.com/openxla/stablehlo/blob/main/stablehlo/dialect/StablehloOps.td, "assemblyFormat")
#pragma once

#include <string_view>
#include <vector>

namespace stele {

struct FormatPiece {
  enum Kind {
    ints,     // text = [0, 1]
    integer,  // text = 0
  } kind;
  std::string_view text;       // as printed: "dims"
  std::string_view attribute;  // as stored: "broadcast_dimensions"
};

// `name %operands, text = [..], … {other attributes} : types`
struct OpFormat {
  std::string_view name;
  std::vector<FormatPiece> pieces;
};

// Null where the op has no such form.
const OpFormat* find_format(std::string_view name);

// `#stablehlo.gather<offset_dims = [0], …>`: attributes that StableHLO prints as one, kept flat in the IR.
struct AttributeGroup {
  std::string_view op;
  std::string_view attribute;  // "dimension_numbers"
  std::string_view mnemonic;   // "#stablehlo.gather"
  std::vector<std::string_view> fields;
};
const AttributeGroup* find_group(std::string_view op);

// Names of the kind that printers make up: %0, %arg1, %cst_2, %c, %iterArg_3. They say nothing worth keeping.
bool is_made_up_name(std::string_view name);

}  // namespace stele
