// The parser's parts: modules, functions, regions and the generic form (parser.cpp); StableHLO's own forms
// (stablehlo_parser.cpp).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/ir/attribute_parser.h"
#include "core/ir/builder.h"
#include "core/ir/cursor.h"
#include "core/ir/text.h"

namespace stele {

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options);
  std::unique_ptr<Module> module();

 private:
  // An op before it exists: what its text says.
  struct Draft {
    std::string name;
    std::vector<Value*> operands;
    std::vector<Type> results;
    Attributes attributes;
    size_t at = 0;           // where it stands
    size_t result_count = 0;  // as the text before '=' has it
    // Made once the op exists: parses its regions into it.
    std::vector<std::function<void(Region&)>> regions;
  };
  struct ResultName {
    std::string name;
    int count = 1;  // %0:2
    size_t at = 0;
  };
  struct Location {
    OpId id = 0;
    std::vector<OpId> from;
    std::string label;
    std::vector<std::string> names;
  };

  std::map<std::string, BlobRef> resources(std::string_view text) const;
  void module_attributes();
  void function();
  void function_arguments(Region& body);
  void function_results(Function& function);
  void region_body(Region& region);
  void block_arguments(Region& region);
  void operation();
  Operation* make(Draft& draft);
  Location location();
  void name_results(Operation* op, const std::vector<ResultName>& names, const Location& location);

  bool special_form(Draft& draft);  // true: parsed; the name has been eaten
  void generic_form(Draft& draft);
  void generic_regions(Draft& draft);
  void formatted_form(Draft& draft);
  void types_of(Draft& draft);      // ": T", ": (T, T) -> T" or ": T, T"
  void trailing_attributes(Draft& draft);
  // Runs a body's parser at the place it was found in the text.
  void defer_region(Draft& draft, std::vector<std::pair<std::string, Type>> arguments);

  void parse_return(Draft& draft);
  void parse_call(Draft& draft);
  void parse_constant(Draft& draft);
  void parse_compare(Draft& draft);
  void parse_slice(Draft& draft);
  void parse_dot_general(Draft& draft);
  void parse_convolution(Draft& draft);
  void parse_roles(Draft& draft, const char* batch, const char* feature, const char* spatial);
  void parse_window(Draft& draft);
  void parse_reduce(Draft& draft);
  void parse_reducer(Draft& draft, size_t inputs);
  void applied_reducer(Draft& draft, const std::string& applied);
  void parse_while(Draft& draft);
  void parse_custom_call(Draft& draft);
  void parse_reduce_precision(Draft& draft);
  void parse_rng_bit_generator(Draft& draft);
  void parse_fft(Draft& draft);
  void parse_top_k(Draft& draft);

  std::vector<Value*> operand_list(char close);
  Value* operand();
  std::string value_name();  // after '%': "0", "arg0", "0#1"
  void define(const std::string& name, Value* value, size_t at);

  ParseOptions options_;
  Cursor cursor_;
  std::unique_ptr<Module> module_;
  Builder builder_;
  std::set<std::string> symbols_;
  AttributeParser attributes_;
  std::vector<std::map<std::string, Value*>> scopes_;
  int depth_ = 0;
};

}  // namespace stele
