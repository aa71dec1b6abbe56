// Merges pure ops that compute the same: same name, operands, attributes, types and regions. The first one stays.
#include "passes/optimize/passes.h"

#include <cstring>

namespace stele {
namespace {

constexpr std::string_view merge_op = "merge-equal-ops";
constexpr std::string_view merge_constant = "merge-equal-constants";

// Values of two regions that are compared side by side: an argument or result of the one stands for its twin.
using Twins = std::map<const Value*, const Value*>;

bool same_value(const Value* a, const Value* b, const Twins& twins) {
  auto found = twins.find(a);
  return (found == twins.end() ? a : found->second) == b;
}

bool same_types(const std::vector<Value*>& a, const std::vector<Value*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Value* x, const Value* y) { return x->type() == y->type(); });
}

bool same_operands(const Operation& a, const Operation& b, const Twins& twins) {
  if (a.operand_count() != b.operand_count()) return false;
  const auto equal = [&](unsigned i, unsigned j) { return same_value(a.operand(i), b.operand(j), twins); };
  bool straight = true;
  for (unsigned i = 0; i < a.operand_count(); ++i) straight = straight && equal(i, i);
  if (straight) return true;
  return a.operand_count() == 2 && has_trait(a, Trait::commutative) && equal(0, 1) && equal(1, 0);
}

bool same_op(const Operation& a, const Operation& b, Twins& twins);

bool same_region(const Region& a, const Region& b, Twins& twins) {
  if (!same_types(a.arguments(), b.arguments())) return false;
  for (unsigned i = 0; i < a.argument_count(); ++i) twins[a.argument(i)] = b.argument(i);
  const Operation* x = a.first();
  const Operation* y = b.first();
  for (; x && y; x = x->next(), y = y->next()) {
    if (!same_op(*x, *y, twins)) return false;
    for (unsigned i = 0; i < x->result_count(); ++i) twins[x->result(i)] = y->result(i);
  }
  return !x && !y;
}

bool same_op(const Operation& a, const Operation& b, Twins& twins) {
  if (a.name() != b.name() || a.region_count() != b.region_count() || !same_operands(a, b, twins)) return false;
  if (!same_types(a.results(), b.results()) || a.attributes() != b.attributes()) return false;
  for (unsigned i = 0; i < a.region_count(); ++i) {
    if (!same_region(a.region(i), b.region(i), twins)) return false;
  }
  return true;
}

// Cheap text that equal ops share; unequal ones may share it too. Operand order does not matter where it must not.
std::string bucket_of(const Operation& op, const std::map<const Value*, size_t>& numbers) {
  std::vector<size_t> operands;
  for (const Value* operand : op.operands()) {
    auto found = numbers.find(operand);
    operands.push_back(found == numbers.end() ? 0 : found->second);
  }
  if (has_trait(op, Trait::commutative)) std::sort(operands.begin(), operands.end());
  std::string key = op.name();
  for (size_t number : operands) key += "," + std::to_string(number);
  return key;
}

// Constants have no operands to tell them apart: their type and the bytes at both ends do. Bits, not values: -0 is not 0.
std::string bucket_of_constant(const Operation& op, const Tensor& value) {
  std::string key = op.name() + op.result()->type().str();
  const size_t size = value.size_bytes(), end = std::min<size_t>(size, 16);
  if (end > 0) {
    key.append(reinterpret_cast<const char*>(value.data()), end);
    key.append(reinterpret_cast<const char*>(value.data()) + size - end, end);
  }
  return key;
}

class Merger {
 public:
  explicit Merger(Rewriter& rewriter) : rewriter_(rewriter) {}

  // False when fuel is spent. Each region is its own scope.
  bool run(Region& region) {
    std::unordered_map<std::string, std::vector<Operation*>> seen;
    for (Operation* op : region.ops()) {
      for (unsigned i = 0; i < op->region_count(); ++i) {
        if (!run(op->region(i))) return false;
      }
      if (mergeable(*op) && !merge_or_remember(op, seen)) return false;
    }
    return true;
  }

  void number(const Region& region) {
    for (const Value* argument : region.arguments()) numbers_.emplace(argument, numbers_.size() + 1);
    for (const Operation& op : region) {
      for (const Value* result : op.results()) numbers_.emplace(result, numbers_.size() + 1);
      for (unsigned i = 0; i < op.region_count(); ++i) number(op.region(i));
    }
  }

 private:
  static bool mergeable(const Operation& op) {
    return op.result_count() > 0 && has_trait(op, Trait::pure) && !has_trait(op, Trait::terminator);
  }

  bool merge_or_remember(Operation* op, std::unordered_map<std::string, std::vector<Operation*>>& seen) {
    const Tensor* constant = constant_of(op->result());
    auto& bucket = seen[constant ? bucket_of_constant(*op, *constant) : bucket_of(*op, numbers_)];
    for (Operation* first : bucket) {
      Twins twins;
      if (!same_op(*first, *op, twins)) continue;
      return rewriter_.apply(constant ? merge_constant : merge_op, {op, first},
                             [&](Rewrite& rewrite) { rewrite.replace(op, first->results()); });
    }
    bucket.push_back(op);
    return true;
  }

  Rewriter& rewriter_;
  std::map<const Value*, size_t> numbers_;  // looked up, never iterated over
};

void run(PassContext& context) {
  for (const auto& function : context.module.functions()) {
    Merger merger(context.rewriter);
    merger.number(function->body());
    if (!merger.run(function->body())) return;
  }
}

}  // namespace

const Pass common_subexpressions = {
    .name = "common-subexpressions",
    .summary = "compute equal things once",
    .stage = Stage::optimize,
    .accepts = {Level::framework, Level::tensor, Level::kernel},
    .produces = {Level::framework, Level::tensor, Level::kernel},
    .contract = {Contract::exact},
    .rules = {{merge_op, "f(x), f(x) -> one f(x); operands in either order where f commutes"},
              {merge_constant, "constants of one type and the same bits -> one"}},
    .run = run,
};

}  // namespace stele
