#include <algorithm>

#include "core/ir/verify.h"
#include "core/ops/all_ops.h"
#include "core/ops/op_def.h"

namespace stele {
namespace {

std::vector<const OpDef*> collect() {
  std::vector<const OpDef*> ops;
  for (const auto& family : op_families()) {
    for (const OpDef& op : family()) ops.push_back(&op);
  }
  std::sort(ops.begin(), ops.end(), [](const OpDef* a, const OpDef* b) { return a->name < b->name; });
  return ops;
}

bool is_framework_name(std::string_view name) { return name.starts_with("onnx.") || name.starts_with("aten."); }

void verify_arity(const Operation& op, const OpDef& def) {
  size_t least = 0;
  bool variadic = false;
  for (const OperandDef& operand : def.operands) {
    if (operand.kind == OperandDef::one) ++least;
    if (operand.kind == OperandDef::variadic) variadic = true;
  }
  const size_t given = op.operand_count(), most = def.operands.size();
  if (given < least || (!variadic && given > most)) {
    fail("{}: {} operands given, expected {}{}", op.describe(), given, least, variadic ? " or more" : most > least ? fmt::format(" to {}", most) : "");
  }
  for (const AttributeDef& attribute : def.attributes) {
    if (attribute.required && !op.has(attribute.name)) fail("{}: attribute '{}' is missing", op.describe(), attribute.name);
  }
}

void verify_op(const Operation& op) {
  const OpDef* def = find_op(op.name());
  if (!def) {
    if (is_framework_name(op.name())) return;
    fail("{}: no such op", op.describe());
  }
  verify_arity(op, *def);
  if (def->verify) def->verify(op);
}

}  // namespace

std::string_view name(Level level) {
  constexpr std::string_view names[] = {"framework", "tensor", "kernel", "loop", "llvm", "machine"};
  return names[static_cast<size_t>(level)];
}

std::span<const OpDef* const> all_ops() {
  static const std::vector<const OpDef*> ops = collect();
  return ops;
}

const OpDef* find_op(std::string_view name) {
  const auto ops = all_ops();
  auto found = std::lower_bound(ops.begin(), ops.end(), name, [](const OpDef* op, std::string_view n) { return op->name < n; });
  return found != ops.end() && (*found)->name == name ? *found : nullptr;
}

const OpDef& op_def(const Operation& op) {
  if (const OpDef* def = find_op(op.name())) return *def;
  const std::string domain = op.get_or<std::string>("domain", "");
  fail("{}: op is not known{}", op.describe(), domain.empty() ? "" : " (domain '" + domain + "')");
}

bool has_trait(const Operation& op, Trait trait) {
  const OpDef* def = find_op(op.name());
  return def && has(def->traits, trait);
}

Level level_of(const Operation& op) {
  if (const OpDef* def = find_op(op.name())) return def->level;
  return is_framework_name(op.name()) ? Level::framework : Level::tensor;
}

Level level_of(const Module& module) {
  Level lowest = Level::framework;
  bool any = false;
  for (const auto& function : module.functions()) {
    for (const Operation& op : function->body()) {
      if (has_trait(op, Trait::terminator) || has_trait(op, Trait::constant)) continue;
      lowest = std::max(lowest, level_of(op));
      any = true;
    }
  }
  return any ? lowest : Level::tensor;
}

Operation* create_inferred(Builder& builder, std::string_view name, std::vector<Value*> operands, unsigned results,
                           Attributes attributes, unsigned regions) {
  class Typed : public Builder {
   public:
    using Builder::Builder;
    void set(Value* value, Type type) { do_set_type(value, std::move(type)); }
  };
  Operation* op = builder.create(name, std::move(operands), std::vector<Type>(results, Type::unknown()), std::move(attributes), regions);
  const OpDef& def = op_def(*op);
  if (!def.infer) fail("{}: has no shape inference", op->describe());
  const std::vector<Type> types = def.infer(*op);
  Typed typed(builder.module());
  for (unsigned i = 0; i < results; ++i) typed.set(op->result(i), types.at(i));
  return op;
}

Value* infer_value(Builder& builder, std::string_view name, std::vector<Value*> operands, Attributes attributes) {
  return create_inferred(builder, name, std::move(operands), 1, std::move(attributes))->result();
}

const Tensor* constant_of(const Value* value) {
  const Operation* op = value ? value->definition() : nullptr;
  if (!op || !has_trait(*op, Trait::constant)) return nullptr;
  const Attribute* attribute = op->attribute("value");
  return attribute ? attribute->get<Tensor>() : nullptr;
}

void verify(const Module& module) {
  verify_structure(module);
  walk(module, verify_op);
}

}  // namespace stele
