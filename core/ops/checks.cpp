// custom_call, of which the targets check.* are known: assertions that compare two values.
#include "core/ops/checks.h"

#include <algorithm>
#include <cmath>

#include "core/ops/all_ops.h"
#include "core/ops/complex.h"
#include "core/ops/rules.h"

namespace stele {
namespace {

using Tensors = std::vector<Tensor>;

std::string_view target_of(const Operation& op) {
  return op.is("stablehlo.custom_call") ? std::string_view(op.get<std::string>("call_target_name")) : std::string_view(op.name());
}

bool is_check(std::string_view target) { return target.starts_with("check."); }

// Floats of one format in order, as integers: neighbours differ by 1.
int64_t rank_of(const Tensor& x, int64_t i) {
  Tensor scalar(x.dtype(), Ints{});
  scalar.set(0, x.get(i));
  int64_t bits = 0;
  const int width = size_bytes(x.dtype());
  for (int k = width - 1; k >= 0; --k) bits = (bits << 8) | std::to_integer<int64_t>(scalar.data()[k]);
  const uint64_t sign = uint64_t{1} << (8 * width - 1);
  const auto magnitude = static_cast<int64_t>(static_cast<uint64_t>(bits) & (sign - 1));
  return (static_cast<uint64_t>(bits) & sign) != 0 ? -magnitude : magnitude;
}

uint64_t ulps_between(const Tensor& x, const Tensor& y, int64_t i) {
  const int64_t a = rank_of(x, i), b = rank_of(y, i);
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b) : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

// check.expect_close: at most 3 units in the last place apart, unless the call says otherwise; check.expect_almost_eq:
// at most 1e-4 apart, of the expected value where that is above 1 (programs use it on f32 values beyond 1000, where 1e-4
// is less than one unit in the last place); the others: equal. NaN is equal to NaN.
bool matches(const Operation& op, std::string_view target, const Tensor& x, const Tensor& y, int64_t i) {
  if (!is_float(x.dtype())) return x.get_int(i) == y.get_int(i);
  const double a = x.get(i), b = y.get(i);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  if (target == "check.expect_close") {
    const int64_t limit = op.get_or<int64_t>("max_ulp_difference", 3);
    return std::isfinite(a) && std::isfinite(b) && ulps_between(x, y, i) <= static_cast<uint64_t>(limit);
  }
  return target.starts_with("check.expect_almost_eq") && std::fabs(a - b) <= 1e-4 * std::max(1.0, std::fabs(b));
}

std::string element_text(const Tensor& x, int64_t i) {
  return is_float(x.dtype()) ? fmt::format("{}", x.get(i)) : fmt::format("{}", x.get_int(i));
}

// Real and imaginary parts along a last axis.
Tensor parts_of(const Tensor& z) {
  Ints sizes = z.sizes();
  sizes.push_back(2);
  return Tensor(part_dtype(z.dtype()), sizes, z.blob());
}

Tensors check(const Operation& op, std::string_view target, const Tensor& x, const Tensor& y, bool wide) {
  if (x.sizes() != y.sizes() || x.dtype() != y.dtype()) {
    throw CheckFailed(fmt::format("{}: {}: value has type {}, expected {}", op.describe(), target, x.type().str(), y.type().str()));
  }
  if (is_complex(x.dtype())) return check(op, target, parts_of(x), parts_of(y), wide);
  if (wide && is_float(x.dtype())) return {};  // in f64 the rounding that the program expects does not happen
  for (Subscripts at(x.sizes()); !at.done(); at.next()) {
    if (matches(op, target, x, y, at.linear())) continue;
    throw CheckFailed(fmt::format("{}: {}: element {} is {}, expected {}", op.describe(), target, str(at.at()),
                                  element_text(x, at.linear()), element_text(y, at.linear())));
  }
  return {};
}

// custom_call(operands…) {call_target_name}
//   c1: a check.* target has two operands of one type and no result

void verify_custom_call(const Operation& op) {
  if (!is_check(target_of(op))) return;
  if (op.operand_count() != 2 || op.result_count() != 0) violated(op, "c1", "{} operands and {} results, expected 2 and 0", op.operand_count(), op.result_count());
  const Type &x = op.operand(0)->type(), &y = op.operand(1)->type();
  if (x.dtype != y.dtype || !may_equal(x.shape, y.shape)) violated(op, "c1", "operands have types {} and {}", x.str(), y.str());
}

Tensors evaluate_custom_call(const Operation& op, const Tensors& operands, EvalContext& context) {
  const std::string_view target = target_of(op);
  if (!is_check(target)) fail("{}: target '{}' is not known", op.describe(), target);
  return check(op, target, operands.at(0), operands.at(1), context.wide());
}

Cost cost_custom_call(const Operation& op) { return is_check(target_of(op)) ? Cost{.kernels = 0} : one_kernel(op, 0); }

const OpDef custom_call_def = {
    .name = "stablehlo.custom_call",
    .summary = "call something outside the module; check.* targets are assertions",
    .operands = {{"operands", OperandDef::variadic}},
    .attributes = {{"call_target_name", "string", true}, {"has_side_effect", "bool"}, {"max_ulp_difference", "i64, of check.expect_close, default 3"}},
    .traits = Trait::none,
    .verify = verify_custom_call,
    .infer = declared_result_types,
    .evaluate = evaluate_custom_call,
    .gradient = no_gradient("opaque"),
    .decompose = primitive(),
    .cost = cost_custom_call,
};

// check.expect_eq_const(x) {value}, check.expect_almost_eq_const(x) {value}
//   c1: value has x's type

void verify_check_const(const Operation& op) {
  const Type expected = op.get<Tensor>("value").type();
  if (op.operand(0)->dtype() != expected.dtype || !may_equal(op.operand(0)->shape(), expected.shape)) {
    violated(op, "c1", "operand has type {}, expected {}", op.operand(0)->type().str(), expected.str());
  }
}

Tensors evaluate_check_const(const Operation& op, const Tensors& operands, EvalContext& context) {
  const Tensor& value = op.get<Tensor>("value");
  return check(op, op.name(), operands[0], value.converted(operands[0].dtype()), context.wide());
}

OpDef check_const(std::string_view name, std::string_view summary) {
  return {
      .name = name,
      .summary = summary,
      .operands = {{"x"}},
      .attributes = {{"value", "tensor", true}},
      .traits = Trait::none,
      .verify = verify_check_const,
      .infer = declared_result_types,
      .evaluate = evaluate_check_const,
      .gradient = no_gradient("no result"),
      .decompose = primitive(),
      .cost = cost_free,
  };
}

}  // namespace

std::span<const OpDef> check_ops() {
  static const OpDef table[] = {
      custom_call_def,
      check_const("check.expect_eq_const", "assert that a value is the constant"),
      check_const("check.expect_almost_eq_const", "assert that a value is near the constant"),
  };
  return table;
}

}  // namespace stele
