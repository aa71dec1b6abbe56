// Finds the rewrite within a pass that breaks a module.
#pragma once

#include <optional>

#include "core/debug/faults.h"
#include "core/debug/subject.h"

namespace stele {

// A pass as it is run under test: with a fault injected or without.
struct SuspectPass {
  const Pass* pass = nullptr;
  const Fault* fault = nullptr;  // null: none
  int site = 0;                  // where the fault acts, from 0
};

struct PassOutcome {
  std::unique_ptr<Module> module;
  std::vector<RewriteEvent> events;
  bool fault_applied = false;
  std::string fault_rule;     // the rewrite in which it was
  uint64_t fault_number = 0;
  std::string failure;  // why the module cannot be used: the pass threw, or it does not verify
};

// The pass, or the first `fuel` rewrites of it, on a copy of `before`; verified.
PassOutcome run_suspect(const Module& before, const SuspectPass& suspect, const PassOptions& options, uint64_t fuel = unlimited_fuel);

// What a module gives on some inputs, or why it gives nothing.
struct Outputs {
  std::vector<Tensor> values;
  std::string failure;
};
Outputs try_execute(Subject& subject, const Module& module, const std::vector<Tensor>& inputs);

// A comparison of the verdict invalid.
Comparison invalid(const std::string& why);

struct Culprit {
  std::string rule;
  uint64_t number = 0;
  RewriteEvent event;
  std::vector<RewriteEvent> events;  // all of the pass
  Comparison comparison;             // right after that rewrite
};

// Decides whether outputs are broken.
using Judge = std::function<Comparison(const std::vector<Tensor>& outputs)>;

// The first rewrite found at which the outputs turn from good to broken, by bisection on fuel: about log2 of the number of
// rewrites executions. Nothing where the whole pass breaks nothing.
std::optional<Culprit> find_culprit(Subject& subject, const Module& before, const std::vector<Tensor>& inputs, const SuspectPass& suspect,
                                    const Judge& judge);

}  // namespace stele
