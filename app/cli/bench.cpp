// stele bench MODEL…: how long a run takes, beside what the machine could do; --compile: how long compiling takes.

#include "profiler/bench.h"

#include <algorithm>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/compile_options.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "app/compile/compile.h"
#include "app/compile/model.h"
#include "core/debug/inputs.h"
#include "core/eval/interpreter.h"
#include "passes/capture/open_model.h"
#include "passes/codegen/executable.h"
#include "profiler/scoreboard.h"

namespace stele::cli {
namespace {

struct Options {
  CompileArguments compile;
  std::vector<std::string> models;
  bool compile_times = false;
};

// The folder's name says more than "model.onnx".
std::string short_name(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string stem = file.stem().string();
  return stem == "model" && file.has_parent_path() ? file.parent_path().filename().string() : stem.empty() ? file.parent_path().filename().string() : stem;
}

struct CompileTimes {
  double total_ms = 0, passes_ms = 0, keeping_ms = 0;
  double share() const { return total_ms > 0 ? keeping_ms / total_ms : 0; }
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The median of each time; every run makes a new session.
CompileTimes median_compile(const std::string& model, const PassOptions& options) {
  constexpr int runs = 15;
  std::vector<double> total, passes, keeping;
  const std::filesystem::path session = std::filesystem::temp_directory_path() / fmt::format("stele-bench-{}.stele", std::hash<std::string>{}(model));
  std::error_code ignored;
  for (int i = 0; i < runs; ++i) {
    std::filesystem::remove(session, ignored);
    CompileRequest request;
    request.model = model;
    request.output = session.string();
    request.options = options;
    const CompileResult result = compile_model(std::move(request));
    total.push_back(result.total_ms);
    passes.push_back(result.passes_ms);
    keeping.push_back(result.keeping_ms);
  }
  std::filesystem::remove(session, ignored);
  return {median(total), median(passes), median(keeping)};
}

// Sizes nobody gave are those of the test data beside the model, or 1.
std::vector<Tensor> bench_inputs(const std::string& model, const Module& captured, const PassOptions& options) {
  const std::vector<std::string> sets = data_sets(model);
  if (options.binding.empty() && !sets.empty()) return read_inputs(captured.main(), sets.front());
  Binding given = options.binding;
  for (const auto& [symbol, bounds] : captured.symbols) given.try_emplace(symbol, std::max<int64_t>(bounds.min, 1));
  return make_inputs(captured.main(), complete_binding(captured, given), {});
}

BenchRow bench_model(const std::string& model, const PassOptions& options, const Roofline& roofline) {
  const auto captured = load_model(model);
  const std::vector<Tensor> inputs = bench_inputs(model, *captured, options);
  const Binding binding = stele::bind(captured->main(), inputs, options.binding);
  CompileRequest request;
  request.model = model;
  request.options = options;
  const CompileResult compiled = compile_model(std::move(request));
  const auto executable = Executable::compile(compiled.snapshots.back().module, options.threads);
  const Scoreboard board = score(*compiled.snapshots.back().module, binding);
  const auto flops = static_cast<double>(board.flops.evaluate(binding)), bytes = static_cast<double>(board.hbm_bytes.evaluate(binding));
  return bench(short_name(model), [&] { executable->run(inputs); }, flops, bytes, roofline);
}

int bench_compiles(const Options& options, const Context& context) {
  Table table({{"model", Table::Align::left}, {"compile ms", Table::Align::right}, {"passes ms", Table::Align::right},
               {"keeping snapshots ms", Table::Align::right}, {"share", Table::Align::right}});
  Json json = {{"compiles", Json::array()}};
  for (const std::string& model : options.models) {
    const CompileTimes times = median_compile(model, options.compile.options());
    table.add({short_name(model), fmt::format("{:.1f}", times.total_ms), fmt::format("{:.1f}", times.passes_ms),
               fmt::format("{:.2f}", times.keeping_ms), fmt::format("{:.1f} %", 100 * times.share())});
    json["compiles"].push_back({{"name", short_name(model)}, {"ms", times.total_ms}, {"passes_ms", times.passes_ms},
                                {"keeping_ms", times.keeping_ms}, {"keeping_share", times.share()}});
  }
  if (context.json) {
    print_json(json);
  } else {
    std::fputs(table.str(context.colour).c_str(), stdout);
  }
  return done;
}

int run_bench(const Options& options, const Context& context) {
  if (options.models.empty()) fail("bench: no model is named");
  if (options.compile_times) return bench_compiles(options, context);
  const PassOptions pass_options = options.compile.options();
  const Roofline roofline = measure_roofline(pass_options.threads);
  Table table({{"model", Table::Align::left}, {"ms", Table::Align::right}, {"fastest", Table::Align::right}, {"GFLOP/s", Table::Align::right},
               {"GB/s", Table::Align::right}, {"roofline", Table::Align::right}, {"runs", Table::Align::right}});
  Json json = {{"machine", {{"threads", roofline.threads}, {"gflops", roofline.gflops}, {"gbs", roofline.gbs}}}, {"models", Json::array()}};
  for (const std::string& model : options.models) {
    const BenchRow row = bench_model(model, pass_options, roofline);
    table.add({row.name, fmt::format("{:.3f}", row.ms), fmt::format("{:.3f}", row.least_ms), fmt::format("{:.2f}", row.gflops),
               fmt::format("{:.2f}", row.gbs), fmt::format("{:.1f} %", 100 * row.roofline), std::to_string(row.runs)});
    json["models"].push_back({{"name", row.name}, {"ms", row.ms}, {"least_ms", row.least_ms}, {"gflops", row.gflops}, {"gbs", row.gbs},
                              {"roofline", row.roofline}, {"runs", row.runs}});
  }
  if (context.json) {
    print_json(json);
  } else {
    fmt::print("measured on {} threads: {:.0f} GFLOP/s, {:.1f} GB/s\n", roofline.threads, roofline.gflops, roofline.gbs);
    std::fputs(table.str(context.colour).c_str(), stdout);
  }
  return done;
}

}  // namespace

Runner bench_command(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("MODEL", options->models, "models to run, compiled, on made-up inputs");
  arguments.flag("--compile", options->compile_times, "time the compile instead, and what keeping the snapshots costs of it");
  options->compile.declare(arguments);
  return [options](const Context& context) { return run_bench(*options, context); };
}

}  // namespace stele::cli
