// A repro: one text file with a module, inputs, what it should give, and the pass that makes it give something else.
//
// The module before the pass stands as IR text with its constants inline; private functions @inputs and @expected hold the
// tensors; lines "// key: value" at the top say the rest. open_model reads such a file as the module alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/debug/culprit.h"

namespace stele {

struct Repro {
  std::shared_ptr<const Module> module;  // main alone
  std::vector<Tensor> inputs;
  std::vector<Tensor> expected;
  std::string pass, rule;
  uint64_t number = 0;   // of the rewrite
  std::string fault;     // empty: none was injected
  int site = 0;
  std::string verdict;   // as it was found
  std::string note;      // the first wrong element, for people
  Binding binding;
  PassOptions options;
  Tolerance tolerance;
};

std::string write_repro(const Repro& repro);
// Whether text looks like a repro (its first line says so).
bool is_repro(std::string_view text);
// Throws Error naming the file.
Repro read_repro(std::string_view text, const std::string& file);

struct Replay {
  Comparison before;   // the module as it stands against what is expected
  Comparison after;    // after the pass
  bool fault_applied = false;
  std::optional<Culprit> culprit;
  int64_t executions = 0;
};
// Throws Error where the pass or the fault is not known.
Replay replay(const Repro& repro, const Pipeline& pipeline, std::span<const Fault> faults, KernelRunner* runner);

}  // namespace stele
