#include "core/debug/culprit.h"

namespace stele {
namespace {

struct Trial {
  PassOutcome outcome;
  Comparison comparison;
};

Trial try_fuel(Subject& subject, const Module& before, const std::vector<Tensor>& inputs, const SuspectPass& suspect, const Judge& judge,
               uint64_t fuel) {
  Trial trial{run_suspect(before, suspect, subject.options(), fuel), {}};
  if (!trial.outcome.failure.empty()) {
    trial.comparison = invalid(trial.outcome.failure);
    return trial;
  }
  const Outputs outputs = try_execute(subject, *trial.outcome.module, inputs);
  trial.comparison = outputs.failure.empty() ? judge(outputs.values) : invalid(outputs.failure);
  return trial;
}

}  // namespace

PassOutcome run_suspect(const Module& before, const SuspectPass& suspect, const PassOptions& options, uint64_t fuel) {
  PassOutcome outcome;
  std::optional<FaultInjector> injector;
  if (suspect.fault && suspect.fault->pass == suspect.pass->name) injector.emplace(*suspect.fault, suspect.site);
  const Rewriter::Listener listener = [&](Rewrite& rewrite, const RewriteEvent& event) {
    if (injector) (*injector)(rewrite, event);
    outcome.events.push_back(event);
  };
  try {
    outcome.module = run_prefix(before, *suspect.pass, fuel, options, listener);
    verify(*outcome.module);
  } catch (const Unavailable&) {
    throw;
  } catch (const Error& error) {
    outcome.failure = error.what();
  }
  if (injector && injector->applied()) {
    outcome.fault_applied = true;
    outcome.fault_rule = injector->rule();
    outcome.fault_number = injector->number();
  }
  return outcome;
}

Outputs try_execute(Subject& subject, const Module& module, const std::vector<Tensor>& inputs) {
  try {
    return {subject.execute(module, inputs), ""};
  } catch (const Unavailable&) {
    throw;
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

Comparison invalid(const std::string& why) {
  Comparison comparison;
  comparison.verdict = Verdict::invalid;
  comparison.note = why;
  return comparison;
}

std::optional<Culprit> find_culprit(Subject& subject, const Module& before, const std::vector<Tensor>& inputs, const SuspectPass& suspect,
                                    const Judge& judge) {
  Trial broken = try_fuel(subject, before, inputs, suspect, judge, unlimited_fuel);
  if (broken.comparison.ok() || broken.outcome.events.empty()) return std::nullopt;
  Culprit culprit;
  culprit.events = broken.outcome.events;
  uint64_t good = 0, bad = culprit.events.size();
  while (bad - good > 1) {
    const uint64_t middle = good + (bad - good) / 2;
    Trial trial = try_fuel(subject, before, inputs, suspect, judge, middle);
    if (trial.comparison.ok()) {
      good = middle;
    } else {
      bad = middle;
      broken = std::move(trial);
    }
  }
  culprit.event = culprit.events[bad - 1];
  culprit.rule = culprit.event.rule;
  culprit.number = bad;
  culprit.comparison = std::move(broken.comparison);
  return culprit;
}

}  // namespace stele
