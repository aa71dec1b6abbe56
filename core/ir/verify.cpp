#include "core/ir/verify.h"

#include <algorithm>
#include <unordered_set>

namespace stele {
namespace {

class StructureVerifier {
 public:
  explicit StructureVerifier(const Module& module) : module_(module) {}

  void run() {
    for (const auto& function : module_.functions()) check(*function);
  }

 private:
  void check(const Function& function) {
    visible_.clear();
    region(function.body());
    const Operation* end = function.body().terminator();
    if (!end || !end->is("func.return")) fail("ir_c2: function '@{}' does not end in func.return", function.name());
    if (end->operand_count() != function.result_types().size()) {
      fail("ir_c2: function '@{}' returns {} values, expected {}", function.name(), end->operand_count(), function.result_types().size());
    }
    for (unsigned i = 0; i < end->operand_count(); ++i) {
      if (end->operand(i)->type() != function.result_types()[i]) {
        fail("ir_c2: function '@{}' returns {} as result {}, expected {}", function.name(), end->operand(i)->type().str(), i, function.result_types()[i].str());
      }
    }
  }

  void region(const Region& region) {
    const std::vector<Value*> arguments = region.arguments();
    for (const Value* argument : arguments) define(argument);
    for (const Operation& op : region) operation(op);
    for (const Operation& op : region) {
      for (const Value* result : op.results()) visible_.erase(result);
    }
    for (const Value* argument : arguments) visible_.erase(argument);
  }

  void operation(const Operation& op) {
    if (op.id() == 0 || !ids_.insert(op.id()).second) fail("ir_c3: {} has id {}, which is not its own", op.describe(), op.id());
    for (unsigned i = 0; i < op.operand_count(); ++i) {
      const Value* operand = op.operand(i);
      if (!operand || !visible_.contains(operand)) fail("ir_c1: {}: operand {} is not defined before it", op.describe(), i);
      const auto& uses = operand->uses();
      if (std::find(uses.begin(), uses.end(), Use{const_cast<Operation*>(&op), i}) == uses.end()) {
        fail("ir_c4: {}: operand {} does not list this use", op.describe(), i);
      }
    }
    for (unsigned i = 0; i < op.region_count(); ++i) region(op.region(i));
    for (const Value* result : op.results()) define(result);
  }

  void define(const Value* value) {
    visible_.insert(value);
    std::set<std::string> symbols;
    for (const Dim& dim : value->shape()) dim.collect_symbols(symbols);
    for (const std::string& symbol : symbols) {
      if (!module_.symbols.contains(symbol)) fail("ir_c5: type {} uses symbol '{}', which the module does not declare", value->type().str(), symbol);
    }
  }

  const Module& module_;
  std::unordered_set<const Value*> visible_;
  std::unordered_set<OpId> ids_;
};

}  // namespace

void verify_structure(const Module& module) { StructureVerifier(module).run(); }

}  // namespace stele
