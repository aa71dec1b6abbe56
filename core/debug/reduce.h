// Makes a module that a pass breaks as small as it gets while the same rule still breaks it.
#pragma once

#include <set>

#include "core/debug/culprit.h"

namespace stele {

struct Reduced {
  std::unique_ptr<Module> module;
  std::vector<Tensor> inputs;
  std::vector<Tensor> expected;  // what the module gives before the pass
  Culprit culprit;
  Binding binding;               // the smallest values of free dims at which it breaks
  SuspectPass suspect;           // with the site at which the fault acts here
  size_t ops = 0;                // of main, constants and terminator left out
};

struct ReduceOptions {
  double seconds = 10;
  int64_t executions = 400;
};

// `before` is the module that `suspect` breaks on `inputs` by the rewrite `culprit`. Gives nothing where no part of the
// module breaks by itself, or the budget ends too soon.
std::optional<Reduced> reduce(Subject& subject, const Module& before, const std::vector<Tensor>& inputs, const SuspectPass& suspect,
                              const Culprit& culprit, const Contract& contract, const ReduceOptions& options);

// The ops `keep` of main in a module of their own, in order, with the constants they use: values from elsewhere become
// arguments, values used elsewhere results. `values` are the main values of a run, for the arguments' inputs.
struct Extract {
  std::unique_ptr<Module> module;
  std::vector<Tensor> inputs;
};
using RunValues = std::map<const Value*, Tensor>;
std::optional<Extract> extract(const Module& module, const std::set<const Operation*>& keep, const RunValues& values);

}  // namespace stele
