#include "core/ir/attribute_parser.h"

#include <bit>
#include <charconv>
#include <cstdlib>

#include "core/ir/numerics.h"

namespace stele {
namespace {

constexpr int max_depth = 128;

}  // namespace

void AttributeParser::enter(const char* what) {
  if (++depth_ > max_depth) cursor_.error(std::string(what) + " is nested too deeply");
}

// ---- types

Shape AttributeParser::shape_and_dtype(DType& dtype) {
  Shape shape;
  while (true) {
    const size_t start = cursor_.offset();
    if (cursor_.eat("?")) {
      shape.push_back(Dim::symbol("?"));
    } else if (cursor_.peek() >= '0' && cursor_.peek() <= '9') {
      const int64_t size = cursor_.integer();
      shape.push_back(size);
    } else if (cursor_.eat("complex<")) {
      const std::string_view inner = cursor_.expect_word("an element type");
      cursor_.expect(">");
      dtype = inner == "f64" ? DType::c128 : DType::c64;
      return shape;
    } else {
      if (cursor_.peek() == '!') cursor_.error("quantized element types are not supported");
      const std::string word(cursor_.word());
      const auto found = parse_dtype(word);
      if (!found) cursor_.error_at(start, "element type '" + (word.empty() ? std::string(1, cursor_.peek()) : word) + "' is not known");
      dtype = *found;
      return shape;
    }
    // 'x' joins what follows without a blank: "4x?xf32". Only it is eaten.
    const size_t at = cursor_.offset();
    if (cursor_.peek() != 'x') cursor_.error_at(at, "expected 'x' after a size");
    cursor_.rewind(at + 1);
  }
}

void AttributeParser::name_dims(Shape& shape) {
  std::vector<Dim> named;
  if (cursor_.eat(",")) {
    if (cursor_.eat("#stele.dims<")) {
      const size_t start = cursor_.offset();
      std::string text;
      int depth = 0;
      const auto add = [&] {
        try {
          named.push_back(Dim::parse(text));
        } catch (const Error& error) {
          cursor_.error_at(start, error.what());
        }
        text.clear();
      };
      for (char c : cursor_.until_balanced('>')) {
        if (c == '(') ++depth;
        if (c == ')') --depth;
        if (c == ',' && depth == 0) {
          add();
        } else {
          text += c;
        }
      }
      add();
    } else {  // an encoding of somebody else's, e.g. #stablehlo.bounds<…>
      cursor_.expect("#");
      cursor_.word();
      if (cursor_.eat("<")) cursor_.until_balanced('>');
    }
  }
  size_t next = 0;
  for (Dim& dim : shape) {
    if (dim.is_static()) continue;
    dim = next < named.size() ? named[next] : Dim::symbol("d" + std::to_string(next));
    ++next;
    dim.collect_symbols(symbols_);
  }
  if (!named.empty() && next != named.size()) cursor_.error("#stele.dims names " + std::to_string(named.size()) + " sizes, expected " + std::to_string(next));
}

Type AttributeParser::type() {
  const size_t start = cursor_.offset();
  if (cursor_.eat("!")) {
    const std::string word(cursor_.word());
    if (word == "stele.none") return Type::none();
    if (word == "stele.unknown") return Type::unknown();
    if (word == "stablehlo.token") return Type::token();
    cursor_.error_at(start, "type '!" + word + "' is not supported");
  }
  const bool tensor = cursor_.eat("tensor<"), vector = !tensor && cursor_.eat("vector<"), buffer = !tensor && !vector && cursor_.eat("memref<");
  if (!tensor && !vector && !buffer) {
    if (cursor_.eat("complex<")) {
      const std::string inner(cursor_.word());
      cursor_.expect(">");
      return Type::scalar(inner == "f64" ? DType::c128 : DType::c64);
    }
    const std::string word(cursor_.word());
    const auto dtype = parse_dtype(word);
    if (!dtype) cursor_.error_at(start, "type '" + word + "' is not known");
    return Type::scalar(*dtype);
  }
  if (cursor_.peek() == '*') cursor_.error("unranked tensors are not supported");
  Type type{tensor ? TypeKind::tensor : vector ? TypeKind::vector : TypeKind::buffer, DType::f32, {}};
  type.shape = shape_and_dtype(type.dtype);
  name_dims(type.shape);
  cursor_.expect(">");
  try {
    type.bytes();
  } catch (const Error& error) {
    cursor_.error_at(start, error.what());
  }
  return type;
}

std::vector<Type> AttributeParser::type_list() {
  std::vector<Type> types;
  const bool parenthesised = cursor_.eat("(");
  if (parenthesised && cursor_.eat(")")) return types;
  do {
    types.push_back(type());
    if (parenthesised && cursor_.peek() == '{') dictionary();
  } while (cursor_.eat(","));
  if (parenthesised) cursor_.expect(")");
  return types;
}

// ---- attributes

std::string AttributeParser::symbol() { return cursor_.peek() == '"' ? cursor_.string() : std::string(cursor_.word(true)); }

Attribute::Ints AttributeParser::int_list() {
  Attribute::Ints list;
  cursor_.expect("[");
  if (cursor_.eat("]")) return list;
  do {
    if (cursor_.eat("true")) {
      list.push_back(1);
    } else if (cursor_.eat("false")) {
      list.push_back(0);
    } else {
      list.push_back(cursor_.integer());
    }
  } while (cursor_.eat(","));
  cursor_.expect("]");
  return list;
}

Attribute AttributeParser::list() {
  Attribute::Array array;
  cursor_.expect("[");
  if (!cursor_.eat("]")) {
    do {
      array.push_back(attribute());
    } while (cursor_.eat(","));
    cursor_.expect("]");
  }
  Attribute::Strings strings;
  for (const Attribute& a : array) {
    if (const auto* s = a.get<std::string>()) strings.push_back(*s);
  }
  if (!array.empty() && strings.size() == array.size()) return strings;
  return array;
}

Attribute AttributeParser::hash_attribute() {
  const size_t start = cursor_.offset();
  cursor_.expect("#");
  const std::string name(cursor_.word());
  if (name == "stele.absent") return Tensor();
  if (!cursor_.eat("<")) return "#" + name;
  if (name == "stele.dim") {
    cursor_.expect("[");
    Shape shape;
    std::string text(cursor_.until_balanced(']'));
    cursor_.expect(">");
    std::string piece;
    int depth = 0;
    text += ',';
    for (char c : text) {
      if (c == '(') ++depth;
      if (c == ')') --depth;
      if (c != ',' || depth > 0) {
        piece += c;
        continue;
      }
      if (piece.find_first_not_of(" \n\t") != std::string::npos) {
        try {
          shape.push_back(Dim::parse(piece));
        } catch (const Error& error) {
          cursor_.error_at(start, error.what());
        }
      }
      piece.clear();
    }
    return shape;
  }
  const std::string inner(cursor_.until_balanced('>'));
  if (name == "stele.blob") return blob(inner, start);
  if (name == "stele.strings") return Attribute::Strings{};
  // "#stablehlo<comparison_direction LT>": the word after the mnemonic is the value.
  if (name == "stablehlo" || name == "chlo" || name == "mhlo") return inner.substr(inner.find_last_of(' ') + 1);
  return "#" + name + "<" + inner + ">";
}

Attribute AttributeParser::number_or_type() {
  const char c = cursor_.peek();
  if (!((c >= '0' && c <= '9') || c == '-')) return type();
  const std::string text(cursor_.number());
  Type type = Type::scalar(DType::i64);
  bool typed = false;
  if (cursor_.eat(":")) {
    type = this->type();
    typed = true;
  }
  const bool hexadecimal = text.starts_with("0x");
  const bool decimal = !hexadecimal && text.find_first_of(".eE") != std::string::npos;
  if (decimal || (typed && is_float(type.dtype))) {
    if (!hexadecimal) return std::strtod(text.c_str(), nullptr);
    const uint64_t bits = std::strtoull(text.c_str(), nullptr, 16);
    if (type.dtype == DType::f32) return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    if (type.dtype == DType::f16) return f16_to_double(static_cast<uint16_t>(bits));
    if (type.dtype == DType::bf16) return bf16_to_double(static_cast<uint16_t>(bits));
    return std::bit_cast<double>(bits);
  }
  int64_t value = 0;
  const char* end = text.data() + text.size();
  if (hexadecimal) {
    value = static_cast<int64_t>(std::strtoull(text.c_str(), nullptr, 16));
  } else if (const auto r = std::from_chars(text.data(), end, value); r.ec != std::errc() || r.ptr != end) {
    cursor_.error("'" + text + "' is not a number");
  }
  return value;
}

Attribute AttributeParser::attribute() {
  enter("attribute");
  struct Leave {
    int& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  switch (cursor_.peek()) {
    case '"': {
      std::string text = cursor_.string();
      if (cursor_.eat(":")) type();
      return text;
    }
    case '[': return list();
    case '{': return dictionary();
    case '#': return hash_attribute();
    case '@':
      cursor_.expect("@");
      return Attribute::Symbol{symbol()};
    default: break;
  }
  if (cursor_.eat("unit")) return Unit{};
  if (cursor_.eat("true")) return true;
  if (cursor_.eat("false")) return false;
  if (cursor_.ahead("dense<") || cursor_.ahead("dense_resource<")) return dense();
  if (cursor_.eat("affine_map<") || cursor_.eat("loc(")) return std::string(cursor_.until_balanced('>'));
  if (cursor_.eat("array<")) {
    const Type element = type();
    Attribute::Ints ints;
    Attribute::Doubles doubles;
    if (cursor_.eat(":")) {
      do {
        if (is_float(element.dtype)) {
          const Attribute one = number_or_type();
          doubles.push_back(one.get<double>() ? *one.get<double>() : one.get<int64_t>() ? std::bit_cast<double>(*one.get<int64_t>()) : 0.0);
        } else if (cursor_.eat("true")) {
          ints.push_back(1);
        } else if (cursor_.eat("false")) {
          ints.push_back(0);
        } else {
          ints.push_back(cursor_.integer());
        }
      } while (cursor_.eat(","));
    }
    cursor_.expect(">");
    if (is_float(element.dtype)) return doubles;
    return ints;
  }
  return number_or_type();
}

void AttributeParser::group_fields(Attributes& into) {
  cursor_.expect("<");
  while (!cursor_.eat(">")) {
    const std::string field(cursor_.expect_word("a field"));
    cursor_.expect("=");
    if (cursor_.peek() == '[') {
      into[field] = int_list();
    } else {
      into[field] = cursor_.integer();
    }
    cursor_.eat(",");
  }
}

Attributes AttributeParser::dictionary() {
  enter("attribute");
  Attributes attributes;
  cursor_.expect("{");
  while (!cursor_.eat("}")) {
    const std::string name = cursor_.peek() == '"' ? cursor_.string() : std::string(cursor_.expect_word("an attribute's name"));
    if (!cursor_.eat("=")) {
      attributes[name] = Unit{};
    } else if (cursor_.eat("#stablehlo.gather") || cursor_.eat("#stablehlo.scatter") || cursor_.eat("#stablehlo.dot")) {
      group_fields(attributes);
    } else {
      attributes[name] = attribute();
    }
    if (cursor_.peek() != '}') cursor_.expect(",");
  }
  --depth_;
  return attributes;
}

}  // namespace stele
