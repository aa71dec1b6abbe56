#include "core/debug/subject.h"

namespace stele {
namespace {

// Index of the last pass before optimization begins: by then types are known and ops are those of the tensor level.
int last_of_represent(const Pipeline& pipeline) {
  int last = 0;
  for (size_t i = 0; i < pipeline.size(); ++i) {
    if (pipeline[i].pass->stage <= Stage::represent) last = static_cast<int>(i) + 1;
  }
  return last;
}

RoundingModel heavier(const RoundingModel& a, const RoundingModel& b) {
  return {std::max(a.epsilon, b.epsilon), std::max(a.chain, b.chain), std::max(a.longest, b.longest), 0};
}

}  // namespace

Subject::Subject(std::shared_ptr<const Module> captured, const Pipeline& pipeline, const PassOptions& options, std::vector<Tensor> inputs,
                 const Binding& given, KernelRunner* runner)
    : captured_(std::move(captured)), pipeline_(pipeline), options_(options), inputs_(std::move(inputs)),
      binding_(stele::bind(captured_->main(), inputs_, given)), runner_(runner) {
  options_.binding = binding_;
}

std::vector<Tensor> Subject::execute(const Module& module, bool wide) { return execute(module, inputs_, wide); }

std::vector<Tensor> Subject::execute(const Module& module, const std::vector<Tensor>& inputs, bool wide) {
  ++executions_;
  EvalOptions options;
  options.wide = wide;
  options.runner = runner_;
  return run(module, module.main(), inputs, binding_, options);
}

Binding Subject::rebind(Binding binding) {
  std::swap(binding, binding_);
  options_.binding = binding_;
  return binding;
}

const std::vector<Tensor>& Subject::wide() {
  if (!wide_) wide_ = execute(*captured_, true);
  return *wide_;
}

const std::vector<Tensor>& Subject::reference() {
  if (!reference_) {
    reference_ = wide();
    for (size_t i = 0; i < given_.size() && i < reference_->size(); ++i) {
      if (given_[i].present()) (*reference_)[i] = given_[i];
    }
  }
  return *reference_;
}

const std::vector<Tensor>& Subject::narrow() {
  if (!narrow_) narrow_ = execute(*captured_);
  return *narrow_;
}

void Subject::set_reference(std::vector<Tensor> outputs) {
  given_ = std::move(outputs);
  reference_.reset();
}

const RoundingModel& Subject::rounding() {
  if (rounding_) return *rounding_;
  RoundingModel model = rounding_model(*captured_, binding_);
  try {
    PipelineRun run;
    run.options = options_;
    run.keep_snapshots = false;
    run.stop_after = last_of_represent(pipeline_);
    model = heavier(model, rounding_model(*run_pipeline(captured_->clone(), pipeline_, run).back().module, binding_));
  } catch (const Error&) {
    // Not to be lowered: what is known of the captured graph must do.
  }
  model.own_error = compare_all(narrow(), wide(), {false, 0, ""}).error;
  return rounding_.emplace(model);
}

Comparison Subject::against_reference(const std::vector<Tensor>& outputs, int reassociations) {
  return compare_all(outputs, reference(), rounding_tolerance(rounding(), reassociations), &narrow());
}

Comparison Subject::against_predecessor(const std::vector<Tensor>& outputs, const std::vector<Tensor>& before, const Contract& contract) {
  return compare_all(outputs, before, contract_tolerance(contract, rounding()));
}

namespace {

// Whoever gave the outputs may have used functions that are good to single precision, whatever the type says.
Tolerance given_tolerance(const RoundingModel& model, int reassociations, bool alone) {
  Tolerance tolerance = rounding_tolerance(model, reassociations);
  const double least = alone ? 1e-4 : epsilon(DType::f32);
  if (tolerance.relative >= least) return tolerance;
  return {false, least, alone ? "of another runtime's outputs, with no float64 reference beside them" : "single precision, of outputs that were given"};
}

}  // namespace

Comparison Subject::against_outputs(const std::vector<Tensor>& outputs, const std::vector<Tensor>& expected, int reassociations,
                                    bool alone) {
  // The other runtime rounded too, in an order of its own.
  return compare_all(outputs, expected, given_tolerance(rounding(), reassociations + 1, alone), &narrow());
}

Comparison Subject::against_given(const std::vector<Tensor>& outputs, const std::vector<Tensor>& references, int reassociations) {
  return compare_all(outputs, references, given_tolerance(rounding(), reassociations, false), &narrow());
}

int reassociations(const Pipeline& pipeline, int count) {
  int found = 0;
  for (int i = 0; i < count && i < static_cast<int>(pipeline.size()); ++i) {
    found += pipeline[static_cast<size_t>(i)].pass->contract.kind != Contract::exact;
  }
  return found;
}

}  // namespace stele
