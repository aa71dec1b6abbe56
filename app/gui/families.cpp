#include "app/gui/families.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace stele::app {
namespace {

struct Family {
  std::string_view word;  // a part of the op's name, lower case
  Colour colour;
};

// The first that fits wins; `_` and the dialect's prefix are not part of what is compared.
constexpr std::array families = {
    Family{"matmul", Colour::contraction}, Family{"dotgeneral", Colour::contraction},
    Family{"gemm", Colour::contraction},   Family{"convert", Colour::movement},
    Family{"conv", Colour::contraction},   Family{"einsum", Colour::contraction},
    Family{"dot", Colour::contraction},    Family{"reducewindow", Colour::reduction},
    Family{"pool", Colour::reduction},     Family{"softmax", Colour::reduction},
    Family{"norm", Colour::reduction},     Family{"reduceprecision", Colour::arithmetic},
    Family{"reduce", Colour::reduction},   Family{"sort", Colour::reduction},
    Family{"topk", Colour::reduction},     Family{"reshape", Colour::movement},
    Family{"transpose", Colour::movement}, Family{"broadcast", Colour::movement},
    Family{"slice", Colour::movement},     Family{"concat", Colour::movement},
    Family{"gather", Colour::movement},    Family{"scatter", Colour::movement},
    Family{"pad", Colour::movement},       Family{"expand", Colour::movement},
    Family{"squeeze", Colour::movement},   Family{"split", Colour::movement},
    Family{"flatten", Colour::movement},   Family{"iota", Colour::movement},
    Family{"cast", Colour::movement},      Family{"reverse", Colour::movement},
    Family{"copy", Colour::movement},      Family{"tile", Colour::movement},
    Family{"tuple", Colour::movement},     Family{"while", Colour::control},
    Family{"case", Colour::control},       Family{"if", Colour::control},
    Family{"call", Colour::control},       Family{"loop", Colour::control},
};

std::string plain_name(const std::string& title) {
  std::string name;
  for (const char c : title.substr(title.rfind('.') == std::string::npos ? 0 : title.rfind('.') + 1)) {
    if (c != '_') name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

Colour by_name(const std::string& title) {
  const std::string name = plain_name(title);
  const auto found = std::find_if(families.begin(), families.end(), [&](const Family& family) {
    return family.word.size() <= 2 ? name == family.word : name.find(family.word) != std::string::npos;
  });
  return found == families.end() ? Colour::arithmetic : found->colour;
}

}  // namespace

Colour family_colour(const viz::Node& node) {
  switch (node.role) {
    case viz::Role::control:
      return Colour::control;
    case viz::Role::fusion:
      return Colour::fusion;
    case viz::Role::library:
      return Colour::library;
    case viz::Role::loop:
      return Colour::loop;
    case viz::Role::machine:
      return Colour::machine;
    case viz::Role::constant:
      return Colour::constant;
    case viz::Role::argument:
      return Colour::argument;
    case viz::Role::result:
      return Colour::result;
    case viz::Role::op:
      break;
  }
  return by_name(node.title);
}

const char* family_name(Colour family) {
  switch (family) {
    case Colour::arithmetic:
      return "element by element";
    case Colour::contraction:
      return "contraction, library call";
    case Colour::reduction:
      return "reduction";
    case Colour::movement:
      return "moves or views data";
    case Colour::control:
      return "control flow";
    case Colour::fusion:
      return "fusion";
    case Colour::loop:
      return "loops";
    case Colour::machine:
      return "machine code";
    default:
      return "";
  }
}

}  // namespace stele::app
