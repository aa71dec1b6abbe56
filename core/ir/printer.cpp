#include "core/ir/printer.h"

#include <algorithm>
#include <cctype>

namespace stele {

std::string Printer::module(const Module& module) {
  out_ = "module";
  if (!module.name.empty()) out_ += " " + symbol_text(module.name);
  Attributes attributes = module.attributes;
  Attributes symbols;
  for (const auto& [name, bounds] : module.symbols) symbols[name] = Attribute::Ints{bounds.min, bounds.max};
  if (!symbols.empty()) attributes["stele.symbols"] = symbols;
  if (!attributes.empty()) out_ += " attributes " + attributes_.dictionary(attributes);
  out_ += " {\n";
  for (const auto& function : module.functions()) print_function(*function);
  out_ += "}\n";
  if (options_.resources) append_resources(module);
  return std::move(out_);
}

std::string Printer::one(const Operation& op) {
  operation(op);
  while (!out_.empty() && out_.back() == '\n') out_.pop_back();
  return std::move(out_);
}

std::string Printer::unique(std::string wanted) {
  if (taken_.insert(wanted).second) return wanted;
  for (int i = 1;; ++i) {
    std::string candidate = wanted + "_" + std::to_string(i);
    if (taken_.insert(candidate).second) return candidate;
  }
}

std::string Printer::sanitized(const std::string& name) {
  std::string out;
  for (unsigned char c : name) out += std::isalnum(c) || c == '_' || c == '.' || c == '$' || c == '-' ? static_cast<char>(c) : '_';
  return out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) || is_made_up_name(out) ? "_" + out : out;
}

void Printer::name_argument(const Value* value) {
  names_[value] = "%" + (named(value) ? unique(sanitized(value->name())) : unique("arg" + std::to_string(next_argument_++)));
}

std::string Printer::use(const Value* value) {
  if (!value) return "%<null>";
  auto found = names_.find(value);
  if (found != names_.end()) return found->second;
  // Printing one op alone: operands by a name of their own.
  return names_[value] = "%" + (named(value) ? unique(sanitized(value->name())) : unique("v" + std::to_string(next_free_++)));
}

std::string Printer::uses(const std::vector<Value*>& values) {
  std::string list;
  for (const Value* value : values) list += (list.empty() ? "" : ", ") + use(value);
  return list;
}

// "%0 = ", "%0:2 = ", "%a, %b = " or nothing.
std::string Printer::definition(const Operation& op) {
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

std::string Printer::types(const std::vector<Value*>& values) {
  std::string list;
  for (const Value* value : values) list += (list.empty() ? "" : ", ") + value->type().str();
  return list;
}

std::string Printer::functional(const Operation& op) {
  const std::string results = types(op.results());
  return "(" + types(op.operands()) + ") -> " + (op.result_count() == 1 ? results : "(" + results + ")");
}

bool Printer::one_type(const Operation& op) {
  if (op.result_count() != 1) return false;
  return std::all_of(op.operands().begin(), op.operands().end(), [&](const Value* v) { return v->type() == op.result()->type(); });
}

void Printer::print_function(const Function& function) {
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
  if (!function.attributes().empty()) out_ += "attributes " + attributes_.dictionary(function.attributes()) + " ";
  out_ += "{\n";
  depth_ = 2;
  for (Operation& op : function.body()) operation(op);
  out_ += "  }\n";
}

void Printer::body(const Region& region) {
  ++depth_;
  for (Operation& op : region) operation(op);
  --depth_;
  out_.append(static_cast<size_t>(2 * depth_), ' ');
}

void Printer::regions(const Operation& op) {
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

void Printer::operation(const Operation& op) {
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

std::string Printer::location(const Operation& op) {
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

void Printer::generic(const Operation& op) {
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
      grouped += (grouped.empty() ? "" : ", ") + std::string(field) + " = " + (list ? ints_text(*list) : std::to_string(*value->get<int64_t>()));
    }
    grouped = std::string(group->attribute) + " = " + std::string(group->mnemonic) + "<" + grouped + ">";
  }
  std::string rest = attributes_.dictionary(op.attributes(), without);
  if (!grouped.empty()) rest = rest.empty() ? "{" + grouped + "}" : "{" + grouped + ", " + rest.substr(1);
  if (!rest.empty()) out_ += " " + rest;
  out_ += " : " + functional(op);
}

void Printer::append_resources(const Module& module) {
  std::string list;
  for (const BlobRef& blob : blobs_of(module)) {
    list += fmt::format("{}      {}: \"0x04000000{}\"", list.empty() ? "" : ",\n", blob->hash(), hex(blob->bytes()).substr(2));
  }
  if (!list.empty()) out_ += "\n{-#\n  dialect_resources: {\n    builtin: {\n" + list + "\n    }\n  }\n#-}\n";
}

namespace {

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
