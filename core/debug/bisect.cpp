#include "core/debug/bisect.h"

namespace stele {
namespace {

// Places at which a fault is tried before it is left where it changes nothing that can be seen.
constexpr int most_sites = 12;

size_t count_ops(const Module& module) {
  size_t count = 0;
  for (const Operation& op : module.main().body()) {
    count += !has_trait(op, Trait::terminator) && !has_trait(op, Trait::constant);
  }
  return count;
}

class Bisection {
 public:
  Bisection(Subject& subject, const BisectOptions& options) : subject_(subject), options_(options) {}

  BisectReport run() {
    if (check_capture()) {
      std::shared_ptr<const Module> before = subject_.captured().clone();
      const auto total = static_cast<int>(subject_.pipeline().size());
      for (int index = 1; index <= total && report_.pass.empty(); ++index) {
        const Pass& pass = *subject_.pipeline()[static_cast<size_t>(index - 1)].pass;
        if (options_.on_progress) options_.on_progress(index, total, pass.name);
        before = step(index, pass, before);
      }
      if (report_.pass.empty()) check_end(*before);
    }
    if (report_.executions == 0) report_.executions = subject_.executions();
    report_.executions_reducing = subject_.executions() - report_.executions;
    return std::move(report_);
  }

 private:
  // False where the search ends before it begins.
  bool check_capture() {
    outputs_ = subject_.narrow();
    if (!same(outputs_, subject_.execute(subject_.captured()))) {
      report_.deterministic = false;
      return false;
    }
    const Comparison comparison = subject_.against_reference(outputs_, 0);
    report_.checks.push_back({0, "capture", {}, comparison});
    if (comparison.ok()) return true;
    blame(0, "capture", "reference", comparison);
    return false;
  }

  void check_end(const Module& last) {
    const Outputs again = try_execute(subject_, last, subject_.inputs());
    report_.deterministic = again.failure.empty() && same(again.values, outputs_);
  }

  static bool same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    return compare_all(a, b, Tolerance::bitwise()).verdict == Verdict::equal;
  }

  struct Tried {
    SuspectPass suspect;
    PassOutcome outcome;
    Outputs outputs;
    SnapshotCheck check;
  };

  Tried try_pass(int index, const Pass& pass, const Module& before, const Fault* fault, int site) {
    Tried tried;
    tried.suspect = {&pass, fault, site};
    tried.outcome = run_suspect(before, tried.suspect, subject_.options());
    tried.check.index = index;
    tried.check.name = pass.name;
    if (!tried.outcome.failure.empty()) {
      tried.check.predecessor = invalid(tried.outcome.failure);
      return tried;
    }
    if (tried.outcome.events.empty()) {
      tried.outputs.values = outputs_;
      return tried;
    }
    tried.outputs = try_execute(subject_, *tried.outcome.module, subject_.inputs());
    if (!tried.outputs.failure.empty()) {
      tried.check.predecessor = invalid(tried.outputs.failure);
      return tried;
    }
    tried.check.predecessor = subject_.against_predecessor(tried.outputs.values, outputs_, pass.contract);
    tried.check.reference = subject_.against_reference(tried.outputs.values, reassociations(subject_.pipeline(), index));
    return tried;
  }

  // The pass with the fault at the first place where it can be seen; where it never can, at the first.
  Tried inject(int index, const Pass& pass, const Module& before) {
    Tried first = try_pass(index, pass, before, options_.fault, 0);
    if (!first.outcome.fault_applied || !passed(first.check)) return first;
    for (int site = 1; site < most_sites; ++site) {
      Tried other = try_pass(index, pass, before, options_.fault, site);
      if (!other.outcome.fault_applied) break;
      if (!passed(other.check)) return other;
    }
    return first;
  }

  static bool passed(const SnapshotCheck& check) { return check.predecessor.ok() && check.reference.ok(); }

