// What every op of the registry must keep, whatever it does.
#include <catch2/catch.hpp>

#include "core/ir/text.h"
#include "tests/support/op_samples.h"

using namespace stele;
using namespace stele::test;

namespace {

const Operation* find(const Module& module, std::string_view name) {
  const Operation* found = nullptr;
  walk(module, [&](const Operation& op) {
    if (op.is(name)) found = &op;
  });
  return found;
}

int64_t at(const Dim& dim, int64_t n) { return dim.evaluate({{"n", n}}); }

unsigned least_operands(const OpDef& def) {
  unsigned least = 0;
  for (const OperandDef& operand : def.operands) least += operand.kind == OperandDef::one;
  return least;
}

bool takes_any_number(const OpDef& def) { return !def.operands.empty() && def.operands.back().kind == OperandDef::variadic; }

// An op of that name with so many operands of f32 [2] and as many results of it.
std::string error_with_operands(const OpDef& def, size_t count) {
  return error_of([&] {
    verify(*module_of({Type::tensor(DType::f32, {2})}, [&](Builder& b, const std::vector<Value*>& x) {
      b.create(def.name, std::vector<Value*>(count, x[0]), {x[0]->type()});
      return x;
    }));
  });
}

}  // namespace

TEST_CASE("every aspect of an op is there or stated absent", "[op-contract]") {
  for (const OpDef* def : all_ops()) {
    INFO(def->name);
    CHECK_FALSE(def->name.empty());
    CHECK(def->name.find('.') != std::string_view::npos);
    CHECK_FALSE(def->summary.empty());
    CHECK(def->evaluate != nullptr);
    CHECK(def->gradient.set());
    CHECK(def->decompose.set());
    CHECK((def->gradient.function() || !def->gradient.reason().empty()));
    CHECK((def->decompose.function() || !def->decompose.reason().empty()));
    CHECK(def->cost != nullptr);
    CHECK((def->infer != nullptr || def->level == Level::framework));
  }
}

TEST_CASE("names of ops are unique and sorted", "[op-contract]") {
  const auto ops = all_ops();
  for (size_t i = 1; i < ops.size(); ++i) CHECK(ops[i - 1]->name < ops[i]->name);
  for (const OpDef* def : ops) CHECK(find_op(def->name) == def);
}

TEST_CASE("a wrong number of operands is refused, by name", "[op-contract]") {
  for (const OpDef* def : all_ops()) {
    INFO(def->name);
    const unsigned least = least_operands(*def);
    if (least > 0) CHECK(error_with_operands(*def, least - 1).find(def->name) != std::string::npos);
    if (!takes_any_number(*def)) CHECK(error_with_operands(*def, def->operands.size() + 1).find("operands given") != std::string::npos);
  }
}

TEST_CASE("every op of the tensor and kernel levels has a sample", "[op-contract]") {
  const auto samples = op_samples();
  for (const OpDef* def : all_ops()) {
    if ((def->level != Level::tensor && def->level != Level::kernel) || has(def->traits, Trait::terminator) || def->name.starts_with("check.")) continue;
    INFO(def->name);
    CHECK((samples.count(std::string(def->name)) && samples.at(std::string(def->name)).body));
  }
}

TEST_CASE("what is inferred is what is evaluated, at any size", "[op-contract]") {
  for (const auto& [name, sample] : op_samples()) {
    INFO(name);
    const auto module = module_of(sample.types, sample.body);
    verify(*module);
    const Operation* op = find(*module, name);
    REQUIRE(op);
    const std::vector<Type> inferred = op_def(*op).infer(*op);
    for (unsigned i = 0; i < op->result_count(); ++i) CHECK(inferred.at(i) == op->result(i)->type());
    // The evaluator refuses results of other types than declared.
    for (int64_t n : {1, 2, 5}) {
      const auto inputs = sample_inputs(*module, {{"n", n}});
      CHECK(error_of([&] { run(*module, inputs); }) == "no error");
      CHECK(error_of([&] { run(*module, inputs, {.wide = true}); }) == "no error");
    }
  }
}

TEST_CASE("ops evaluate where a dim is zero", "[op-contract]") {
  for (const auto& [name, sample] : op_samples()) {
    // A slice of one row of no rows does not exist.
    if (name == "stablehlo.dynamic_slice" || name == "stablehlo.dynamic_update_slice" || name.find("gather") != std::string::npos) continue;
    INFO(name);
    const auto module = module_of(sample.types, sample.body);
    CHECK(error_of([&] { run(*module, sample_inputs(*module, {{"n", 0}})); }) == "no error");
  }
}

TEST_CASE("costs are finite and do not shrink as sizes grow", "[op-contract]") {
  for (const auto& [name, sample] : op_samples()) {
    INFO(name);
    const auto module = module_of(sample.types, sample.body);
    const Operation* op = find(*module, name);
    const Cost cost = op_def(*op).cost(*op);
    for (const Dim* part : {&cost.kernels, &cost.flops, &cost.bytes_read, &cost.bytes_written}) {
      CHECK(at(*part, 4) >= 0);
      CHECK(at(*part, 8) >= at(*part, 4));
    }
    const bool is_free = has_trait(*op, Trait::view) || has_trait(*op, Trait::constant);
    if (is_free) CHECK((cost.kernels.is(0) && cost.bytes_read.is(0) && cost.bytes_written.is(0)));
  }
}

TEST_CASE("samples print and parse back", "[op-contract]") {
  for (const auto& [name, sample] : op_samples()) {
    INFO(name);
    const auto module = module_of(sample.types, sample.body);
    const std::string text = print(*module, {.elide_above = -1});
    std::string again;
    CHECK(error_of([&] {
            const auto parsed = parse(text);
            verify(*parsed);
            again = print(*parsed, {.elide_above = -1});
          }) == "no error");
    CHECK(again == text);
  }
}

TEST_CASE("commutative ops give the same bits either way", "[op-contract]") {
  for (const auto& [name, sample] : op_samples()) {
    const OpDef* def = find_op(name);
    if (!has(def->traits, Trait::commutative)) continue;
    INFO(name);
    const auto module = module_of(sample.types, sample.body);
    auto inputs = sample_inputs(*module, {{"n", 9}});
    const Tensor forth = run(*module, inputs)[0];
    std::swap(inputs[0], inputs[1]);
    CHECK(run(*module, inputs)[0].bitwise_equal(forth));
  }
}
