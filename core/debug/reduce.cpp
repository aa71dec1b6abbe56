#include "core/debug/reduce.h"

#include <algorithm>
#include <chrono>

#include "core/ops/rules.h"

namespace stele {
namespace {

using Clock = std::chrono::steady_clock;
using Kept = std::set<const Operation*>;

class Reducer {
 public:
  Reducer(Subject& subject, const Module& before, const std::vector<Tensor>& inputs, const SuspectPass& suspect, const Culprit& culprit,
          const Contract& contract, const ReduceOptions& options)
      : subject_(subject), before_(before), inputs_(inputs), suspect_(suspect), culprit_(culprit), contract_(contract), options_(options),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds))),
        last_execution_(subject.executions() + options.executions) {}

  std::optional<Reduced> run() {
    if (!record_values()) return std::nullopt;
    Kept kept = grow();
    if (!best_) return std::nullopt;
    drop_ops(kept);
    const Binding original = subject_.binding();
    shrink_dims();
    simplify_inputs();
    subject_.rebind(original);
    return std::move(best_);
  }

 private:
  bool spent() const { return Clock::now() > end_ || subject_.executions() > last_execution_; }

  // The values of main on the inputs.
  bool record_values() {
    const Region& body = before_.main().body();
    for (unsigned i = 0; i < body.argument_count(); ++i) values_[body.argument(i)] = inputs_[i];
    EvalOptions options;
    options.runner = subject_.runner();
    options.on_op = [&](const Operation& op, const std::vector<Tensor>& results) {
      if (op.parent() != &body) return;
      for (unsigned i = 0; i < op.result_count() && i < results.size(); ++i) {
        // An arena ends with its run.
        values_[op.result(i)] = results[i].present() ? own_copy(results[i]) : results[i];
      }
    };
    try {
      stele::run(before_, before_.main(), inputs_, subject_.binding(), options);
    } catch (const Error&) {
      return false;
    }
    return true;
  }

  // The ops of main in `before_` that an id stands for, by way of the rewrites of the pass that made it.
  void add_ancestors(OpId id, std::set<OpId>& seen, Kept& kept) const {
    if (!seen.insert(id).second) return;
    if (const Operation* op = top_level(id)) {
      kept.insert(op);
      return;
    }
    for (const RewriteEvent& event : culprit_.events) {
      if (std::find(event.created.begin(), event.created.end(), id) == event.created.end()) continue;
      for (const OpId from : event.matched) add_ancestors(from, seen, kept);
    }
  }

  const Operation* top_level(OpId id) const {
    const Operation* found = nullptr;
    walk(before_.main().body(), [&](const Operation& op) {
      if (op.id() == id) found = &op;
    });
    while (found && found->parent_op()) found = found->parent_op();
    return found && !has_trait(*found, Trait::terminator) ? found : nullptr;
  }

  Kept matched_ops() const {
    Kept kept;
    std::set<OpId> seen;
    for (const OpId id : culprit_.event.matched) add_ancestors(id, seen, kept);
    for (const OpId id : culprit_.event.created) add_ancestors(id, seen, kept);
    for (const OpId id : culprit_.event.erased) add_ancestors(id, seen, kept);
    return kept;
  }

  static Kept neighbours(const Kept& kept) {
    Kept wider = kept;
    for (const Operation* op : kept) {
      for (const Value* operand : op->operands()) {
        const Operation* producer = operand->definition();
        if (producer && producer->parent() == op->parent()) wider.insert(producer);
      }
      for (const Value* result : op->results()) {
        for (const Use& use : result->uses()) {
          if (use.user->parent() == op->parent() && !has_trait(*use.user, Trait::terminator)) wider.insert(use.user);
        }
      }
    }
    return wider;
  }

  // From the matched ops outwards until the part breaks like the whole.
  Kept grow() {
    Kept kept = matched_ops();
    for (size_t size = 0; !spent(); size = kept.size(), kept = neighbours(kept)) {
      if (!kept.empty() && breaks(kept)) return kept;
      if (kept.size() == size) break;
    }
    // What the rewrite is about may not be what breaks: all of it, then.
    Kept all;
    for (const Operation& op : before_.main().body()) {
      if (!has_trait(op, Trait::terminator)) all.insert(&op);
    }
    if (!spent()) breaks(all);
    return all;
  }

  // Pieces first, then ops one by one, as long as something can go.
  void drop_ops(Kept& kept) {
    for (size_t piece = std::max<size_t>(1, kept.size() / 2);; piece = std::max<size_t>(1, piece / 2)) {
      bool dropped = false;
      std::vector<const Operation*> order(kept.begin(), kept.end());
      std::sort(order.begin(), order.end(), [](const Operation* a, const Operation* b) { return a->id() < b->id(); });
      for (size_t end = order.size(); end > 0 && !spent(); end = end > piece ? end - piece : 0) {
        Kept fewer = kept;
        for (size_t i = end > piece ? end - piece : 0; i < end; ++i) fewer.erase(order[i]);
        if (fewer.size() == kept.size() || fewer.empty() || !breaks(fewer)) continue;
        kept = std::move(fewer);
        dropped = true;
      }
      if (spent() || (piece == 1 && !dropped)) return;
    }
  }

  static size_t computing(const Kept& kept) {
    return static_cast<size_t>(std::count_if(kept.begin(), kept.end(), [](const Operation* op) { return !has_trait(*op, Trait::constant); }));
  }

  bool breaks(const Kept& kept) {
    std::optional<Extract> part = extract(before_, kept, values_);
    return part && try_part(std::move(part->module), std::move(part->inputs), computing(kept));
  }

  // A wrong value stays a wrong value: a part that cannot be run at all would show another fault than the whole.
  bool is_same_fault(const Culprit& culprit) const {
    const auto runs = [](const Culprit& c) { return c.comparison.verdict != Verdict::invalid; };
    return culprit.rule == culprit_.rule && runs(culprit) == runs(culprit_);
  }

  // Keeps the part where the same rule breaks it in the same way.
  bool try_part(std::unique_ptr<Module> module, std::vector<Tensor> inputs, size_t ops) {
    const Outputs expected = try_execute(subject_, *module, inputs);
    if (!expected.failure.empty()) return false;
    const Judge judge = [&](const std::vector<Tensor>& outputs) { return subject_.against_predecessor(outputs, expected.values, contract_); };
    for (const int site : {0, suspect_.site}) {
      SuspectPass suspect = suspect_;
      suspect.site = site;
      auto culprit = find_culprit(subject_, *module, inputs, suspect, judge);
      if (culprit && is_same_fault(*culprit)) {
        best_.emplace(Reduced{std::move(module), std::move(inputs), expected.values, std::move(*culprit), subject_.binding(), suspect, ops});
        return true;
      }
      if (!suspect_.fault || suspect_.site == 0) break;
    }
    return false;
  }

  // The smallest value of each free dim at which it still breaks, on the leading parts of the inputs.
  void shrink_dims() {
    for (const auto& [symbol, value] : Binding(subject_.binding())) {
      for (int64_t smaller = std::max<int64_t>(1, least(symbol)); smaller < value && smaller <= 8 && !spent(); ++smaller) {
        Binding binding = subject_.binding();
        binding[symbol] = smaller;
        std::optional<std::vector<Tensor>> inputs = leading_inputs(binding);
        if (!inputs) continue;
        const Binding before = subject_.rebind(binding);
        if (try_part(best_->module->clone(), std::move(*inputs), best_->ops)) break;
        subject_.rebind(before);
      }
    }
  }

  int64_t least(const std::string& symbol) const {
    const auto bounds = best_->module->symbols.find(symbol);
    return bounds == best_->module->symbols.end() ? 1 : bounds->second.min;
  }

  // Nothing where the sizes under the binding are not to be had from the inputs.
  std::optional<std::vector<Tensor>> leading_inputs(const Binding& binding) const {
    std::vector<Tensor> inputs;
    const Region& body = best_->module->main().body();
    for (unsigned i = 0; i < body.argument_count(); ++i) {
      try {
        inputs.push_back(leading_part(best_->inputs[i], evaluate(body.argument(i)->shape(), binding)));
      } catch (const Error&) {
        return std::nullopt;
      }
    }
    return inputs;
  }

  static Tensor leading_part(const Tensor& whole, const std::vector<int64_t>& sizes) {
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      if (sizes[axis] > whole.sizes()[axis]) fail("axis {} grows", axis);
    }
    Tensor part(whole.dtype(), sizes);
    const std::vector<int64_t> strides = whole.strides();
    for (Subscripts at(sizes); !at.done(); at.next()) {
      int64_t from = 0;
      for (size_t axis = 0; axis < strides.size(); ++axis) from += at[axis] * strides[axis];
      if (is_float(whole.dtype())) {
        part.set(at.linear(), whole.get(from));
      } else {
        part.set_int(at.linear(), whole.get_int(from));
      }
    }
    return part;
  }

  // Small whole numbers in place of each input's floats, where it still breaks.
  void simplify_inputs() {
    for (size_t i = 0; i < best_->inputs.size() && !spent(); ++i) {
      if (!is_float(best_->inputs[i].dtype())) continue;
      std::vector<Tensor> inputs = best_->inputs;
      Tensor simple(inputs[i].dtype(), inputs[i].sizes());
      for (int64_t k = 0; k < simple.elements(); ++k) simple.set(k, static_cast<double>(k % 7) - 3);
      inputs[i] = std::move(simple);
      try_part(best_->module->clone(), std::move(inputs), best_->ops);
    }
  }

  Subject& subject_;
  const Module& before_;
  const std::vector<Tensor>& inputs_;
  SuspectPass suspect_;
  const Culprit& culprit_;
  Contract contract_;
  ReduceOptions options_;
  Clock::time_point end_;
  int64_t last_execution_;
  RunValues values_;
  std::optional<Reduced> best_;
};

}  // namespace

std::optional<Reduced> reduce(Subject& subject, const Module& before, const std::vector<Tensor>& inputs, const SuspectPass& suspect,
                              const Culprit& culprit, const Contract& contract, const ReduceOptions& options) {
  return Reducer(subject, before, inputs, suspect, culprit, contract, options).run();
}

}  // namespace stele
