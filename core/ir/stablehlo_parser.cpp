// StableHLO's own forms of ops (https://openxla.org/stablehlo/spec; assembly formats in StablehloOps.td).
#include <cstdio>

#include "core/ir/parser.h"
#include "core/ir/text_format.h"

namespace stele {

bool Parser::special_form(Draft& draft) {
  static const std::map<std::string_view, void (Parser::*)(Draft&)> forms = {
      {"func.return", &Parser::parse_return},
      {"stablehlo.return", &Parser::parse_return},
      {"func.call", &Parser::parse_call},
      {"stablehlo.constant", &Parser::parse_constant},
      {"stablehlo.compare", &Parser::parse_compare},
      {"stablehlo.slice", &Parser::parse_slice},
      {"stablehlo.dot_general", &Parser::parse_dot_general},
      {"stablehlo.convolution", &Parser::parse_convolution},
      {"stablehlo.reduce", &Parser::parse_reduce},
      {"stablehlo.while", &Parser::parse_while},
      {"stablehlo.custom_call", &Parser::parse_custom_call},
      {"stablehlo.reduce_precision", &Parser::parse_reduce_precision},
      {"stablehlo.rng_bit_generator", &Parser::parse_rng_bit_generator},
      {"stablehlo.fft", &Parser::parse_fft},
      {"chlo.top_k", &Parser::parse_top_k},
  };
  auto found = forms.find(draft.name);
  if (found == forms.end()) return false;
  (this->*found->second)(draft);
  return true;
}

void Parser::parse_return(Draft& draft) {
  if (cursor_.eat("(")) {  // the generic form
    draft.operands = operand_list(')');
  } else if (cursor_.peek() == '%') {
    do {
      draft.operands.push_back(operand());
    } while (cursor_.eat(","));
  }
  trailing_attributes(draft);
  if (cursor_.peek() == ':') types_of(draft);
  draft.results.clear();
}

void Parser::parse_call(Draft& draft) {
  cursor_.expect("@");
  draft.attributes["callee"] = Attribute::Symbol{attributes_.symbol()};
  cursor_.expect("(");
  draft.operands = operand_list(')');
  trailing_attributes(draft);
  types_of(draft);
}

void Parser::parse_constant(Draft& draft) {
  if (cursor_.eat("(")) {
    cursor_.expect(")");
    if (cursor_.eat("<{")) {
      cursor_.rewind(cursor_.offset() - 1);
      draft.attributes = attributes_.dictionary();
      cursor_.expect(">");
    }
    trailing_attributes(draft);
    types_of(draft);
    return;
  }
  trailing_attributes(draft);
  const Tensor tensor = attributes_.dense();
  draft.results = {tensor.type()};
  draft.attributes["value"] = tensor;
}

// `name %a, %b, dims = [0] {attributes} : types`
void Parser::formatted_form(Draft& draft) {
  const OpFormat* format = find_format(draft.name);
  bool more = true;
  while (more && cursor_.peek() == '%') {
    draft.operands.push_back(operand());
    more = cursor_.eat(",");
  }
  for (const FormatPiece& piece : format ? format->pieces : std::vector<FormatPiece>{}) {
    if (!cursor_.eat(piece.text)) cursor_.error("expected '" + std::string(piece.text) + " ='");
    cursor_.expect("=");
    if (piece.kind == FormatPiece::ints) {
      draft.attributes[std::string(piece.attribute)] = attributes_.int_list();
    } else {
      draft.attributes[std::string(piece.attribute)] = cursor_.integer();
    }
    cursor_.eat(",");
  }
  trailing_attributes(draft);
  types_of(draft);
}

void Parser::parse_compare(Draft& draft) {
  if (cursor_.peek() == '(') return generic_form(draft);
  draft.attributes["comparison_direction"] = std::string(cursor_.expect_word("a comparison direction"));
  cursor_.expect(",");
  draft.operands.push_back(operand());
  cursor_.expect(",");
  draft.operands.push_back(operand());
  if (cursor_.eat(",")) draft.attributes["compare_type"] = std::string(cursor_.expect_word("a comparison type"));
  trailing_attributes(draft);
  types_of(draft);
}

void Parser::parse_slice(Draft& draft) {
  if (cursor_.peek() == '(') return generic_form(draft);
  draft.operands.push_back(operand());
  cursor_.expect("[");
  const size_t at = cursor_.offset();
  Shape start, limit;
  Attribute::Ints strides;
  std::string text(cursor_.until_balanced(']'));
  std::vector<std::string> pieces(1);
  int depth = 0;
  const auto finish_dimension = [&] {
    if (pieces.size() < 2 || pieces.size() > 3) cursor_.error_at(at, "slice needs start:limit or start:limit:stride");
    try {
      start.push_back(Dim::parse(pieces[0]));
      limit.push_back(Dim::parse(pieces[1]));
      strides.push_back(pieces.size() == 3 ? Dim::parse(pieces[2]).value() : 1);
    } catch (const Error& error) {
      cursor_.error_at(at, error.what());
    }
    pieces.assign(1, "");
  };
  for (char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0) {
      finish_dimension();
    } else if (c == ':' && depth == 0) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  if (text.find_first_not_of(" \n\t") != std::string::npos) finish_dimension();
  const auto store = [&](const char* name, const Shape& shape) {
    if (is_static(shape)) {
      draft.attributes[name] = static_sizes(shape);
    } else {
      draft.attributes[name] = shape;
      for (const Dim& dim : shape) dim.collect_symbols(symbols_);
    }
  };
  store("start_indices", start);
  store("limit_indices", limit);
  draft.attributes["strides"] = strides;
  trailing_attributes(draft);
  types_of(draft);
}

void Parser::parse_dot_general(Draft& draft) {
  if (cursor_.peek() == '(') {
    generic_form(draft);
    // The generic form's group #stablehlo.dot<…> has the same field names; absent lists are empty.
    for (const char* name : {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions", "rhs_contracting_dimensions"}) {
      draft.attributes.try_emplace(name, Attribute::Ints{});
    }
    return;
  }
  draft.operands.push_back(operand());
  cursor_.expect(",");
  draft.operands.push_back(operand());
  draft.attributes["lhs_batching_dimensions"] = Attribute::Ints{};
  draft.attributes["rhs_batching_dimensions"] = Attribute::Ints{};
  draft.attributes["lhs_contracting_dimensions"] = Attribute::Ints{};
  draft.attributes["rhs_contracting_dimensions"] = Attribute::Ints{};
  while (cursor_.eat(",")) {
    const std::string field(cursor_.expect_word("a field"));
    cursor_.expect("=");
    if (field == "batching_dims" || field == "contracting_dims") {
      const std::string which = field == "batching_dims" ? "batching" : "contracting";
      draft.attributes["lhs_" + which + "_dimensions"] = attributes_.int_list();
      cursor_.expect("x");
      draft.attributes["rhs_" + which + "_dimensions"] = attributes_.int_list();
    } else if (field == "precision") {
      Attribute::Strings precision;
      cursor_.expect("[");
      do {
        precision.emplace_back(cursor_.expect_word("a precision"));
      } while (cursor_.eat(","));
      cursor_.expect("]");
      draft.attributes["precision_config"] = precision;
    } else if (field == "algorithm") {
      cursor_.expect("<");
      cursor_.until_balanced('>');
    } else {
      cursor_.error("dot_general has no field '" + field + "'");
    }
  }
  trailing_attributes(draft);
  types_of(draft);
}

void Parser::parse_roles(Draft& draft, const char* batch, const char* feature, const char* spatial) {
  const size_t at = cursor_.offset();
  cursor_.expect("[");
  std::map<int64_t, int64_t> spatial_dims;
  int64_t position = 0;
  do {
    if (cursor_.eat("b") || cursor_.eat("o")) {
      // 'b' is a batch; in the kernel 'o' is the output feature, which stands in `feature`'s place there.
      draft.attributes[batch] = position;
    } else if (cursor_.eat("f") || cursor_.eat("i")) {
      draft.attributes[feature] = position;
    } else {
      spatial_dims[cursor_.integer()] = position;
    }
    ++position;
  } while (cursor_.eat(","));
  cursor_.expect("]");
  Attribute::Ints dims;
  for (const auto& [which, where] : spatial_dims) {
    if (which != static_cast<int64_t>(dims.size())) cursor_.error_at(at, "spatial dimensions are not 0, 1, …");
    dims.push_back(where);
  }
  draft.attributes[spatial] = dims;
}

void Parser::parse_window(Draft& draft) {
  cursor_.expect("{");
  while (!cursor_.eat("}")) {
    const std::string field(cursor_.expect_word("a field"));
    cursor_.expect("=");
    if (field == "pad") {
      Attribute::Ints padding;
      cursor_.expect("[");
      if (!cursor_.eat("]")) {
        do {
          for (int64_t v : attributes_.int_list()) padding.push_back(v);
        } while (cursor_.eat(","));
        cursor_.expect("]");
      }
      draft.attributes["padding"] = padding;
    } else {
      static const std::map<std::string_view, const char*> names = {{"stride", "window_strides"}, {"lhs_dilate", "lhs_dilation"}, {"rhs_dilate", "rhs_dilation"}, {"reverse", "window_reversal"}};
      auto found = names.find(field);
      if (found == names.end()) cursor_.error("window has no field '" + field + "'");
      draft.attributes[found->second] = attributes_.int_list();
    }
    cursor_.eat(",");
  }
}

void Parser::parse_convolution(Draft& draft) {
  cursor_.expect("(");
  draft.operands = operand_list(')');
  if (!cursor_.eat("dim_numbers")) {
    cursor_.error("convolution is only read in its pretty form; expected 'dim_numbers'");
  }
  cursor_.expect("=");
  parse_roles(draft, "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions");
  cursor_.expect("x");
  parse_roles(draft, "kernel_output_feature_dimension", "kernel_input_feature_dimension", "kernel_spatial_dimensions");
  cursor_.expect("->");
  parse_roles(draft, "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions");
  if (cursor_.eat(",")) {
    cursor_.expect("window");
    cursor_.expect("=");
    parse_window(draft);
  }
  trailing_attributes(draft);
  types_of(draft);
}

void Parser::parse_reduce(Draft& draft) {
  if (cursor_.peek() == '(') {  // "(%x init: %c)" or the generic "(%x, %c)"
    const size_t start = cursor_.offset();
    cursor_.expect("(");
    operand();
    const bool pretty = cursor_.ahead("init");
    cursor_.rewind(start);
    if (!pretty) return generic_form(draft);
  }
  std::vector<Value*> inits;
  do {
    cursor_.expect("(");
    draft.operands.push_back(operand());
    cursor_.expect("init");
    cursor_.expect(":");
    inits.push_back(operand());
    cursor_.expect(")");
  } while (cursor_.eat(","));
  const size_t inputs = inits.size();
  draft.operands.insert(draft.operands.end(), inits.begin(), inits.end());
  std::string applied;
  if (cursor_.eat("applies")) applied = cursor_.expect_word("an operation");
  cursor_.expect("across");
  cursor_.expect("dimensions");
  cursor_.expect("=");
  draft.attributes["dimensions"] = attributes_.int_list();
  trailing_attributes(draft);
  types_of(draft);
  if (applied.empty()) {
    parse_reducer(draft, inputs);
  } else {
    if (inputs != 1) cursor_.error_at(draft.at, "'applies' reduces one operand");
    applied_reducer(draft, applied);
  }
}

void Parser::applied_reducer(Draft& draft, const std::string& applied) {
  const Type element = Type::tensor(draft.operands[0]->dtype(), {});
  draft.regions.push_back([this, element, applied](Region& region) {
    Value* a = builder_.add_argument(region, element);
    Value* b = builder_.add_argument(region, element);
    builder_.at_end(region);
    Value* result = builder_.create_value(applied, {a, b}, element);
    builder_.create("stablehlo.return", {result}, {});
  });
}

void Parser::parse_reducer(Draft& draft, size_t inputs) {
  cursor_.expect("reducer");
  std::vector<std::pair<std::string, Type>> first, second;
  for (size_t i = 0; i < inputs; ++i) {
    cursor_.expect("(");
    for (auto* side : {&first, &second}) {
      const std::string name = value_name();
      cursor_.expect(":");
      side->emplace_back(name, attributes_.type());
      location();
      if (side == &first) cursor_.expect(",");
    }
    cursor_.expect(")");
  }
  first.insert(first.end(), second.begin(), second.end());
  cursor_.expect("{");
  defer_region(draft, std::move(first));
}

void Parser::defer_region(Draft& draft, std::vector<std::pair<std::string, Type>> arguments) {
  const size_t start = cursor_.offset();
  cursor_.until_balanced('}');
  draft.regions.push_back([this, start, arguments = std::move(arguments)](Region& region) {
    const size_t end = cursor_.offset();
    cursor_.rewind(start);
    scopes_.emplace_back();
    for (const auto& [name, type] : arguments) define(name, builder_.add_argument(region, type, is_made_up_name(name) ? "" : name), start);
    region_body(region);
    scopes_.pop_back();
    cursor_.rewind(end);
  });
}

void Parser::parse_while(Draft& draft) {
  cursor_.expect("(");
  std::vector<std::string> names;
  if (!cursor_.eat(")")) {
    do {
      names.push_back(value_name());
      cursor_.expect("=");
      draft.operands.push_back(operand());
    } while (cursor_.eat(","));
    cursor_.expect(")");
  }
  if (cursor_.peek() == '{') trailing_attributes(draft);
  if (cursor_.eat(":")) attributes_.type_list();
  if (cursor_.eat("attributes")) trailing_attributes(draft);
  std::vector<std::pair<std::string, Type>> arguments;
  for (size_t i = 0; i < names.size(); ++i) {
    arguments.emplace_back(names[i], draft.operands[i]->type());
    draft.results.push_back(draft.operands[i]->type());
  }
  cursor_.expect("cond");
  cursor_.expect("{");
  defer_region(draft, arguments);
  cursor_.expect("do");
  cursor_.expect("{");
  defer_region(draft, arguments);
}

void Parser::parse_custom_call(Draft& draft) {
  if (cursor_.peek() == '(') return generic_form(draft);
  cursor_.expect("@");
  draft.attributes["call_target_name"] = attributes_.symbol();
  cursor_.expect("(");
  draft.operands = operand_list(')');
  trailing_attributes(draft);
  types_of(draft);
}

void Parser::parse_reduce_precision(Draft& draft) {
  if (cursor_.peek() == '(') return generic_form(draft);
  draft.operands.push_back(operand());
  cursor_.expect(",");
  cursor_.expect("format");
  cursor_.expect("=");
  const std::string format(cursor_.expect_word("a format"));
  int exponent = 0, mantissa = 0;
  if (std::sscanf(format.c_str(), "e%dm%d", &exponent, &mantissa) != 2) cursor_.error("'" + format + "' is not a format like e8m23");
  draft.attributes["exponent_bits"] = exponent;
  draft.attributes["mantissa_bits"] = mantissa;
  trailing_attributes(draft);
  types_of(draft);
}

void Parser::parse_rng_bit_generator(Draft& draft) {
  if (cursor_.peek() == '(') return generic_form(draft);
  draft.operands.push_back(operand());
  if (cursor_.eat(",")) {
    cursor_.expect("algorithm");
    cursor_.expect("=");
    draft.attributes["rng_algorithm"] = std::string(cursor_.expect_word("an algorithm"));
  }
  trailing_attributes(draft);
  types_of(draft);
}

void Parser::parse_fft(Draft& draft) {
  if (cursor_.peek() == '(') return generic_form(draft);
  draft.operands.push_back(operand());
  if (cursor_.eat(",")) {
    cursor_.expect("type");
    cursor_.expect("=");
    draft.attributes["fft_type"] = std::string(cursor_.expect_word("a transform"));
    cursor_.expect(",");
    cursor_.expect("length");
    cursor_.expect("=");
    draft.attributes["fft_length"] = attributes_.int_list();
  }
  trailing_attributes(draft);
  types_of(draft);
}

// chlo.top_k(%x, k = 2) : T -> (T, I)
void Parser::parse_top_k(Draft& draft) {
  const bool parenthesized = cursor_.eat("(");
  draft.operands.push_back(operand());
  if (parenthesized) {
    if (cursor_.eat(",")) {
      cursor_.expect("k");
      cursor_.expect("=");
      draft.attributes["k"] = cursor_.integer();
    }
    cursor_.expect(")");
  }
  trailing_attributes(draft);
  types_of(draft);
}

}  // namespace stele