  std::shared_ptr<const Module> step(int index, const Pass& pass, const std::shared_ptr<const Module>& before) {
    const bool here = options_.fault && !report_.applied && options_.fault->pass == pass.name;
    Tried tried = here ? inject(index, pass, *before) : try_pass(index, pass, *before, nullptr, 0);
    if (tried.outcome.fault_applied) {
      report_.applied = true;
      report_.injected_rule = tried.outcome.fault_rule;
      report_.injected_number = tried.outcome.fault_number;
      report_.injected_snapshot = index;
    }
    if (!tried.outcome.events.empty() || !passed(tried.check)) report_.checks.push_back(tried.check);
    if (passed(tried.check)) {
      outputs_ = std::move(tried.outputs.values);
      return std::move(tried.outcome.module);
    }
    const bool predecessor = !tried.check.predecessor.ok();
    blame(index, std::string(pass.name), predecessor ? "predecessor" : "reference", predecessor ? tried.check.predecessor : tried.check.reference);
    search_within(index, pass, *before, tried.suspect, predecessor);
    return before;
  }

  void blame(int index, const std::string& pass, const char* against, const Comparison& comparison) {
    report_.snapshot = index;
    report_.pass = pass;
    report_.against = against;
    report_.comparison = comparison;
    report_.verdict = comparison.verdict;
  }

  void search_within(int index, const Pass& pass, const Module& before, const SuspectPass& suspect, bool predecessor) {
    const Judge judge = [&](const std::vector<Tensor>& outputs) {
      return predecessor ? subject_.against_predecessor(outputs, outputs_, pass.contract)
                         : subject_.against_reference(outputs, reassociations(subject_.pipeline(), index));
    };
    const auto culprit = find_culprit(subject_, before, subject_.inputs(), suspect, judge);
    report_.ops_before = count_ops(before);
    report_.executions = subject_.executions();
    if (!culprit) return;
    report_.rule = culprit->rule;
    report_.number = culprit->number;
    report_.rewrite = culprit->event;
    report_.comparison = culprit->comparison;
    report_.verdict = culprit->comparison.verdict;
    make_repro(pass, before, suspect, *culprit, predecessor);
  }

  void make_repro(const Pass& pass, const Module& before, const SuspectPass& suspect, const Culprit& culprit, bool predecessor) {
    Repro repro;
    repro.pass = pass.name;
    repro.binding = subject_.binding();
    repro.options = subject_.options();
    repro.fault = suspect.fault ? std::string(suspect.fault->name) : "";
    repro.tolerance = predecessor ? contract_tolerance(pass.contract, subject_.rounding()) : culprit.comparison.tolerance;
    std::optional<Reduced> reduced;
    if (options_.reduce && predecessor) {
      reduced = reduce(subject_, before, subject_.inputs(), suspect, culprit, pass.contract, options_.reduction);
    }
    if (reduced) repro.options.binding = repro.binding = reduced->binding;
    const Culprit& found = reduced ? reduced->culprit : culprit;
    repro.module = reduced ? std::shared_ptr<const Module>(std::move(reduced->module)) : before.clone();
    repro.inputs = reduced ? reduced->inputs : subject_.inputs();
    repro.expected = reduced ? reduced->expected : predecessor ? outputs_ : subject_.reference();
    repro.site = reduced ? reduced->suspect.site : suspect.site;
    repro.rule = found.rule;
    repro.number = found.number;
    repro.verdict = name(found.comparison.verdict);
    repro.note = found.comparison.str();
    report_.ops_reduced = reduced ? reduced->ops : report_.ops_before;
    report_.repro = write_repro(repro);
  }

  Subject& subject_;
  const BisectOptions& options_;
  std::vector<Tensor> outputs_;  // of the last good snapshot
  BisectReport report_;
};

}  // namespace

BisectReport bisect(Subject& subject, const BisectOptions& options) { return Bisection(subject, options).run(); }

}  // namespace stele
