// The printer's parts: modules, functions, regions and the generic form (printer.cpp); StableHLO's own forms
// (stablehlo_printer.cpp).
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/attribute_printer.h"
#include "core/ir/text.h"
#include "core/ir/text_format.h"

namespace stele {

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options), attributes_(options.elide_above) {}

  std::string module(const Module& module);
  std::string one(const Operation& op);

 private:
  // ---- names
  std::string unique(std::string wanted);
  static std::string sanitized(const std::string& name);
  bool named(const Value* value) const { return options_.names && !value->name().empty(); }
  void name_argument(const Value* value);
  std::string use(const Value* value);
  std::string uses(const std::vector<Value*>& values);
  // "%0 = ", "%0:2 = ", "%a, %b = " or nothing.
  std::string definition(const Operation& op);
  // ---- types
  static std::string types(const std::vector<Value*>& values);
  static std::string functional(const Operation& op);
  static bool one_type(const Operation& op);
  // ---- functions and regions
  void print_function(const Function& function);
  void body(const Region& region);
  void regions(const Operation& op);
  // ---- operations
  void operation(const Operation& op);
  std::string location(const Operation& op);
  void generic(const Operation& op);
  void append_resources(const Module& module);
  // ---- StableHLO's own forms
  // The trailing attributes a pretty form does not show.
  std::string rest(const Operation& op, std::set<std::string_view> without);
  std::string short_type(const Operation& op);
  // False where the op has no pretty form, or lacks what the form shows (a module need not verify to be printed).
  bool try_pretty(const Operation& op);
  bool pretty(const Operation& op);
  bool print_return(const Operation& op);
  bool print_call(const Operation& op);
  bool print_constant(const Operation& op);
  bool print_formatted(const Operation& op, const OpFormat* format);
  bool print_compare(const Operation& op);
  bool print_select(const Operation& op);
  bool print_reduce_precision(const Operation& op);
  static Shape dims_of(const Operation& op, std::string_view name);
  bool print_slice(const Operation& op);
  bool print_dot_general(const Operation& op);
  // "[b, f, 0, 1]": which role each dimension has.
  static std::string roles(const Operation& op, const char* batch, char batch_letter, const char* feature, char feature_letter, const char* spatial);
  bool print_convolution(const Operation& op);
  bool print_custom_call(const Operation& op);
  // The name of the single op a reducer applies to its two arguments; empty where it is more than that.
  static std::string applied_op(const Operation& op);
  bool print_reduce(const Operation& op);
  bool print_while(const Operation& op);

  const PrintOptions options_;
  const AttributePrinter attributes_;
  std::string out_;
  int depth_ = 0;
  int next_number_ = 0, next_argument_ = 0, next_free_ = 0;
  std::unordered_map<const Value*, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace stele
