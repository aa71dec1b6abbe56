#include "core/ir/text_format.h"

#include <algorithm>
#include <cctype>

namespace stele {

const OpFormat* find_format(std::string_view name) {
  using P = FormatPiece;
  static const std::vector<OpFormat> formats = {
      {"stablehlo.broadcast_in_dim", {{P::ints, "dims", "broadcast_dimensions"}}},
      {"stablehlo.concatenate", {{P::integer, "dim", "dimension"}}},
      {"stablehlo.dynamic_broadcast_in_dim", {{P::ints, "dims", "broadcast_dimensions"}}},
      {"stablehlo.dynamic_iota", {{P::integer, "dim", "iota_dimension"}}},
      {"stablehlo.dynamic_slice", {{P::ints, "sizes", "slice_sizes"}}},
      {"stablehlo.get_dimension_size", {{P::integer, "dim", "dimension"}}},
      {"stablehlo.iota", {{P::integer, "dim", "iota_dimension"}}},
      {"stablehlo.pad",
       {{P::ints, "low", "edge_padding_low"}, {P::ints, "high", "edge_padding_high"}, {P::ints, "interior", "interior_padding"}}},
      {"stablehlo.reverse", {{P::ints, "dims", "dimensions"}}},
      {"stablehlo.set_dimension_size", {{P::integer, "dim", "dimension"}}},
      {"stablehlo.transpose", {{P::ints, "dims", "permutation"}}},
  };
  auto found = std::find_if(formats.begin(), formats.end(), [&](const OpFormat& f) { return f.name == name; });
  return found == formats.end() ? nullptr : &*found;
}

const AttributeGroup* find_group(std::string_view op) {
  static const std::vector<AttributeGroup> groups = {
      {"stablehlo.gather", "dimension_numbers", "#stablehlo.gather",
       {"offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims", "start_index_map",
        "index_vector_dim"}},
      {"stablehlo.scatter", "scatter_dimension_numbers", "#stablehlo.scatter",
       {"update_window_dims", "inserted_window_dims", "input_batching_dims", "scatter_indices_batching_dims",
        "scatter_dims_to_operand_dims", "index_vector_dim"}},
  };
  auto found = std::find_if(groups.begin(), groups.end(), [&](const AttributeGroup& g) { return g.op == op; });
  return found == groups.end() ? nullptr : &*found;
}

bool is_made_up_name(std::string_view name) {
  const auto all_digits = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
  };
  if (all_digits(name)) return true;
  for (std::string_view prefix : {"arg", "cst", "c", "iterArg", "v"}) {
    if (!name.starts_with(prefix)) continue;
    std::string_view rest = name.substr(prefix.size());
    if (rest.starts_with("_")) rest.remove_prefix(1);
    if (all_digits(rest)) return true;
  }
  return false;
}

}  // namespace stele
