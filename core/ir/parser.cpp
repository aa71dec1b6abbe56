#include "core/ir/parser.h"

#include <algorithm>

#include "core/ir/text_format.h"

namespace stele {
namespace {

constexpr int max_region_depth = 64;

}  // namespace

Parser::Parser(std::string_view text, const ParseOptions& options)
    : options_(options),
      cursor_(text, options.file),
      module_(std::make_unique<Module>()),
      builder_(*module_),
      attributes_(cursor_, options_, resources(text), symbols_) {}

std::map<std::string, BlobRef> Parser::resources(std::string_view text) const {
  std::map<std::string, BlobRef> found;
  const size_t start = text.rfind("{-#");
  if (start == std::string_view::npos) return found;
  Cursor cursor(text, options_.file);
  cursor.rewind(start + 3);
  cursor.expect("dialect_resources");
  cursor.expect(":");
  cursor.expect("{");
  cursor.expect("builtin");
  cursor.expect(":");
  cursor.expect("{");
  while (!cursor.eat("}")) {
    const std::string key(cursor.peek() == '"' ? cursor.string() : std::string(cursor.word(true)));
    cursor.expect(":");
    const size_t at = cursor.offset();
    auto bytes = decode_hex(cursor.string());
    if (!bytes || bytes->size() < 4) cursor.error_at(at, "resource '" + key + "' is not hexadecimal");
    bytes->erase(bytes->begin(), bytes->begin() + 4);  // its alignment
    found[key] = Blob::from_bytes(std::move(*bytes));
    cursor.eat(",");
  }
  return found;
}

std::unique_ptr<Module> Parser::module() {
  if (cursor_.eat("module")) {
    if (cursor_.eat("@")) module_->name = attributes_.symbol();
    if (cursor_.eat("attributes")) module_attributes();
    cursor_.expect("{");
    while (!cursor_.eat("}")) function();
    location();
  } else {
    while (cursor_.ahead("func.func")) function();
  }
  if (cursor_.eat("{-#")) {
    while (!cursor_.eat("#-}")) {
      if (cursor_.done()) cursor_.error("resources have no end");
      if (cursor_.peek() == '"') {
        cursor_.string();
      } else if (cursor_.word(true).empty()) {
        cursor_.rewind(cursor_.offset() + 1);
      }
    }
  }
  if (!cursor_.done()) cursor_.error("expected 'module' or 'func.func'");
  if (module_->functions().empty()) cursor_.error("module has no function");
  for (const std::string& symbol : symbols_) module_->symbols.try_emplace(symbol);
  return std::move(module_);
}

void Parser::module_attributes() {
  const size_t at = cursor_.offset();
  module_->attributes = attributes_.dictionary();
  auto found = module_->attributes.find("stele.symbols");
  if (found == module_->attributes.end()) return;
  if (const auto* symbols = found->second.get<Attributes>()) {
    for (const auto& [name, bounds] : *symbols) {
      const auto* pair = bounds.get<Attribute::Ints>();
      if (!pair || pair->size() != 2) cursor_.error_at(at, "stele.symbols: '" + name + "' needs a least and a largest value");
      module_->symbols[name] = {(*pair)[0], (*pair)[1]};
    }
  }
  module_->attributes.erase(found);
}

void Parser::function() {
  cursor_.expect("func.func");
  const bool is_private = cursor_.eat("private");
  if (!is_private) cursor_.eat("public");
  cursor_.expect("@");
  const size_t at = cursor_.offset();
  const std::string name = attributes_.symbol();
  if (module_->function(name)) cursor_.error_at(at, "function '@" + name + "' is defined twice");
  Function& function = builder_.add_function(name, is_private);
  scopes_.assign(1, {});
  function_arguments(function.body());
  function_results(function);
  if (cursor_.eat("attributes")) {
    for (auto& [key, value] : attributes_.dictionary()) builder_.set_function_attribute(function, key, value);
  }
  cursor_.expect("{");
  region_body(function.body());
  location();
}

void Parser::function_arguments(Region& body) {
  cursor_.expect("(");
  if (cursor_.eat(")")) return;
  do {
    const size_t at = cursor_.offset();
    const std::string name = value_name();
    cursor_.expect(":");
    const Type type = attributes_.type();
    std::string given = is_made_up_name(name) ? "" : name;
    if (cursor_.peek() == '{') {
      const Attributes attributes = attributes_.dictionary();
      auto found = attributes.find("stele.name");
      if (found != attributes.end() && found->second.get<std::string>()) given = *found->second.get<std::string>();
    }
    location();
    define(name, builder_.add_argument(body, type, given), at);
  } while (cursor_.eat(","));
  cursor_.expect(")");
}

void Parser::function_results(Function& function) {
  std::vector<Type> types;
  std::vector<std::string> names;
  if (cursor_.eat("->")) {
    const bool parenthesised = cursor_.eat("(");
    if (!parenthesised || !cursor_.ahead(")")) {
      do {
        types.push_back(attributes_.type());
        names.emplace_back();
        if (parenthesised && cursor_.peek() == '{') {
          const Attributes attributes = attributes_.dictionary();
          auto found = attributes.find("stele.name");
          if (found != attributes.end() && found->second.get<std::string>()) names.back() = *found->second.get<std::string>();
        }
      } while (parenthesised && cursor_.eat(","));
    }
    if (parenthesised) cursor_.expect(")");
  }
  if (std::all_of(names.begin(), names.end(), [](const std::string& n) { return n.empty(); })) names.clear();
  builder_.set_results(function, std::move(types), std::move(names));
}

// Up to and past the closing brace.
void Parser::region_body(Region& region) {
  if (++depth_ > max_region_depth) cursor_.error("regions are nested too deeply");
  builder_.at_end(region);
  while (!cursor_.eat("}")) {
    if (cursor_.done()) cursor_.error("region has no end");
    operation();
    builder_.at_end(region);
  }
  --depth_;
}

void Parser::block_arguments(Region& region) {
  if (!cursor_.eat("^")) return;
  cursor_.word();
  if (cursor_.eat("(")) {
    do {
      const size_t at = cursor_.offset();
      const std::string name = value_name();
      cursor_.expect(":");
      const Type type = attributes_.type();
      location();
      define(name, builder_.add_argument(region, type, is_made_up_name(name) ? "" : name), at);
    } while (cursor_.eat(","));
    cursor_.expect(")");
  }
  cursor_.expect(":");
}

Operation* Parser::make(Draft& draft) {
  if (draft.result_count > 0 && draft.results.size() != draft.result_count) {
    cursor_.error_at(draft.at, fmt::format("{} has {} results, expected {} as named", draft.name, draft.results.size(), draft.result_count));
  }
  Region* region = builder_.region();
  Operation* op = builder_.create(draft.name, draft.operands, draft.results, std::move(draft.attributes), static_cast<unsigned>(draft.regions.size()));
  for (unsigned i = 0; i < draft.regions.size(); ++i) draft.regions[i](op->region(i));
  builder_.at_end(*region);
  return op;
}

void Parser::operation() {
  std::vector<ResultName> names;
  Draft draft;
  if (cursor_.peek() == '%') {
    do {
      ResultName result;
      result.at = cursor_.offset();
      result.name = value_name();
      if (cursor_.eat(":")) result.count = static_cast<int>(std::clamp<int64_t>(cursor_.integer(), 0, 1 << 16));
      draft.result_count += static_cast<size_t>(result.count);
      names.push_back(std::move(result));
    } while (cursor_.eat(","));
    cursor_.expect("=");
  }
  cursor_.peek();
  draft.at = cursor_.offset();
  const bool quoted = cursor_.peek() == '"';
  draft.name = quoted ? cursor_.string() : std::string(cursor_.word());
  if (draft.name.empty()) cursor_.error("expected an operation");
  if (draft.name == "return") draft.name = "func.return";
  if (draft.name == "call") draft.name = "func.call";
  if (quoted || !special_form(draft)) {
    if (cursor_.peek() == '(') {
      generic_form(draft);
    } else {
      formatted_form(draft);
    }
  }
  const bool multi = draft.regions.empty();
  Location where;
  if (multi) where = location();
  Operation* op = make(draft);
  if (!multi) where = location();
  name_results(op, names, where);
}

void Parser::name_results(Operation* op, const std::vector<ResultName>& names, const Location& where) {
  unsigned next = 0;
  for (const ResultName& result : names) {
    for (int i = 0; i < result.count; ++i, ++next) {
      Value* value = op->result(next);
      define(result.count == 1 ? result.name : result.name + "#" + std::to_string(i), value, result.at);
      if (result.count == 1 && !is_made_up_name(result.name)) builder_.set_name(value, result.name);
    }
    if (result.count > 1) define(result.name, op->result(next - static_cast<unsigned>(result.count)), result.at);
  }
  for (unsigned i = 0; i < where.names.size() && i < op->result_count(); ++i) builder_.set_name(op->result(i), where.names[i]);
  if (where.id != 0) builder_.set_identity(op, where.id, where.from);
  if (!where.label.empty()) builder_.set_label(op, where.label);
}

Parser::Location Parser::location() {
  Location where;
  if (!cursor_.eat("loc(")) return where;
  if (!cursor_.eat("#stele<")) {
    cursor_.until_balanced(')');
    return where;
  }
  while (!cursor_.eat(">")) {
    const std::string field(cursor_.expect_word("a field"));
    cursor_.expect("=");
    if (field == "id") {
      where.id = static_cast<OpId>(cursor_.integer());
    } else if (field == "from") {
      for (int64_t id : attributes_.int_list()) where.from.push_back(static_cast<OpId>(id));
    } else if (field == "label") {
      where.label = cursor_.string();
    } else if (field == "names") {
      cursor_.expect("[");
      do {
        where.names.push_back(cursor_.string());
      } while (cursor_.eat(","));
      cursor_.expect("]");
    } else {
      cursor_.error("location has no field '" + field + "'");
    }
    if (cursor_.peek() != '>') cursor_.expect(",");
  }
  cursor_.expect(")");
  return where;
}

// ---- the generic form: name(operands) ({regions}) {attributes} : (types) -> types

void Parser::generic_form(Draft& draft) {
  cursor_.expect("(");
  draft.operands = operand_list(')');
  if (cursor_.eat("<{")) {
    cursor_.rewind(cursor_.offset() - 1);
    draft.attributes = attributes_.dictionary();
    cursor_.expect(">");
  }
  if (cursor_.eat("(")) generic_regions(draft);
  trailing_attributes(draft);
  types_of(draft);
}

void Parser::generic_regions(Draft& draft) {
  do {
    cursor_.expect("{");
    const size_t start = cursor_.offset();
    cursor_.until_balanced('}');
    draft.regions.push_back([this, start](Region& region) {
      const size_t end = cursor_.offset();
      cursor_.rewind(start);
      scopes_.emplace_back();
      block_arguments(region);
      region_body(region);
      scopes_.pop_back();
      cursor_.rewind(end);
    });
  } while (cursor_.eat(","));
  cursor_.expect(")");
}

void Parser::trailing_attributes(Draft& draft) {
  if (cursor_.peek() != '{') return;
  const size_t at = cursor_.offset();
  for (auto& [name, value] : attributes_.dictionary()) {
    if (!draft.attributes.emplace(name, value).second) cursor_.error_at(at, "attribute '" + name + "' is given twice");
  }
}

void Parser::types_of(Draft& draft) {
  // StableHLO's attributes that its text has as tensors are lists of integers here.
  if (draft.name.starts_with("stablehlo.") && draft.name != "stablehlo.constant") {
    for (auto& [name, value] : draft.attributes) {
      const auto* tensor = value.get<Tensor>();
      if (!tensor || !tensor->present() || is_float(tensor->dtype()) || tensor->elements() > (1 << 16)) continue;
      Attribute::Ints ints;
      for (int64_t i = 0; i < tensor->elements(); ++i) ints.push_back(tensor->get_int(i));
      value = ints;
    }
  }
  cursor_.expect(":");
  const size_t at = cursor_.offset();
  std::vector<Type> types = attributes_.type_list();
  if (cursor_.eat("->")) {
    if (types.size() != draft.operands.size()) {
      cursor_.error_at(at, fmt::format("{} operand types given, expected {}", types.size(), draft.operands.size()));
    }
    for (size_t i = 0; i < types.size(); ++i) {
      if (types[i] != draft.operands[i]->type() && is_static(types[i].shape)) {
        cursor_.error_at(at, fmt::format("operand {} has type {}, expected {}", i, draft.operands[i]->type().str(), types[i].str()));
      }
    }
    draft.results = attributes_.type_list();
    return;
  }
  if (draft.result_count == 0) return;
  if (types.empty()) cursor_.error_at(at, "no result type is given");
  if (draft.result_count == types.size()) {
    draft.results = std::move(types);
  } else {
    draft.results.assign(draft.result_count, types.back());
  }
}

// ---- values

std::string Parser::value_name() {
  cursor_.expect("%");
  std::string name;
  if (cursor_.peek() == '"') {
    name = cursor_.string();
  } else {
    name = cursor_.word(true);
  }
  if (name.empty()) cursor_.error("expected a value's name");
  return name;
}

Value* Parser::operand() {
  const size_t at = cursor_.offset();
  std::string name = value_name();
  if (cursor_.eat("#")) name += "#" + std::to_string(cursor_.integer());
  for (size_t i = scopes_.size(); i-- > 0;) {
    auto found = scopes_[i].find(name);
    if (found != scopes_[i].end()) return found->second;
  }
  cursor_.error_at(at, "value %" + name + " is not defined here");
}

std::vector<Value*> Parser::operand_list(char close) {
  std::vector<Value*> values;
  const std::string_view closing(&close, 1);
  if (cursor_.eat(closing)) return values;
  do {
    values.push_back(operand());
  } while (cursor_.eat(","));
  cursor_.expect(closing);
  return values;
}

void Parser::define(const std::string& name, Value* value, size_t at) {
  for (const auto& scope : scopes_) {
    if (scope.contains(name)) cursor_.error_at(at, "value %" + name + " is defined twice");
  }
  scopes_.back()[name] = value;
}

std::unique_ptr<Module> parse(std::string_view text, const ParseOptions& options) { return Parser(text, options).module(); }

Type parse_type(std::string_view text) {
  Cursor cursor(text, "<type>");
  const ParseOptions options;
  std::set<std::string> symbols;
  AttributeParser parser(cursor, options, {}, symbols);
  const Type type = parser.type();
  if (!cursor.done()) cursor.error("unexpected text after the type");
  return type;
}

}  // namespace stele
