// stele bisect MODEL: the differential tester, on the model as it is or with a fault injected.

#include "core/debug/bisect.h"

#include <fstream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/comparison_json.h"
#include "app/cli/compile_options.h"
#include "app/cli/progress.h"
#include "app/cli/table.h"
#include "app/compile/compile.h"
#include "app/compile/faults.h"
#include "app/compile/model.h"
#include "app/compile/runner.h"
#include "core/debug/inputs.h"
#include "passes/capture/open_model.h"
#include "passes/stacks/stele.h"

namespace stele::cli {
namespace {

struct Options {
  CompileArguments compile;
  std::string inputs, expect, fault, output;
  int64_t seed = 1;
  double seconds = 10;
  bool list_faults = false;
};

int list_faults(const Context& context) {
  Json json = {{"faults", Json::array()}};
  Table table({{"fault", Table::Align::left}, {"pass", Table::Align::left}, {"what goes wrong", Table::Align::left}});
  for (const Fault& fault : all_faults()) {
    json["faults"].push_back({{"name", fault.name}, {"pass", fault.pass}, {"summary", fault.summary}});
    table.add({std::string(fault.name), std::string(fault.pass), std::string(fault.summary)});
  }
  if (context.json) {
    print_json(json);
  } else {
    std::fputs(table.str(context.colour).c_str(), stdout);
  }
  return done;
}

std::unique_ptr<Subject> make_subject(const Options& options, const PassOptions& pass_options, KernelRunner* runner) {
  const std::shared_ptr<const Module> captured = load_model(options.compile.model);
  if (!options.inputs.empty()) {
    return std::make_unique<Subject>(captured, stele_pipeline(), pass_options, read_inputs(captured->main(), options.inputs), pass_options.binding, runner);
  }
  InputOptions made;
  made.seed = static_cast<uint64_t>(options.seed);
  const Binding binding = complete_binding(*captured, pass_options.binding);
  return std::make_unique<Subject>(captured, stele_pipeline(), pass_options, make_inputs(captured->main(), binding, made), binding, runner);
}

// What is expected stands in for the float64 evaluation: the reference where there is one, else the output.
void use_expectations(Subject& subject, const std::string& folder) {
  const Expectations expected = read_expectations(subject.captured().main(), folder);
  if (expected.empty()) fail("{}: holds no output_0.pb and no reference_0.pb", folder);
  std::vector<Tensor> outputs = expected.references;
  for (size_t i = 0; i < outputs.size() && i < expected.outputs.size(); ++i) {
    if (!outputs[i].present()) outputs[i] = expected.outputs[i];
  }
  subject.set_reference(std::move(outputs));
}

Json to_json(const BisectReport& report, const Options& options, const std::string& repro) {
  Json json = {{"model", options.compile.model}, {"verdict", name(report.verdict)}};
  if (!report.deterministic) json["verdict"] = "not-deterministic";
  if (!options.fault.empty()) {
    json["inject"] = options.fault;
    json["applied"] = report.applied;
  }
  json["pass"] = report.pass.empty() ? Json(nullptr) : Json(report.pass);
  json["snapshot"] = report.snapshot < 0 ? Json(nullptr) : Json(report.snapshot);
  json["rewrite"] = report.rule.empty() ? Json(nullptr) : Json({{"rule", report.rule}, {"number", report.number}});
  json["element"] = nullptr;
  if (!report.comparison.element.empty() || (report.verdict != Verdict::equal && report.comparison.note.empty())) {
    json["element"] = {{"output", report.comparison.output}, {"index", report.comparison.element}};
    json["element"].update(comparison_json(report.comparison));
  }
  json["against"] = report.against;
  json["comparison"] = comparison_json(report.comparison);
  json["executions"] = report.executions;
  json["executions_reducing"] = report.executions_reducing;
  json["repro"] = repro.empty() ? Json(nullptr) : Json(repro);
  json["ops"] = {{"before", report.ops_before}, {"reduced", report.ops_reduced}};
  json["snapshots"] = Json::array();
  for (const SnapshotCheck& check : report.checks) {
    json["snapshots"].push_back({{"index", check.index}, {"name", check.name}, {"predecessor", comparison_json(check.predecessor)},
                                 {"reference", comparison_json(check.reference)}});
  }
  return json;
}

void print_checks(const BisectReport& report, bool colour) {
  Table table({{"#", Table::Align::right}, {"pass", Table::Align::left}, {"against the snapshot before", Table::Align::left},
               {"error", Table::Align::right}, {"against float64", Table::Align::left}, {"error", Table::Align::right}, {"bound", Table::Align::right}});
  const auto error = [](const Comparison& c) { return c.verdict == Verdict::equal ? std::string() : fmt::format("{:.2g}", c.error); };
  for (const SnapshotCheck& check : report.checks) {
    table.add({std::to_string(check.index), check.name, check.index == 0 ? "" : std::string(name(check.predecessor.verdict)), error(check.predecessor),
               std::string(name(check.reference.verdict)), error(check.reference),
               check.reference.tolerance.relative > 0 ? fmt::format("{:.2g}", check.reference.tolerance.relative) : ""});
  }
  std::fputs(table.str(colour).c_str(), stdout);
}

void print_report(const BisectReport& report, const Options& options, const std::string& repro, bool colour) {
  print_checks(report, colour);
  if (!options.fault.empty() && !report.applied) fmt::print("{}: found nothing to act on in this model\n", options.fault);
  if (!report.deterministic) {
    fmt::print("two runs of the same module gave different results: nothing to bisect\n");
  } else if (report.pass.empty()) {
    fmt::print("equal: every snapshot keeps its pass's contract\n");
    if (!report.checks.empty()) fmt::print("bound: {}\n", report.checks.back().reference.tolerance.str());
  } else {
    fmt::print("pass     {} (snapshot {}), against the {}\n", report.pass, report.snapshot, report.against);
    if (!report.rule.empty()) fmt::print("rewrite  {} (number {})\n", report.rule, report.number);
    fmt::print("verdict  {}\n", report.comparison.str());
    if (report.ops_before > 0) fmt::print("graph    {} ops, reduced to {}\n", report.ops_before, report.ops_reduced);
    if (!repro.empty()) fmt::print("repro    {}\n", repro);
  }
  fmt::print("{} executions", report.executions);
  if (report.executions_reducing > 0) fmt::print(", {} more to make the graph small", report.executions_reducing);
  fmt::print("\n");
}

std::string save_repro(const BisectReport& report, const Options& options) {
  if (report.repro.empty() || options.output.empty()) return "";
  std::ofstream stream(options.output, std::ios::binary);
  stream << report.repro;
  stream.close();
  if (!stream) fail("{}: cannot be written", options.output);
  return options.output;
}

int run_bisect(Options options, const Context& context) {
  if (options.list_faults) return list_faults(context);
  if (options.compile.model.empty()) fail("bisect: MODEL is missing");
  const PassOptions pass_options = options.compile.options();
  BisectOptions bisection;
  bisection.reduction.seconds = options.seconds;
  if (!options.fault.empty()) {
    bisection.fault = find_fault(all_faults(), options.fault);
    if (!bisection.fault) fail("--inject {}: no such fault (stele bisect --list-faults)", options.fault);
  }
  const auto runner = make_runner(pass_options.threads);
  const auto subject = make_subject(options, pass_options, runner.get());
  if (!options.expect.empty()) use_expectations(*subject, options.expect);
  ProgressBar bar(context);
  bisection.on_progress = [&](int index, int total, std::string_view pass) { bar.show(index, total, pass); };
  const BisectReport report = bisect(*subject, bisection);
  bar.clear();
  const std::string repro = save_repro(report, options);
  if (context.json) {
    print_json(to_json(report, options, repro));
  } else {
    print_report(report, options, repro, context.colour);
  }
  return report.pass.empty() && report.deterministic ? done : mismatch;
}

}  // namespace

Runner bisect_command(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("MODEL", options->compile.model, "a model", false);
  arguments.option("--inputs", options->inputs, "folder of inputs; without it, made from --seed");
  arguments.option("--expect", options->expect, "folder of expected outputs, in place of the float64 evaluation");
  arguments.option("--inject", options->fault, "damage one rewrite with this fault");
  arguments.flag("--list-faults", options->list_faults, "list the faults there are");
  arguments.option("-o,--output", options->output, "write the repro to this file (*.stele.txt)");
  arguments.option("--seed", options->seed, "of made-up inputs");
  arguments.option("--seconds", options->seconds, "to spend on making the graph smaller");
  options->compile.declare(arguments);
  return [options](const Context& context) { return run_bisect(*options, context); };
}

}  // namespace stele::cli
