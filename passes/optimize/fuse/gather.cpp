// Gathers ops into a kernel.fusion: each rewrite makes the fusion anew with one op more. Ops are moved, not copied, so
// they keep their ids.
#include "passes/optimize/fuse/fuse.h"

namespace stele::fusion {
namespace {

// The body that is to be: its ops in order (the newcomer first or last), and the fusion it replaces, if there is one.
struct Draft {
  std::vector<Operation*> ops;
  Operation* old = nullptr;
  Operation* joining = nullptr;
  Join join = Join::consumer;
};

bool contains(const std::vector<Operation*>& ops, const Operation* op) { return std::find(ops.begin(), ops.end(), op) != ops.end(); }

// The value inside that an operand of the body means: results of the fusion that is replaced are what it yields.
Value* inner_of(const Draft& draft, Value* value) {
  if (draft.old && value->definition() == draft.old) return draft.old->region().terminator()->operand(value->index());
  return value;
}

class Remake {
 public:
  Remake(Rewrite& rewrite, const Draft& draft, std::string_view kind) : rewrite_(rewrite), draft_(draft), kind_(kind) {}

  Operation* run(const std::vector<Operation*>& sources) {
    collect_operands();
    collect_outputs();
    make_fusion(sources);
    move_ops();
    connect();
    finish();
    return fusion_;
  }

 private:
  // What an operand is outside: the replaced fusion's own operand where it is one of its arguments.
  Value* outer_of(Value* value) const {
    if (draft_.old && value->argument_of() == &draft_.old->region()) return draft_.old->operand(value->index());
    return value;
  }

  bool is_inside_body(const Value* value) const { return value->definition() && contains(draft_.ops, value->definition()); }

  void collect_operands() {
    for (Operation* op : draft_.ops) {
      for (Value* operand : op->operands()) {
        Value* outer = outer_of(inner_of(draft_, operand));
        if (is_inside_body(outer) || (outer->definition() && is_splat_constant(*outer->definition()))) continue;
        if (std::find(operands_.begin(), operands_.end(), outer) == operands_.end()) operands_.push_back(outer);
      }
    }
  }

  // Users that neither move into the body nor are the body's own.
  bool used_outside(const Value* value) const {
    return std::any_of(value->uses().begin(), value->uses().end(), [&](const Use& use) {
      const bool yields = draft_.old && use.user == draft_.old->region().terminator();
      return !yields && use.user != draft_.old && !contains(draft_.ops, use.user);
    });
  }

  void collect_outputs() {
    if (draft_.old) {
      for (Value* result : draft_.old->results()) {
        if (used_outside(result)) outputs_.emplace_back(inner_of(draft_, result), result);
      }
    }
    for (Operation* op : draft_.ops) {
      const bool is_new = op == draft_.joining ? draft_.join != Join::copy : !draft_.old;
      if (!is_new) continue;
      for (Value* result : op->results()) {
        if (used_outside(result)) outputs_.emplace_back(result, result);
      }
    }
  }

  void make_fusion(const std::vector<Operation*>& sources) {
    std::vector<OpId> origin;
    for (const Operation* source : sources) {
      if (source == draft_.old) {
        origin.insert(origin.end(), source->derived_from().begin(), source->derived_from().end());
      } else {
        origin.push_back(source->id());
      }
    }
    Operation* named = draft_.join == Join::consumer ? draft_.joining : sources.front();
    rewrite_.set_origin(origin, named->label());
    rewrite_.before(named);
    std::vector<Type> types;
    for (const auto& [inner, outer] : outputs_) types.push_back(inner->type());
    fusion_ = rewrite_.create("kernel.fusion", operands_, types, {{"kind", std::string(kind_)}}, 1);
    for (Value* operand : operands_) rewrite_.add_argument(fusion_->region(), operand->type(), operand->name());
    for (unsigned i = 0; i < outputs_.size(); ++i) rewrite_.set_name(fusion_->result(i), outputs_[i].second->name());
  }

  void move_ops() {
    for (Operation* op : draft_.ops) {
      if (draft_.join == Join::copy && op == draft_.joining) {
        rewrite_.at_end(fusion_->region());
        rewrite_.set_origin({op->id()}, op->label());
        ValueMap mapping;
        copy_ = rewrite_.clone(*op, mapping);
        bodies_.push_back(copy_);
      } else {
        rewrite_.move_to_end(op, fusion_->region());
        bodies_.push_back(op);
      }
    }
  }

