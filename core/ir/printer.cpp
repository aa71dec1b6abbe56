#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>
#include <unordered_map>

#include "core/ir/numerics.h"
#include "core/ir/text.h"
#include "core/ir/text_format.h"

namespace stele {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

bool is_bare(std::string_view name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '$'; });
}

std::string key_text(const std::string& key) { return is_bare(key) ? key : quoted(key); }
std::string symbol_text(const std::string& name) { return "@" + (is_bare(name) ? name : quoted(name)); }

// Shortest of MLIR's styles that reads back as the same value of the dtype; bits where the value is not finite.
std::string float_text(double value, DType dtype) {
  if (!std::isfinite(value)) {
    switch (dtype) {
      case DType::f64: return fmt::format("0x{:016X}", std::bit_cast<uint64_t>(value));
      case DType::f32: return fmt::format("0x{:08X}", std::bit_cast<uint32_t>(static_cast<float>(value)));
      case DType::bf16: return fmt::format("0x{:04X}", double_to_bf16(value));
      default: return fmt::format("0x{:04X}", double_to_f16(value));
    }
  }
  const auto rounded = [&](const std::string& text) {
    const double parsed = std::strtod(text.c_str(), nullptr);
    switch (dtype) {
      case DType::f64: return parsed;
      case DType::f32: return static_cast<double>(static_cast<float>(parsed));
      case DType::bf16: return bf16_to_double(double_to_bf16(parsed));
      default: return f16_to_double(double_to_f16(parsed));
    }
  };
  std::string text = fmt::format("{:.6e}", value);
  for (int digits = 9; digits <= 17 && rounded(text) != value; digits += 4) {
    text = fmt::format("{:.{}g}", value, digits);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
  }
  return text;
}

std::string element_text(const Tensor& tensor, int64_t i) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::boolean) return tensor.get_int(i) ? "true" : "false";
  if (is_float(dtype)) return float_text(tensor.get(i), dtype);
  if (is_unsigned_int(dtype)) return std::to_string(static_cast<uint64_t>(tensor.get_int(i)));
  return std::to_string(tensor.get_int(i));
}

std::string hex(std::span<const std::byte> bytes) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out = "0x";
  out.reserve(2 + 2 * bytes.size());
  for (std::byte b : bytes) {
    out += digits[static_cast<unsigned>(b) >> 4];
    out += digits[static_cast<unsigned>(b) & 15];
  }
  return out;
}

bool is_splat(const Tensor& tensor) {
  const size_t size = static_cast<size_t>(size_bytes(tensor.dtype()));
  for (int64_t i = 1; i < tensor.elements(); ++i) {
    if (!std::equal(tensor.data(), tensor.data() + size, tensor.data() + static_cast<size_t>(i) * size)) return false;
  }
  return tensor.elements() > 0;
}

