// Ops of control: functions' ends and calls.
#include "core/ops/all_ops.h"

namespace stele {
namespace {

Cost free_of_cost(const Operation&) { return {.kernels = 0}; }

std::vector<Tensor> evaluate_return(const Operation&, const std::vector<Tensor>& operands, EvalContext&) { return operands; }

// func.return(values…): ends a function's body.
const OpDef func_return = {
    .name = "func.return",
    .summary = "end a function and give its results",
    .level = Level::tensor,
    .operands = {{"values", OperandDef::variadic}},
    .traits = Trait::terminator,
    .infer = [](const Operation&) { return std::vector<Type>{}; },
    .evaluate = evaluate_return,
    .gradient = Aspect<GradientFunction>::absent("terminator"),
    .decompose = Aspect<DecomposeFunction>::absent("primitive"),
    .cost = free_of_cost,
};

// stablehlo.return(values…): ends a nested region.
const OpDef stablehlo_return = {
    .name = "stablehlo.return",
    .summary = "end a region and give its results",
    .level = Level::tensor,
    .operands = {{"values", OperandDef::variadic}},
    .traits = Trait::terminator,
    .infer = [](const Operation&) { return std::vector<Type>{}; },
    .evaluate = evaluate_return,
    .gradient = Aspect<GradientFunction>::absent("terminator"),
    .decompose = Aspect<DecomposeFunction>::absent("primitive"),
    .cost = free_of_cost,
};

}  // namespace

std::span<const OpDef> control_ops() {
  static const OpDef table[] = {func_return, stablehlo_return};
  return table;
}

}  // namespace stele
