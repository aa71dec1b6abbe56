// stele run MODEL: executes a model as captured, compiled, or at any point between, and compares.

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/comparison_json.h"
#include "app/cli/compile_options.h"
#include "app/cli/replay.h"
#include "app/cli/table.h"
#include "app/compile/compile.h"
#include "app/compile/model.h"
#include "app/compile/runner.h"
#include "core/debug/inputs.h"
#include "core/debug/stops.h"
#include "passes/capture/open_model.h"
#include "passes/capture/tensor_file.h"
#include "passes/stacks/stele.h"

namespace stele::cli {
namespace {

struct Options {
  CompileArguments compile;
  std::string inputs, expect, through, at, save;
  int64_t seed = 1;
};

struct Judgement {
  std::string against;
  Comparison comparison;
};

Stop wanted_stop(const Options& options) {
  if (!options.at.empty()) return parse_stop(options.at, stele_pipeline());
  const Through through = options.through.empty() ? Through::eval : parse_through(options.through);
  if (through == Through::every || through == Through::rewrites) fail("--through {}: for stele test; run takes eval or cpu", options.through);
  return parse_stop(through == Through::cpu ? std::to_string(stele_pipeline().size()) : "0", stele_pipeline());
}

std::vector<Tensor> wanted_inputs(const Options& options, const Module& module, const Binding& given) {
  if (!options.inputs.empty()) return read_inputs(module.main(), options.inputs);
  InputOptions made;
  made.seed = static_cast<uint64_t>(options.seed);
  return make_inputs(module.main(), complete_binding(module, given), made);
}

std::vector<Judgement> judge(Subject& subject, const Stop& stop, const std::vector<Tensor>& outputs, const Expectations& expected) {
  std::vector<Judgement> judgements;
  const auto any = [](const std::vector<Tensor>& tensors) {
    return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) { return tensor.present(); });
  };
  if (any(expected.references)) judgements.push_back({"reference", subject.against_given(outputs, expected.references, stop.reassociations)});
  if (any(expected.outputs)) judgements.push_back({"output", subject.against_outputs(outputs, expected.outputs, stop.reassociations, !any(expected.references))});
  return judgements;
}

std::string output_name(const Module& module, size_t i) {
  const auto& names = module.main().output_names();
  return i < names.size() && !names[i].empty() ? names[i] : fmt::format("output {}", i);
}

std::string first_values(const Tensor& tensor) {
  std::string text;
  constexpr int64_t shown = 4;
  for (int64_t i = 0; i < std::min(shown, tensor.elements()); ++i) {
    text += is_float(tensor.dtype()) ? fmt::format("{}{:.6g}", i ? ", " : "", tensor.get(i)) : fmt::format("{}{}", i ? ", " : "", tensor.get_int(i));
  }
  return text + (tensor.elements() > shown ? ", …" : "");
}

Json output_json(const Module& module, size_t i, const Tensor& tensor) {
  Json json = {{"name", output_name(module, i)}, {"type", tensor.type().str()}, {"values", Json::array()}};
  constexpr int64_t most = 64;
  for (int64_t k = 0; k < std::min(most, tensor.elements()); ++k) {
    const double value = tensor.get(k);
    json["values"].push_back(!is_float(tensor.dtype()) ? Json(tensor.get_int(k)) : std::isfinite(value) ? Json(value) : Json(value_text(value)));
  }
  if (tensor.elements() > most) json["elided"] = tensor.elements() - most;
  return json;
}

void save_outputs(const std::string& folder, const Module& module, const std::vector<Tensor>& outputs) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("{}: {}", folder, error.message());
  for (size_t i = 0; i < outputs.size(); ++i) write_tensor(fmt::format("{}/output_{}.pb", folder, i), output_name(module, i), outputs[i]);
}

void print_result(const Module& module, const Stop& stop, const std::vector<Tensor>& outputs, const std::vector<Judgement>& judgements, double ms) {
  fmt::print("{} at {}: {:.2f} ms\n", module.name, stop.str(), ms);
  for (size_t i = 0; i < outputs.size(); ++i) {
    fmt::print("  {}: {}  {}\n", output_name(module, i), outputs[i].type().str(), first_values(outputs[i]));
  }
  for (const Judgement& judgement : judgements) fmt::print("  against {}: {}\n", judgement.against, judgement.comparison.str());
}

int run_model(const Options& options, const Context& context) {
  if (is_repro_file(options.compile.model)) return replay_file(options.compile.model, context);
  const PassOptions pass_options = options.compile.options();
  const Stop stop = wanted_stop(options);
  const std::shared_ptr<const Module> captured = load_model(options.compile.model);
  const auto runner = make_runner(pass_options.threads);
  const bool no_inputs = options.inputs.empty();
  if (no_inputs && !options.expect.empty()) fail("--expect {}: compares with what --inputs gives, which is missing", options.expect);
  const Binding given = no_inputs ? complete_binding(*captured, pass_options.binding) : pass_options.binding;
  Subject subject(captured, stele_pipeline(), pass_options, wanted_inputs(options, *captured, given), given, runner.get());
  Expectations expected;
  if (!options.expect.empty()) {
    expected = read_expectations(captured->main(), options.expect);
    if (expected.empty()) fail("{}: holds no output_0.pb and no reference_0.pb", options.expect);
  }
  const auto module = stop.pass == 0 ? captured : module_at(*captured, stele_pipeline(), subject.options(), stop);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Tensor> outputs = subject.execute(*module);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (!options.save.empty()) save_outputs(options.save, *captured, outputs);
  const std::vector<Judgement> judgements = judge(subject, stop, outputs, expected);
  bool matches = true;
  Json json = {{"model", options.compile.model}, {"at", stop.within ? fmt::format("{}.{}", stop.pass, stop.rewrites) : std::to_string(stop.pass)},
               {"pass", stop.name}, {"ms", ms}, {"outputs", Json::array()}, {"comparisons", Json::array()}};
  for (const Judgement& judgement : judgements) {
    matches &= judgement.comparison.ok();
    Json entry = comparison_json(judgement.comparison);
    entry["against"] = judgement.against;
    json["comparisons"].push_back(entry);
  }
  if (context.json) {
    for (size_t i = 0; i < outputs.size(); ++i) json["outputs"].push_back(output_json(*captured, i, outputs[i]));
    json["matches"] = judgements.empty() ? Json(nullptr) : Json(matches);
    print_json(json);
  } else {
    print_result(*captured, stop, outputs, judgements, ms);
  }
  return matches ? done : mismatch;
}

}  // namespace

Runner run_command(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("MODEL", options->compile.model, "a model, a session, or a repro (*.stele.txt), which is replayed");
  arguments.option("--inputs", options->inputs, "folder of input_0.pb … (or .npy, or inputs.npz); without it, made from --seed");
  arguments.option("--expect", options->expect, "folder of output_0.pb … and reference_0.pb … to compare with");
  arguments.option("--through", options->through, "eval (as captured) or cpu (compiled)");
  arguments.option("--at", options->at, "N: as snapshot N has it; N.K: before pass N, with the first K of its rewrites applied");
  arguments.option("--seed", options->seed, "of made-up inputs");
  arguments.option("--save", options->save, "write the outputs to this folder");
  options->compile.declare(arguments);
  return [options](const Context& context) { return run_model(*options, context); };
}

}  // namespace stele::cli
