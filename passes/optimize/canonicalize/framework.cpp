// Identities of ONNX ops, so that the graph a user knows is already rid of what does nothing.
#include "passes/optimize/canonicalize/rules.h"

namespace stele::canonical {
namespace {

bool same_type(const Operation& op) {
  const Type& type = op.result()->type();
  return !type.is_unknown() && op.operand_count() > 0 && op.operand(0)->type() == type;
}

bool drop_identity(Operation& op, Rewriter& rewriter, std::string_view rule) { return replace_with(op, op.operand(0), rewriter, rule); }

// A reshape, expand or cast to the type its operand has does nothing.
bool drop_where_type_stays(Operation& op, Rewriter& rewriter, std::string_view rule) {
  return same_type(op) && replace_with(op, op.operand(0), rewriter, rule);
}

bool drop_neutral(Operation& op, Rewriter& rewriter, std::string_view rule, double neutral) {
  return same_type(op) && is_splat(op.operand(1), neutral) && replace_with(op, op.operand(0), rewriter, rule);
}

bool multiply_by_one(Operation& op, Rewriter& rewriter, std::string_view rule) { return drop_neutral(op, rewriter, rule, 1); }

bool add_zero(Operation& op, Rewriter& rewriter, std::string_view rule) {
  return drop_neutral(op, rewriter, rule, is_float(op.operand(1)->dtype()) ? -0.0 : 0.0);
}

bool subtract_zero(Operation& op, Rewriter& rewriter, std::string_view rule) { return drop_neutral(op, rewriter, rule, 0.0); }

bool cancel_twice(Operation& op, Rewriter& rewriter, std::string_view rule) {
  const Operation* inner = defined_by(op.operand(0), op.name());
  return inner && replace_with(op, inner->operand(0), rewriter, rule);
}

bool apply_once(Operation& op, Rewriter& rewriter, std::string_view rule) {
  return defined_by(op.operand(0), op.name()) && replace_with(op, op.operand(0), rewriter, rule);
}

// The axes, or their reverse where the attribute is absent; nothing where the rank is unknown.
std::optional<std::vector<int64_t>> permutation_of(const Operation& op) {
  if (const Attribute* perm = op.attribute("perm")) {
    if (const auto* axes = perm->get<Attribute::Ints>()) return *axes;
    return std::nullopt;
  }
  if (!op.operand(0)->type().is_tensor()) return std::nullopt;
  std::vector<int64_t> axes;
  for (int i = op.operand(0)->rank() - 1; i >= 0; --i) axes.push_back(i);
  return axes;
}

bool transpose_identity(Operation& op, Rewriter& rewriter, std::string_view rule) {
  const auto axes = permutation_of(op);
  return axes && is_iota(*axes) && replace_with(op, op.operand(0), rewriter, rule);
}

bool transpose_of_transpose(Operation& op, Rewriter& rewriter, std::string_view rule) {
  Operation* inner = defined_by(op.operand(0), op.name());
  if (!inner) return false;
  const auto outer_axes = permutation_of(op), inner_axes = permutation_of(*inner);
  if (!outer_axes || !inner_axes || outer_axes->size() != inner_axes->size()) return false;
  std::vector<int64_t> axes;
  for (int64_t axis : *outer_axes) axes.push_back(inner_axes->at(static_cast<size_t>(axis)));
  return rewriter.apply(rule, {&op, inner}, [&](Rewrite& rewrite) {
    rewrite.set_operand(&op, 0, inner->operand(0));
    rewrite.set_attribute(&op, "perm", axes);
  });
}

bool concat_one(Operation& op, Rewriter& rewriter, std::string_view rule) {
  return op.operand_count() == 1 && replace_with(op, op.operand(0), rewriter, rule);
}

constexpr Rule rules[] = {
    {{"onnx-identity", "Identity(x) -> x"}, "onnx.Identity", drop_identity},
    {{"onnx-cast-identity", "Cast(x) -> x where the type stays"}, "onnx.Cast", drop_where_type_stays},
    {{"onnx-reshape-identity", "Reshape(x) -> x where the shape stays"}, "onnx.Reshape", drop_where_type_stays},
    {{"onnx-expand-identity", "Expand(x) -> x where the shape stays"}, "onnx.Expand", drop_where_type_stays},
    {{"onnx-multiply-by-one", "Mul(x, 1) -> x"}, "onnx.Mul", multiply_by_one},
    {{"onnx-divide-by-one", "Div(x, 1) -> x"}, "onnx.Div", multiply_by_one},
    {{"onnx-add-zero", "Add(x, -0.0) -> x; for integers Add(x, 0) -> x"}, "onnx.Add", add_zero},
    {{"onnx-subtract-zero", "Sub(x, 0) -> x"}, "onnx.Sub", subtract_zero},
    {{"onnx-negate-twice", "Neg(Neg(x)) -> x"}, "onnx.Neg", cancel_twice},
    {{"onnx-relu-twice", "Relu(Relu(x)) -> Relu(x)"}, "onnx.Relu", apply_once},
    {{"onnx-transpose-identity", "Transpose(x, 0..n-1) -> x"}, "onnx.Transpose", transpose_identity},
    {{"onnx-transpose-of-transpose", "Transpose(Transpose(x, p), q) -> Transpose(x, p[q])"}, "onnx.Transpose", transpose_of_transpose},
    {{"onnx-concat-one", "Concat(x) -> x"}, "onnx.Concat", concat_one},
};

}  // namespace

std::span<const Rule> framework_rules() { return rules; }

}  // namespace stele::canonical
