// A model under test: its captured graph, inputs, reference, and how much rounding its results may show.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/debug/bound.h"
#include "core/debug/compare.h"
#include "core/eval/interpreter.h"
#include "core/pass/pipeline.h"

namespace stele {

class Subject {
 public:
  // `given` are sizes of dims that the inputs do not tell; `runner` (may be null) executes LLVM IR and machine code.
  // Throws Error where inputs and the model's arguments do not agree.
  Subject(std::shared_ptr<const Module> captured, const Pipeline& pipeline, const PassOptions& options, std::vector<Tensor> inputs,
          const Binding& given = {}, KernelRunner* runner = nullptr);

  // Runs main on the inputs; every call is counted. Throws Error where the module cannot be executed.
  std::vector<Tensor> execute(const Module& module, bool wide = false);
  std::vector<Tensor> execute(const Module& module, const std::vector<Tensor>& inputs, bool wide = false);
  int64_t executions() const { return executions_; }
  // Other values of the free dims for executions from here on, of modules and inputs of other sizes; returns those before.
  Binding rebind(Binding binding);

  // The captured graph with every float as f64; outputs that somebody gave stand in its place (set_reference).
  const std::vector<Tensor>& reference();
  // The captured graph in its own types.
  const std::vector<Tensor>& narrow();
  void set_reference(std::vector<Tensor> outputs);  // absent ones are computed

  const RoundingModel& rounding();
  // Results against the reference; `reassociations` passes have been over the module since it was captured.
  Comparison against_reference(const std::vector<Tensor>& outputs, int reassociations);
  // Results against those of the module before, under a pass's contract.
  Comparison against_predecessor(const std::vector<Tensor>& outputs, const std::vector<Tensor>& before, const Contract& contract);
  // Results against what another runtime computed in the model's own types. `alone`: with no float64 reference beside it that
  // would be held to more tightly; the quality of the other runtime's functions is not known then.
  Comparison against_outputs(const std::vector<Tensor>& outputs, const std::vector<Tensor>& expected, int reassociations, bool alone);
  // Results against the given float64 outputs.
  Comparison against_given(const std::vector<Tensor>& outputs, const std::vector<Tensor>& references, int reassociations);

  const Module& captured() const { return *captured_; }
  const Pipeline& pipeline() const { return pipeline_; }
  const PassOptions& options() const { return options_; }
  const std::vector<Tensor>& inputs() const { return inputs_; }
  const Binding& binding() const { return binding_; }
  KernelRunner* runner() const { return runner_; }

 private:
  std::shared_ptr<const Module> captured_;
  const Pipeline& pipeline_;
  PassOptions options_;
  std::vector<Tensor> inputs_;
  Binding binding_;
  KernelRunner* runner_;
  int64_t executions_ = 0;
  std::vector<Tensor> given_;
  const std::vector<Tensor>& wide();  // the captured graph in f64, whatever was given
  std::optional<std::vector<Tensor>> reference_, narrow_, wide_;
  std::optional<RoundingModel> rounding_;
};

// Passes among the first `count` of the pipeline that do not keep every bit.
int reassociations(const Pipeline& pipeline, int count);

}  // namespace stele
