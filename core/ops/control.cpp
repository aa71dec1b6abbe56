// Ops of control: functions' ends and calls, while, if, case, and tuples.
#include "core/ops/all_ops.h"
#include "core/ops/rules.h"

namespace stele {
namespace {

using Tensors = std::vector<Tensor>;

constexpr int64_t most_iterations = int64_t{1} << 24;

std::vector<Type> no_results(const Operation&) { return {}; }
Tensors evaluate_return(const Operation&, const Tensors& operands, EvalContext&) { return operands; }

OpDef terminator(std::string_view name, std::string_view summary) {
  return {
      .name = name,
      .summary = summary,
      .operands = {{"values", OperandDef::variadic}},
      .traits = Trait::terminator,
      .infer = no_results,
      .evaluate = evaluate_return,
      .gradient = no_gradient("terminator"),
      .decompose = primitive(),
      .cost = cost_free,
  };
}

std::vector<Type> operand_types(const Operation& op, unsigned first = 0) {
  std::vector<Type> types;
  for (unsigned i = first; i < op.operand_count(); ++i) types.push_back(op.operand(i)->type());
  return types;
}

void check_types(const Operation& op, std::string_view constraint, std::string_view what, const std::vector<Type>& given, const std::vector<Type>& expected) {
  bool fits = given.size() == expected.size();
  for (size_t i = 0; fits && i < given.size(); ++i) {
    fits = given[i].kind == expected[i].kind && given[i].dtype == expected[i].dtype && may_equal(given[i].shape, expected[i].shape);
    if (!fits) violated(op, constraint, "{} {} has type {}, expected {}", what, i, given[i].str(), expected[i].str());
  }
  if (!fits) violated(op, constraint, "{} of {}, expected {}", what, given.size(), expected.size());
}

std::vector<Type> types_of(const std::vector<Value*>& values) {
  std::vector<Type> types;
  for (const Value* value : values) types.push_back(value->type());
  return types;
}

// ---- call -----------------------------------------------------------------------------------------------------------
// call(arguments…) {callee}
//   c1: the callee is in the module;  c2: arguments are as many as its inputs;  c3: results are as many as its results
// Sizes are checked when it runs: the callee's symbols are its own.

std::string callee_of(const Operation& op) {
  const Attribute* callee = op.attribute("callee");
  if (callee) {
    if (const auto* symbol = callee->get<Attribute::Symbol>()) return symbol->name;
    if (const auto* text = callee->get<std::string>()) return *text;
  }
  violated(op, "c1", "no callee is given");
}

void verify_call(const Operation& op) {
  const std::string callee = callee_of(op);
  const Function* function = op.function() ? op.function()->module().function(callee) : nullptr;
  if (!function) violated(op, "c1", "function '@{}' is not in the module", callee);
  if (function->body().argument_count() != op.operand_count()) violated(op, "c2", "{} arguments, expected {}", op.operand_count(), function->body().argument_count());
  if (function->result_types().size() != op.result_count()) violated(op, "c3", "{} results, expected {}", op.result_count(), function->result_types().size());
}

Tensors evaluate_call(const Operation& op, const Tensors& operands, EvalContext& context) { return context.call(callee_of(op), operands); }

const OpDef call_def = {
    .name = "func.call",
    .summary = "call a function of the module",
    .operands = {{"arguments", OperandDef::variadic}},
    .attributes = {{"callee", "symbol", true}},
    .traits = Trait::none,
    .verify = verify_call,
    .infer = declared_result_types,
    .evaluate = evaluate_call,
    .gradient = no_gradient("not provided"),
    .decompose = Aspect<DecomposeFunction>::absent("inlined by a pass"),
    .cost = cost_free,
};

// ---- while ----------------------------------------------------------------------------------------------------------
// while(state…) cond, body: body as long as cond
//   c1: both regions take the state;  c2: cond returns one boolean scalar;  c3: body returns the state's types
//   c4: results have the state's types

void verify_while(const Operation& op) {
  if (op.region_count() != 2) violated(op, "c1", "{} regions, expected 2", op.region_count());
  const std::vector<Type> state = operand_types(op);
  for (unsigned i = 0; i < 2; ++i) {
    check_types(op, "c1", "argument", types_of(op.region(i).arguments()), state);
    if (!op.region(i).terminator()) violated(op, "c1", "region {} is empty", i);
  }
  check_types(op, "c2", "condition", types_of(op.region(0).terminator()->operands()), {Type::tensor(DType::boolean, {})});
  check_types(op, "c3", "new state", types_of(op.region(1).terminator()->operands()), state);
  check_types(op, "c4", "result", types_of(op.results()), state);
}

std::vector<Type> infer_while(const Operation& op) { return operand_types(op); }

Tensors evaluate_while(const Operation& op, const Tensors& operands, EvalContext& context) {
  Tensors state = operands;
  for (int64_t i = 0; context.run_region(op.region(0), state).at(0).get_int(0) != 0; ++i) {
    if (i >= most_iterations) fail("{}: no end after {} iterations", op.describe(), most_iterations);
    state = context.run_region(op.region(1), state);
  }
  return state;
}

const OpDef while_def = {
    .name = "stablehlo.while",
    .summary = "repeat a region as long as another one says",
    .operands = {{"state", OperandDef::variadic}},
    .traits = Trait::none,
    .verify = verify_while,
    .infer = infer_while,
    .evaluate = evaluate_while,
    .gradient = no_gradient("not provided"),
    .decompose = primitive(),
    .cost = cost_free,
};

// ---- if, case -------------------------------------------------------------------------------------------------------
// if(pred) on_true, on_false;  case(index) branches…: the last one where index is out of range
//   c1: pred is a boolean scalar, index an i32 scalar
//   c2: two regions (case: at least one) without arguments
//   c3: every region returns the results' types

void verify_branches(const Operation& op) {
  const bool is_if = op.is("stablehlo.if");
  check_types(op, "c1", "operand", operand_types(op), {Type::tensor(is_if ? DType::boolean : DType::i32, {})});
  if (is_if ? op.region_count() != 2 : op.region_count() < 1) violated(op, "c2", "{} regions", op.region_count());
  for (unsigned i = 0; i < op.region_count(); ++i) {
    if (op.region(i).argument_count() != 0 || !op.region(i).terminator()) violated(op, "c2", "region {} has arguments or is empty", i);
    check_types(op, "c3", "returned value", types_of(op.region(i).terminator()->operands()), types_of(op.results()));
  }
}

std::vector<Type> infer_branches(const Operation& op) {
  if (op.region_count() == 0 || !op.region(0).terminator()) return declared_result_types(op);
  return types_of(op.region(0).terminator()->operands());
}

Tensors evaluate_if(const Operation& op, const Tensors& operands, EvalContext& context) {
  return context.run_region(op.region(operands[0].get_int(0) != 0 ? 0 : 1), {});
}

Tensors evaluate_case(const Operation& op, const Tensors& operands, EvalContext& context) {
  const int64_t index = operands[0].get_int(0), last = op.region_count() - 1;
  return context.run_region(op.region(static_cast<unsigned>(index < 0 || index > last ? last : index)), {});
}

OpDef branching(std::string_view name, std::string_view summary, EvaluateFunction* evaluate) {
  return {
      .name = name,
      .summary = summary,
      .operands = {{"which"}},
      .traits = Trait::none,
      .verify = verify_branches,
      .infer = infer_branches,
      .evaluate = evaluate,
      .gradient = no_gradient("not provided"),
      .decompose = primitive(),
      .cost = cost_free,
  };
}

}  // namespace

std::span<const OpDef> control_ops() {
  static const OpDef table[] = {
      terminator("func.return", "end a function and give its results"),
      terminator("stablehlo.return", "end a region and give its results"),
      call_def,
      while_def,
      branching("stablehlo.if", "one region or the other", evaluate_if),
      branching("stablehlo.case", "one of several regions; the last where the index is out of range", evaluate_case),
  };
  return table;
}

}  // namespace stele