void append_nested(std::string& out, const Tensor& tensor, size_t axis, int64_t& next) {
  if (axis == tensor.sizes().size()) {
    out += element_text(tensor, next++);
    return;
  }
  out += '[';
  for (int64_t i = 0; i < tensor.sizes()[axis]; ++i) {
    if (i) out += ", ";
    append_nested(out, tensor, axis + 1, next);
  }
  out += ']';
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string module(const Module& module) {
    out_ = "module";
    if (!module.name.empty()) out_ += " " + symbol_text(module.name);
    Attributes attributes = module.attributes;
    Attributes symbols;
    for (const auto& [name, bounds] : module.symbols) symbols[name] = Attribute::Ints{bounds.min, bounds.max};
    if (!symbols.empty()) attributes["stele.symbols"] = symbols;
    if (!attributes.empty()) out_ += " attributes " + dictionary(attributes);
    out_ += " {\n";
    for (const auto& function : module.functions()) print_function(*function);
    out_ += "}\n";
    if (options_.resources) append_resources(module);
    return std::move(out_);
  }

  std::string one(const Operation& op) {
    operation(op);
    while (!out_.empty() && out_.back() == '\n') out_.pop_back();
    return std::move(out_);
  }

  std::string attribute(const Attribute& attribute) {
    return std::visit([this](const auto& value) { return text(value); }, attribute.value());
  }

 private:
  // ---- attributes
  std::string text(Unit) { return "unit"; }
  std::string text(bool v) { return v ? "true" : "false"; }
  std::string text(int64_t v) { return std::to_string(v) + " : i64"; }
  std::string text(double v) { return float_text(v, DType::f64) + " : f64"; }
  std::string text(const std::string& v) { return quoted(v); }
  std::string text(const Type& v) { return v.str(); }
  std::string text(const Attribute::Symbol& v) { return symbol_text(v.name); }
  std::string text(const BlobRef& v) { return "#stele.blob<" + v->hash() + ">"; }
  std::string text(const Attributes& v) { return dictionary(v); }
  std::string text(const Attribute::Ints& v) {
    return v.empty() ? "array<i64>" : fmt::format("array<i64: {}>", fmt::join(v, ", "));
  }
  std::string text(const Attribute::Doubles& v) {
    std::string list;
    for (double d : v) list += (list.empty() ? ": " : ", ") + float_text(d, DType::f64);
    return "array<f64" + list + ">";
  }
  std::string text(const Attribute::Strings& v) {
    if (v.empty()) return "#stele.strings<>";
    std::string list;
    for (const std::string& s : v) list += (list.empty() ? "" : ", ") + quoted(s);
    return "[" + list + "]";
  }
  std::string text(const Shape& v) { return "#stele.dim<" + dims(v) + ">"; }
  std::string text(const Attribute::Array& v) {
    std::string list;
    for (const Attribute& a : v) list += (list.empty() ? "" : ", ") + attribute(a);
    return "[" + list + "]";
  }
  std::string text(const Tensor& v) {
    if (!v.present()) return "#stele.absent";
    const std::string type = " : " + v.type().str();
    if (is_complex(v.dtype())) return "dense<\"" + hex({v.data(), v.size_bytes()}) + "\">" + type;
    if (v.elements() == 0) return "dense<>" + type;
    if (v.elements() > 1 && is_splat(v)) return "dense<" + element_text(v, 0) + ">" + type;
    if (options_.elide_above >= 0 && v.elements() > options_.elide_above) return "dense_resource<" + v.blob()->hash() + ">" + type;
    std::string list;
    int64_t next = 0;
    append_nested(list, v, 0, next);
    return "dense<" + list + ">" + type;
  }

  static std::string dims(const Shape& shape) {
    std::string list;
    for (const Dim& d : shape) list += (list.empty() ? "" : ", ") + d.str();
    return "[" + list + "]";
  }
  static std::string ints(const Attribute::Ints& v) { return fmt::format("[{}]", fmt::join(v, ", ")); }

  std::string dictionary(const Attributes& attributes, const std::set<std::string_view>& without = {}) {
    std::string list;
    for (const auto& [name, value] : attributes) {
      if (without.contains(name)) continue;
      list += (list.empty() ? "" : ", ") + key_text(name);
      if (!value.get<Unit>()) list += " = " + attribute(value);
    }
    return list.empty() && !without.empty() ? "" : "{" + list + "}";
  }

  // ---- names
  std::string unique(std::string wanted) {
    if (taken_.insert(wanted).second) return wanted;
    for (int i = 1;; ++i) {
      std::string candidate = wanted + "_" + std::to_string(i);
      if (taken_.insert(candidate).second) return candidate;
    }
  }
  static std::string sanitized(const std::string& name) {
    std::string out;
    for (unsigned char c : name) out += std::isalnum(c) || c == '_' || c == '.' || c == '$' || c == '-' ? static_cast<char>(c) : '_';
    return out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) || is_made_up_name(out) ? "_" + out : out;
  }
  bool named(const Value* value) const { return options_.names && !value->name().empty(); }
  void name_argument(const Value* value) {
    names_[value] = "%" + (named(value) ? unique(sanitized(value->name())) : unique("arg" + std::to_string(next_argument_++)));
  }
  std::string use(const Value* value) {
    if (!value) return "%<null>";
    auto found = names_.find(value);
    if (found != names_.end()) return found->second;
    // Printing one op alone: operands by a name of their own.
    return names_[value] = "%" + (named(value) ? unique(sanitized(value->name())) : unique("v" + std::to_string(next_free_++)));
  }
  std::string uses(const std::vector<Value*>& values) {
    std::string list;
    for (const Value* value : values) list += (list.empty() ? "" : ", ") + use(value);
    return list;
  }
  // "%0 = ", "%0:2 = ", "%a, %b = " or nothing.
  std::string definition(const Operation& op) {
    const auto results = op.results();
    if (results.empty()) return "";
    const bool all_named = std::all_of(results.begin(), results.end(), [this](const Value* v) { return named(v); });
    std::string list;
    if (all_named) {
      for (const Value* value : results) {
        names_[value] = "%" + unique(sanitized(value->name()));
        list += (list.empty() ? "" : ", ") + names_[value];
      }
      return list + " = ";
    }
    const std::string number = "%" + std::to_string(next_number_++);
    for (size_t i = 0; i < results.size(); ++i) names_[results[i]] = results.size() == 1 ? number : number + "#" + std::to_string(i);
    return results.size() == 1 ? number + " = " : fmt::format("{}:{} = ", number, results.size());
  }

  // ---- types
  static std::string types(const std::vector<Value*>& values) {
    std::string list;
    for (const Value* value : values) list += (list.empty() ? "" : ", ") + value->type().str();
    return list;
  }
  static std::string functional(const Operation& op) {
    const std::string results = types(op.results());
    return "(" + types(op.operands()) + ") -> " + (op.result_count() == 1 ? results : "(" + results + ")");
  }
  static bool one_type(const Operation& op) {
    if (op.result_count() != 1) return false;
    return std::all_of(op.operands().begin(), op.operands().end(), [&](const Value* v) { return v->type() == op.result()->type(); });
  }

  // ---- functions and regions
  void print_function(const Function& function) {
    names_.clear();
    taken_.clear();
    next_number_ = next_argument_ = 0;
    out_ += "  func.func " + std::string(function.is_private() ? "private " : "public ") + symbol_text(function.name()) + "(";
    for (unsigned i = 0; i < function.body().argument_count(); ++i) {
      const Value* argument = function.body().argument(i);
      name_argument(argument);
      out_ += (i ? ", " : "") + names_[argument] + ": " + argument->type().str();
      if (named(argument) && names_[argument] != "%" + argument->name()) out_ += " {stele.name = " + quoted(argument->name()) + "}";
    }
    out_ += ") -> (";
    for (size_t i = 0; i < function.result_types().size(); ++i) {
      out_ += (i ? ", " : "") + function.result_types()[i].str();
      if (options_.names && i < function.output_names().size() && !function.output_names()[i].empty()) {
        out_ += " {stele.name = " + quoted(function.output_names()[i]) + "}";
      }
    }
    out_ += ") ";
    if (!function.attributes().empty()) out_ += "attributes " + dictionary(function.attributes()) + " ";
    out_ += "{\n";
    depth_ = 2;
    for (Operation& op : function.body()) operation(op);
    out_ += "  }\n";
  }

  void body(const Region& region) {
    ++depth_;
    for (Operation& op : region) operation(op);
    --depth_;
    out_.append(static_cast<size_t>(2 * depth_), ' ');
  }

  void regions(const Operation& op) {
    out_ += " (";
    for (unsigned i = 0; i < op.region_count(); ++i) {
      const Region& region = op.region(i);
      out_ += i ? ", {\n" : "{\n";
      if (region.argument_count() > 0) {
        out_.append(static_cast<size_t>(2 * depth_), ' ');
        out_ += "^bb0(";
        for (unsigned k = 0; k < region.argument_count(); ++k) {
          name_argument(region.argument(k));
          out_ += (k ? ", " : "") + names_[region.argument(k)] + ": " + region.argument(k)->type().str();
        }
        out_ += "):\n";
      }
      body(region);
      out_ += "}";
    }
    out_ += ")";
  }

  // ---- operations
  void operation(const Operation& op) {
    out_.append(static_cast<size_t>(2 * depth_), ' ');
    // Results are numbered before the regions, but may not be used in them.
    out_ += definition(op);
    const size_t start = out_.size();
    if (!try_pretty(op)) {
      out_.resize(start);
      generic(op);
    }
    if (options_.identity) out_ += location(op);
    out_ += "\n";
  }

  std::string location(const Operation& op) {
    std::string fields = fmt::format("id = {}", op.id());
    if (!op.derived_from().empty()) fields += fmt::format(", from = [{}]", fmt::join(op.derived_from(), ", "));
    if (!op.label().empty()) fields += ", label = " + quoted(op.label());
    bool differ = false;
    std::string list;
    for (const Value* value : op.results()) {
      differ = differ || (!value->name().empty() && names_[value] != "%" + value->name());
      list += (list.empty() ? "" : ", ") + quoted(value->name());
    }
    if (differ) fields += ", names = [" + list + "]";
    return " loc(#stele<" + fields + ">)";
  }

  void generic(const Operation& op) {
    const bool own_form = op.name().starts_with("stablehlo.") || op.name().starts_with("chlo.") || op.name().starts_with("func.");
    out_ += is_bare(op.name()) && !own_form ? op.name() : quoted(op.name());
    out_ += "(" + uses(op.operands()) + ")";
    if (op.region_count() > 0) regions(op);
    std::set<std::string_view> without{""};
    std::string grouped;
    if (const AttributeGroup* group = find_group(op.name())) {
      for (std::string_view field : group->fields) {
        const Attribute* value = op.attribute(field);
        if (!value) continue;
        without.insert(field);
        const auto* list = value->get<Attribute::Ints>();
        if (list && list->empty()) continue;
        grouped += (grouped.empty() ? "" : ", ") + std::string(field) + " = " + (list ? ints(*list) : std::to_string(*value->get<int64_t>()));
      }
      grouped = std::string(group->attribute) + " = " + std::string(group->mnemonic) + "<" + grouped + ">";
    }
    std::string rest = dictionary(op.attributes(), without);
    if (!grouped.empty()) rest = rest.empty() ? "{" + grouped + "}" : "{" + grouped + ", " + rest.substr(1);
    if (!rest.empty()) out_ += " " + rest;
    out_ += " : " + functional(op);
  }

  // The trailing attributes a pretty form does not show.
  std::string rest(const Operation& op, std::set<std::string_view> without) {
    without.insert("");
    const std::string list = dictionary(op.attributes(), without);
    return list.empty() ? "" : " " + list;
  }
  std::string short_type(const Operation& op) { return " : " + (one_type(op) ? op.result()->type().str() : functional(op)); }

  // False where the op has no pretty form, or lacks what the form shows (a module need not verify to be printed).
  bool try_pretty(const Operation& op) {
    try {
      return pretty(op);
    } catch (const Error&) {
      return false;
    }
  }

  bool pretty(const Operation& op) {
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

  bool print_return(const Operation& op) {
    out_ += op.is("func.return") ? "return" : op.name();
    if (op.operand_count() > 0) out_ += " " + uses(op.operands()) + rest(op, {}) + " : " + types(op.operands());
    return true;
  }

  bool print_call(const Operation& op) {
    out_ += "call " + symbol_text(op.get<Attribute::Symbol>("callee").name) + "(" + uses(op.operands()) + ")" + rest(op, {"callee"}) +
            " : " + functional(op);
    return true;
  }

  bool print_constant(const Operation& op) {
    const Attribute* value = op.attribute("value");
    if (!value || !value->get<Tensor>() || op.result_count() != 1) return false;
    const std::string text = attribute(*value);
    // The type is printed after the value already, unless the result says more (a symbolic dim cannot be).
    if (value->get<Tensor>()->type() != op.result()->type()) return false;
    const std::string others = rest(op, {"value"});
    out_ += op.name() + others + " " + text;
    return true;
  }

  bool print_formatted(const Operation& op, const OpFormat* format) {
    std::set<std::string_view> shown;
    std::string pieces;
    for (const FormatPiece& piece : format ? format->pieces : std::vector<FormatPiece>{}) {
      const Attribute* value = op.attribute(piece.attribute);
      const auto* list = value ? value->get<Attribute::Ints>() : nullptr;
      const auto* number = value ? value->get<int64_t>() : nullptr;
      if (piece.kind == FormatPiece::ints ? !list : !number) return false;
      if (!pieces.empty() || op.operand_count() > 0) pieces += ", ";
      pieces += std::string(piece.text) + " = " + (list ? ints(*list) : std::to_string(*number));
      shown.insert(piece.attribute);
    }
    out_ += op.name() + (op.operand_count() || !pieces.empty() ? " " : "") + uses(op.operands()) + pieces + rest(op, shown) + short_type(op);
    return true;
  }

  bool print_compare(const Operation& op) {
    if (op.operand_count() != 2 || !op.has("comparison_direction")) return false;
    out_ += op.name() + " " + op.get<std::string>("comparison_direction") + ", " + uses(op.operands());
    if (op.has("compare_type")) out_ += ", " + op.get<std::string>("compare_type");
    out_ += rest(op, {"comparison_direction", "compare_type"}) + " : " + functional(op);
    return true;
  }

  bool print_select(const Operation& op) {
    if (op.operand_count() != 3 || op.operand(1)->type() != op.result()->type() || op.operand(2)->type() != op.result()->type()) return false;
    out_ += op.name() + " " + uses(op.operands()) + rest(op, {}) + " : " + op.operand(0)->type().str() + ", " + op.result()->type().str();
    return true;
  }

  bool print_reduce_precision(const Operation& op) {
    out_ += fmt::format("{} {}, format = e{}m{}{} : {}", op.name(), uses(op.operands()), op.get<int64_t>("exponent_bits"),
                        op.get<int64_t>("mantissa_bits"), rest(op, {"exponent_bits", "mantissa_bits"}), op.result()->type().str());
    return true;
  }

  static Shape dims_of(const Operation& op, std::string_view name) {
    const Attribute* value = op.attribute(name);
    if (!value) return {};
    if (const auto* list = value->get<Attribute::Ints>()) return make_shape(*list);
    if (const auto* shape = value->get<Shape>()) return *shape;
    return {};
  }

  bool print_slice(const Operation& op) {
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

  bool print_dot_general(const Operation& op) {
    const auto list = [&](const char* attribute) { return op.get_or<Attribute::Ints>(attribute, {}); };
    const auto batch = list("lhs_batching_dimensions");
    out_ += op.name() + " " + uses(op.operands());
    if (!batch.empty()) out_ += ", batching_dims = " + ints(batch) + " x " + ints(list("rhs_batching_dimensions"));
    out_ += ", contracting_dims = " + ints(list("lhs_contracting_dimensions")) + " x " + ints(list("rhs_contracting_dimensions"));
    if (op.has("precision_config")) out_ += fmt::format(", precision = [{}]", fmt::join(op.get<Attribute::Strings>("precision_config"), ", "));
    out_ += rest(op, {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions", "rhs_contracting_dimensions",
                      "precision_config"}) + " : " + functional(op);
    return true;
  }

  // "[b, f, 0, 1]": which role each dimension has.
  static std::string roles(const Operation& op, const char* batch, char batch_letter, const char* feature, char feature_letter, const char* spatial) {
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

  bool print_convolution(const Operation& op) {
    out_ += op.name() + "(" + uses(op.operands()) + ") dim_numbers = ";
    out_ += roles(op, "input_batch_dimension", 'b', "input_feature_dimension", 'f', "input_spatial_dimensions") + "x";
    out_ += roles(op, "kernel_input_feature_dimension", 'i', "kernel_output_feature_dimension", 'o', "kernel_spatial_dimensions") + "->";
    out_ += roles(op, "output_batch_dimension", 'b', "output_feature_dimension", 'f', "output_spatial_dimensions");
    std::string window;
    const auto add = [&](const char* name, const char* attribute) {
      if (op.has(attribute)) window += (window.empty() ? "" : ", ") + std::string(name) + " = " + ints(op.get<Attribute::Ints>(attribute));
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

  bool print_custom_call(const Operation& op) {
    out_ += op.name() + " " + symbol_text(op.get<std::string>("call_target_name")) + "(" + uses(op.operands()) + ")" +
            rest(op, {"call_target_name"}) + " : " + functional(op);
    return true;
  }

  // The name of the single op a reducer applies to its two arguments; empty where it is more than that.
  static std::string applied_op(const Operation& op) {
    const Region& region = op.region();
    if (op.result_count() != 1 || region.argument_count() != 2 || !region.first() || region.first()->next() != region.terminator()) return "";
    const Operation& inner = *region.first();
    const bool plain = inner.operand_count() == 2 && inner.operand(0) == region.argument(0) && inner.operand(1) == region.argument(1) &&
                       inner.attributes().empty() && inner.result_count() == 1 && inner.region_count() == 0 &&
                       region.terminator()->operand_count() == 1 && region.terminator()->operand(0) == inner.result();
    return plain ? inner.name() : "";
  }

  bool print_reduce(const Operation& op) {
    const unsigned inputs = op.operand_count() / 2;
    if (op.region_count() != 1 || op.operand_count() != 2 * inputs || inputs == 0 || !op.has("dimensions")) return false;
    const std::string applied = options_.identity ? "" : applied_op(op);  // the inner op's id is kept by printing it
    out_ += op.name();
    for (unsigned i = 0; i < inputs; ++i) out_ += (i ? ", (" : "(") + use(op.operand(i)) + " init: " + use(op.operand(inputs + i)) + ")";
    if (!applied.empty()) out_ += " applies " + applied;
    out_ += " across dimensions = " + ints(op.get<Attribute::Ints>("dimensions")) + rest(op, {"dimensions"}) + " : " + functional(op);
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

  bool print_while(const Operation& op) {
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

  void append_resources(const Module& module) {
    std::string list;
    for (const BlobRef& blob : blobs_of(module)) {
      list += fmt::format("{}      {}: \"0x04000000{}\"", list.empty() ? "" : ",\n", blob->hash(), hex(blob->bytes()).substr(2));
    }
    if (!list.empty()) out_ += "\n{-#\n  dialect_resources: {\n    builtin: {\n" + list + "\n    }\n  }\n#-}\n";
  }

  const PrintOptions options_;
  std::string out_;
  int depth_ = 0;
  int next_number_ = 0, next_argument_ = 0, next_free_ = 0;
  std::unordered_map<const Value*, std::string> names_;
  std::set<std::string> taken_;
};

void collect_blobs(const Attribute& attribute, std::map<std::string, BlobRef>& blobs) {
  if (const auto* tensor = attribute.get<Tensor>()) {
    if (tensor->present()) {
      BlobRef blob = tensor->blob();
      blobs.emplace(blob->hash(), blob);
    }
  } else if (const auto* blob = attribute.get<BlobRef>()) {
    blobs.emplace((*blob)->hash(), *blob);
  } else if (const auto* array = attribute.get<Attribute::Array>()) {
    for (const Attribute& a : *array) collect_blobs(a, blobs);
  } else if (const auto* dictionary = attribute.get<Attributes>()) {
    for (const auto& [name, a] : *dictionary) collect_blobs(a, blobs);
  }
}

}  // namespace

std::string print(const Module& module, const PrintOptions& options) { return Printer(options).module(module); }
std::string print(const Operation& op, const PrintOptions& options) { return Printer(options).one(op); }
std::string print(const Attribute& attribute) { return Printer({}).attribute(attribute); }

std::vector<BlobRef> blobs_of(const Module& module) {
  std::map<std::string, BlobRef> blobs;
  const auto add = [&](const Attributes& attributes) {
    for (const auto& [name, attribute] : attributes) collect_blobs(attribute, blobs);
  };
  add(module.attributes);
  for (const auto& function : module.functions()) add(function->attributes());
  walk(module, [&](Operation& op) { add(op.attributes()); });
  std::vector<BlobRef> list;
  for (auto& [hash, blob] : blobs) list.push_back(blob);
  return list;
}

}  // namespace stele
