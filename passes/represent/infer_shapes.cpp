// infer-shapes: gives every result of a framework op the type that follows from its operands.
//
// A captured file says types where its exporter wrote them down: some are missing, some only name a dim that the operands
// know exactly. Needs: types of the arguments. Guarantees: every op that the registry knows, and whose operands have types,
// has them on its results; a declared type that cannot be is an error.
#include "passes/represent/passes.h"

namespace stele {
namespace {

constexpr std::string_view infer_type = "infer-type";

std::vector<Type> inferred_types(const Operation& op, const OpDef& def) {
  try {
    return def.infer(op);
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.find(op.name()) != std::string::npos) throw;
    fail("{}: {}", op.describe(), message);
  }
}

[[noreturn]] void contradiction(const Operation& op, unsigned i, const Type& declared, const Type& inferred) {
  fail("{}: result {} is declared as {}, but its operands make it {}", op.describe(), i, declared.str(), inferred.str());
}

// The inferred type where it says more; what was declared where nothing could be inferred.
Type refined(const Operation& op, unsigned i, const Type& inferred) {
  const Type& declared = op.result(i)->type();
  if (inferred.is_unknown()) return declared;
  if (declared.is_unknown()) return inferred;
  if (declared.kind != inferred.kind || declared.dtype != inferred.dtype || declared.rank() != inferred.rank()) {
    contradiction(op, i, declared, inferred);
  }
  for (size_t axis = 0; axis < inferred.shape.size(); ++axis) {
    const Dim &said = declared.shape[axis], &found = inferred.shape[axis];
    if (said.is_static() && found.is_static() && said != found) contradiction(op, i, declared, inferred);
  }
  return inferred;
}

// The types that the function's end now returns; a change of one must not part the function from its terminator.
void follow_in_function(Rewrite& rewrite, const Operation& op) {
  Function* function = op.function();
  const Operation* end = function->body().terminator();
  if (!end) return;
  std::vector<Type> types;
  for (const Value* value : end->operands()) types.push_back(value->type());
  if (types != function->result_types()) rewrite.set_result_types(*function, types);
}

void infer_op(Operation& op, const OpDef& def, Rewriter& rewriter) {
  const std::vector<Type> inferred = inferred_types(op, def);
  if (inferred.size() != op.result_count()) fail("{}: has {} results, expected {}", op.describe(), op.result_count(), inferred.size());
  std::vector<Type> types;
  bool changed = false;
  for (unsigned i = 0; i < op.result_count(); ++i) {
    types.push_back(refined(op, i, inferred.at(i)));
    changed = changed || types[i] != op.result(i)->type();
  }
  if (!changed) return;
  rewriter.apply(infer_type, {&op}, [&](Rewrite& rewrite) {
    for (unsigned i = 0; i < op.result_count(); ++i) rewrite.set_type(op.result(i), types[i]);
    follow_in_function(rewrite, op);
  });
}

void run_infer_shapes(PassContext& context) {
  for (const auto& function : context.module.functions()) {
    walk(function->body(), [&](Operation& op) {
      const OpDef* def = find_op(op.name());
      if (!def || def->level != Level::framework || !def->infer || context.rewriter.exhausted()) return;
      infer_op(op, *def, context.rewriter);
    });
  }
}

}  // namespace

const Pass infer_shapes = {
    .name = "infer-shapes",
    .summary = "give every result the type that follows from its operands",
    .stage = Stage::represent,
    .accepts = {Level::framework, Level::tensor},
    .produces = {Level::framework, Level::tensor},
    .contract = {Contract::exact},
    .rules = {{infer_type, "x : declared -> x : inferred, where that says more"}},
    .run = run_infer_shapes,
};

}  // namespace stele