  Value* inside(Value* operand) {
    Value* outer = outer_of(inner_of(draft_, operand));
    if (copy_ && outer->definition() == draft_.joining) return copy_->result(outer->index());
    if (is_inside_body(outer)) return outer;
    auto found = std::find(operands_.begin(), operands_.end(), outer);
    if (found != operands_.end()) return fusion_->region().argument(static_cast<unsigned>(found - operands_.begin()));
    return constant_inside(*outer->definition());
  }

  Value* constant_inside(const Operation& constant) {
    for (Operation& op : fusion_->region()) {
      if (op.name() == constant.name() && op.result()->type() == constant.result()->type() && op.attributes() == constant.attributes()) {
        if (&op != fusion_->region().first()) rewrite_.move_before(&op, fusion_->region().first());  // before the newcomer, too
        return op.result();
      }
    }
    rewrite_.before(fusion_->region().first());
    rewrite_.set_origin({constant.id()}, constant.label());
    ValueMap mapping;
    return rewrite_.clone(constant, mapping)->result();
  }

  void connect() {
    for (Operation* op : bodies_) {
      for (unsigned i = 0; i < op->operand_count(); ++i) {
        Value* const before = op->operand(i);
        Value* const after = inside(before);
        if (before == after) continue;
        rewrite_.set_operand(op, i, after);
        Operation* constant = before->definition();
        if (constant && is_splat_constant(*constant)) note_left(constant);
      }
    }
  }

  void finish() {
    rewrite_.set_origin(fusion_->derived_from());
    rewrite_.at_end(fusion_->region());
    std::vector<Value*> yielded;
    for (const auto& [inner, outer] : outputs_) yielded.push_back(inner);
    if (draft_.old) rewrite_.erase(draft_.old->region().terminator());
    for (unsigned i = 0; i < outputs_.size(); ++i) replace_outside(outputs_[i].second, fusion_->result(i));
    rewrite_.create("kernel.yield", yielded, {});
    if (draft_.old) rewrite_.erase(draft_.old);
    if (draft_.join == Join::copy) note_left(draft_.joining);
    for (Operation* op : left_) {
      if (op->unused()) rewrite_.erase(op);
    }
  }

  void note_left(Operation* op) {
    if (!contains(left_, op)) left_.push_back(op);
  }

  void replace_outside(Value* from, Value* to) {
    const std::vector<Use> uses = from->uses();
    for (const Use& use : uses) {
      if (!is_inside(use.user->parent(), fusion_)) rewrite_.set_operand(use.user, use.operand, to);
    }
  }

  Rewrite& rewrite_;
  const Draft& draft_;
  std::string_view kind_;
  std::vector<Value*> operands_;                       // outside
  std::vector<std::pair<Value*, Value*>> outputs_;     // inside, and what stood for it outside
  std::vector<Operation*> bodies_;                     // the ops in the new body
  std::vector<Operation*> left_;                       // outside, maybe without a use now
  Operation* fusion_ = nullptr;
  Operation* copy_ = nullptr;
};

Draft draft_of(Operation* current, const Step& step, bool is_fusion) {
  Draft draft;
  draft.old = is_fusion ? current : nullptr;
  draft.joining = step.op;
  draft.join = step.join;
  if (step.join != Join::consumer) draft.ops.push_back(step.op);
  if (is_fusion) {
    for (Operation* op : current->region().ops()) {
      if (op != current->region().terminator()) draft.ops.push_back(op);
    }
  } else {
    draft.ops.push_back(current);
  }
  if (step.join == Join::consumer) draft.ops.push_back(step.op);
  return draft;
}

}  // namespace

bool gather(const Group& group, Rewriter& rewriter, Order& order) {
  Operation* current = group.root;
  for (const Step& step : group.steps) {
    const std::vector<Operation*> matched = {current, step.op};
    Operation* made = nullptr;
    const size_t position = order.at(step.join == Join::consumer ? step.op : current);
    const bool applied = rewriter.apply(step.rule, matched, [&](Rewrite& rewrite) {
      const Draft draft = draft_of(current, step, current != group.root);
      made = Remake(rewrite, draft, group.kind).run(matched);
    });
    if (!applied) return false;
    current = made;
    order[made] = position;
  }
  return true;
}

}  // namespace stele::fusion
