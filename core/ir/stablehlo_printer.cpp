// StableHLO's own forms of ops (https://openxla.org/stablehlo/spec; assembly formats in StablehloOps.td).
#include <algorithm>

#include "core/ir/printer.h"

namespace stele {

// The trailing attributes a pretty form does not show.
std::string Printer::rest(const Operation& op, std::set<std::string_view> without) {
  without.insert("");
  const std::string list = attributes_.dictionary(op.attributes(), without);
  return list.empty() ? "" : " " + list;
}

std::string Printer::short_type(const Operation& op) { return " : " + (one_type(op) ? op.result()->type().str() : functional(op)); }

// False where the op has no pretty form, or lacks what the form shows (a module need not verify to be printed).
bool Printer::try_pretty(const Operation& op) {
  try {
    return pretty(op);
  } catch (const Error&) {
    return false;
  }
}

bool Printer::pretty(const Operation& op) {
  if (!is_bare(op.name())) return false;
  const std::string& name = op.name();
  if (op.is("func.return") || op.is("stablehlo.return")) return print_return(op);
  if (op.is("func.call")) return print_call(op);
  if (op.is("stablehlo.constant")) return print_constant(op);
  if (op.is("stablehlo.reduce")) return print_reduce(op);
  if (op.is("stablehlo.while")) return print_while(op);
  if (op.is("stablehlo.custom_call") && op.attribute("call_target_name") && op.region_count() == 0) return print_custom_call(op);
  if (op.region_count() > 0 || !(name.starts_with("stablehlo.") || name.starts_with("chlo."))) return false;
  if (op.is("stablehlo.compare")) return print_compare(op);
  if (op.is("stablehlo.slice")) return print_slice(op);
  if (op.is("stablehlo.dot_general")) return print_dot_general(op);
  if (op.is("stablehlo.convolution")) return print_convolution(op);
  if (op.is("stablehlo.select")) return print_select(op);
  if (op.is("stablehlo.reduce_precision")) return print_reduce_precision(op);
  if (find_group(name) || op.result_count() != 1) return false;
  return print_formatted(op, find_format(name));
}

bool Printer::print_return(const Operation& op) {
  out_ += op.is("func.return") ? "return" : op.name();
  if (op.operand_count() > 0) out_ += " " + uses(op.operands()) + rest(op, {}) + " : " + types(op.operands());
  return true;
}

bool Printer::print_call(const Operation& op) {
  out_ += "call " + symbol_text(op.get<Attribute::Symbol>("callee").name) + "(" + uses(op.operands()) + ")" + rest(op, {"callee"}) +
          " : " + functional(op);
  return true;
}

bool Printer::print_constant(const Operation& op) {
  const Attribute* value = op.attribute("value");
  if (!value || !value->get<Tensor>() || op.result_count() != 1) return false;
  const std::string text = attributes_.attribute(*value);
  // The type is printed after the value already, unless the result says more (a symbolic dim cannot be).
  if (value->get<Tensor>()->type() != op.result()->type()) return false;
  const std::string others = rest(op, {"value"});
  out_ += op.name() + others + " " + text;
  return true;
}

bool Printer::print_formatted(const Operation& op, const OpFormat* format) {
  std::set<std::string_view> shown;
  std::string pieces;
  for (const FormatPiece& piece : format ? format->pieces : std::vector<FormatPiece>{}) {
    const Attribute* value = op.attribute(piece.attribute);
    const auto* list = value ? value->get<Attribute::Ints>() : nullptr;
    const auto* number = value ? value->get<int64_t>() : nullptr;
    if (piece.kind == FormatPiece::ints ? !list : !number) return false;
    if (!pieces.empty() || op.operand_count() > 0) pieces += ", ";
    pieces += std::string(piece.text) + " = " + (list ? ints_text(*list) : std::to_string(*number));
    shown.insert(piece.attribute);
  }
  out_ += op.name() + (op.operand_count() || !pieces.empty() ? " " : "") + uses(op.operands()) + pieces + rest(op, shown) + short_type(op);
  return true;
}

bool Printer::print_compare(const Operation& op) {
  if (op.operand_count() != 2 || !op.has("comparison_direction")) return false;
  out_ += op.name() + " " + op.get<std::string>("comparison_direction") + ", " + uses(op.operands());
  if (op.has("compare_type")) out_ += ", " + op.get<std::string>("compare_type");
  out_ += rest(op, {"comparison_direction", "compare_type"}) + " : " + functional(op);
  return true;
}

bool Printer::print_select(const Operation& op) {
  if (op.operand_count() != 3 || op.operand(1)->type() != op.result()->type() || op.operand(2)->type() != op.result()->type()) return false;
  out_ += op.name() + " " + uses(op.operands()) + rest(op, {}) + " : " + op.operand(0)->type().str() + ", " + op.result()->type().str();
  return true;
}

bool Printer::print_reduce_precision(const Operation& op) {
  out_ += fmt::format("{} {}, format = e{}m{}{} : {}", op.name(), uses(op.operands()), op.get<int64_t>("exponent_bits"),
                      op.get<int64_t>("mantissa_bits"), rest(op, {"exponent_bits", "mantissa_bits"}), op.result()->type().str());
  return true;
}

Shape Printer::dims_of(const Operation& op, std::string_view name) {
  const Attribute* value = op.attribute(name);
  if (!value) return {};
  if (const auto* list = value->get<Attribute::Ints>()) return make_shape(*list);
  if (const auto* shape = value->get<Shape>()) return *shape;
  return {};
}

bool Printer::print_slice(const Operation& op) {
  const Shape start = dims_of(op, "start_indices"), limit = dims_of(op, "limit_indices");
  const auto strides = op.get_or<Attribute::Ints>("strides", Attribute::Ints(start.size(), 1));
  if (op.operand_count() != 1 || start.size() != limit.size() || strides.size() != start.size()) return false;
  out_ += op.name() + " " + uses(op.operands()) + " [";
  for (size_t i = 0; i < start.size(); ++i) {
    out_ += (i ? ", " : "") + start[i].str() + ":" + limit[i].str() + (strides[i] == 1 ? "" : ":" + std::to_string(strides[i]));
  }
  out_ += "]" + rest(op, {"start_indices", "limit_indices", "strides"}) + " : " + functional(op);
  return true;
}

bool Printer::print_dot_general(const Operation& op) {
  const auto list = [&](const char* attribute) { return op.get_or<Attribute::Ints>(attribute, {}); };
  const auto batch = list("lhs_batching_dimensions");
  out_ += op.name() + " " + uses(op.operands());
  if (!batch.empty()) out_ += ", batching_dims = " + ints_text(batch) + " x " + ints_text(list("rhs_batching_dimensions"));
  out_ += ", contracting_dims = " + ints_text(list("lhs_contracting_dimensions")) + " x " + ints_text(list("rhs_contracting_dimensions"));
  if (op.has("precision_config")) out_ += fmt::format(", precision = [{}]", fmt::join(op.get<Attribute::Strings>("precision_config"), ", "));
  out_ += rest(op, {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions", "rhs_contracting_dimensions",
                    "precision_config"}) + " : " + functional(op);
  return true;
}

// "[b, f, 0, 1]": which role each dimension has.
std::string Printer::roles(const Operation& op, const char* batch, char batch_letter, const char* feature, char feature_letter, const char* spatial) {
  const auto spatial_dims = op.get<Attribute::Ints>(spatial);
  std::vector<std::string> letters(spatial_dims.size() + 2);
  const auto put = [&](int64_t at, std::string letter) {
    if (at < 0 || at >= static_cast<int64_t>(letters.size())) fail("{}: dimension number {} is out of range", op.describe(), at);
    letters[static_cast<size_t>(at)] = std::move(letter);
  };
  put(op.get<int64_t>(batch), std::string(1, batch_letter));
  put(op.get<int64_t>(feature), std::string(1, feature_letter));
  for (size_t i = 0; i < spatial_dims.size(); ++i) put(spatial_dims[i], std::to_string(i));
  return fmt::format("[{}]", fmt::join(letters, ", "));
}

bool Printer::print_convolution(const Operation& op) {
  out_ += op.name() + "(" + uses(op.operands()) + ") dim_numbers = ";
  out_ += roles(op, "input_batch_dimension", 'b', "input_feature_dimension", 'f', "input_spatial_dimensions") + "x";
  out_ += roles(op, "kernel_input_feature_dimension", 'i', "kernel_output_feature_dimension", 'o', "kernel_spatial_dimensions") + "->";
  out_ += roles(op, "output_batch_dimension", 'b', "output_feature_dimension", 'f', "output_spatial_dimensions");
  std::string window;
  const auto add = [&](const char* name, const char* attribute) {
    if (op.has(attribute)) window += (window.empty() ? "" : ", ") + std::string(name) + " = " + ints_text(op.get<Attribute::Ints>(attribute));
  };
  add("stride", "window_strides");
  if (op.has("padding")) {
    const auto pad = op.get<Attribute::Ints>("padding");
    std::string list;
    for (size_t i = 0; i + 1 < pad.size(); i += 2) list += fmt::format("{}[{}, {}]", i ? ", " : "", pad[i], pad[i + 1]);
    window += (window.empty() ? "" : ", ") + std::string("pad = [") + list + "]";
  }
  add("lhs_dilate", "lhs_dilation");
  add("rhs_dilate", "rhs_dilation");
  add("reverse", "window_reversal");
  out_ += ", window = {" + window + "}";
  out_ += rest(op, {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions", "kernel_input_feature_dimension",
                    "kernel_output_feature_dimension", "kernel_spatial_dimensions", "output_batch_dimension", "output_feature_dimension",
                    "output_spatial_dimensions", "window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"});
  out_ += " : " + functional(op);
  return true;
}

bool Printer::print_custom_call(const Operation& op) {
  out_ += op.name() + " " + symbol_text(op.get<std::string>("call_target_name")) + "(" + uses(op.operands()) + ")" +
          rest(op, {"call_target_name"}) + " : " + functional(op);
  return true;
}

// The name of the single op a reducer applies to its two arguments; empty where it is more than that.
std::string Printer::applied_op(const Operation& op) {
  const Region& region = op.region();
  if (op.result_count() != 1 || region.argument_count() != 2 || !region.first() || region.first()->next() != region.terminator()) return "";
  const Operation& inner = *region.first();
  const bool plain = inner.operand_count() == 2 && inner.operand(0) == region.argument(0) && inner.operand(1) == region.argument(1) &&
                     inner.attributes().empty() && inner.result_count() == 1 && inner.region_count() == 0 &&
                     region.terminator()->operand_count() == 1 && region.terminator()->operand(0) == inner.result();
  return plain ? inner.name() : "";
}

bool Printer::print_reduce(const Operation& op) {
  const unsigned inputs = op.operand_count() / 2;
  if (op.region_count() != 1 || op.operand_count() != 2 * inputs || inputs == 0 || !op.has("dimensions")) return false;
  const std::string applied = options_.identity ? "" : applied_op(op);  // the inner op's id is kept by printing it
  out_ += op.name();
  for (unsigned i = 0; i < inputs; ++i) out_ += (i ? ", (" : "(") + use(op.operand(i)) + " init: " + use(op.operand(inputs + i)) + ")";
  if (!applied.empty()) out_ += " applies " + applied;
  out_ += " across dimensions = " + ints_text(op.get<Attribute::Ints>("dimensions")) + rest(op, {"dimensions"}) + " : " + functional(op);
  if (!applied.empty()) return true;
  const Region& region = op.region();
  if (region.argument_count() != 2 * inputs) fail("{}: reducer has {} arguments, expected {}", op.describe(), region.argument_count(), 2 * inputs);
  out_ += "\n";
  out_.append(static_cast<size_t>(2 * depth_), ' ');
  out_ += " reducer";
  for (Value* argument : region.arguments()) name_argument(argument);
  for (unsigned i = 0; i < inputs; ++i) {
    const Value *a = region.argument(i), *b = region.argument(inputs + i);
    out_ += (i ? " (" : "(") + names_[a] + ": " + a->type().str() + ", " + names_[b] + ": " + b->type().str() + ")";
  }
  out_ += " {\n";
  body(region);
  out_ += "}";
  return true;
}

bool Printer::print_while(const Operation& op) {
  if (op.region_count() != 2 || op.region(0).argument_count() != op.operand_count() || op.region(1).argument_count() != op.operand_count()) return false;
  out_ += op.name() + "(";
  for (unsigned i = 0; i < op.operand_count(); ++i) {
    name_argument(op.region(0).argument(i));
    names_[op.region(1).argument(i)] = names_[op.region(0).argument(i)];
    out_ += (i ? ", " : "") + names_[op.region(0).argument(i)] + " = " + use(op.operand(i));
  }
  out_ += ")" + rest(op, {}) + " : " + types(op.operands()) + "\n";
  out_.append(static_cast<size_t>(2 * depth_), ' ');
  out_ += " cond {\n";
  body(op.region(0));
  out_ += "} do {\n";
  body(op.region(1));
  out_ += "}";
  return true;
}

}  // namespace stele
