// stele fuzz: random valid graphs through the differential tester; what fails is reduced and written.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/compile_options.h"
#include "app/cli/json.h"
#include "app/cli/progress.h"
#include "app/compile/compile.h"
#include "app/compile/runner.h"
#include "core/debug/bisect.h"
#include "core/debug/generate.h"
#include "core/ir/text.h"
#include "passes/stacks/stele.h"

namespace stele::cli {
namespace {

struct Options {
  double seconds = 10;
  int64_t seed = 1, count = -1, ops = 12;
  std::string output = ".";
  CompileArguments compile;
};

struct Failure {
  uint64_t seed;
  std::string pass, rule, what, repro;
};

std::string save(const Options& options, uint64_t seed, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(options.output, error);
  const std::string path = fmt::format("{}/fuzz-{}.stele.txt", options.output, seed);
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) fail("{}: cannot be written", path);
  return path;
}

class Fuzzer {
 public:
  Fuzzer(const Options& options, const PassOptions& pass_options, KernelRunner* runner)
      : options_(options), pass_options_(pass_options), runner_(runner) {}

  void run_one(uint64_t seed) {
    GenerateOptions made;
    made.seed = seed;
    made.ops = static_cast<int>(options_.ops);
    made.symbolic = seed % 3 == 0;
    const std::shared_ptr<const Module> module = generate(made);
    verify(*module);
    InputOptions inputs;
    inputs.seed = seed;
    Binding binding;
    if (made.symbolic) binding["n"] = static_cast<int64_t>(1 + seed % 5);
    try {
      Subject subject(module, stele_pipeline(), pass_options_, make_inputs(module->main(), binding, inputs), binding, runner_);
      note(seed, *module, bisect(subject, {}));
    } catch (const Unavailable&) {
      throw;
    } catch (const Error& error) {
      failures_.push_back({seed, "", "", error.what(), save(options_, seed, print(*module))});
    }
  }

  const std::vector<Failure>& failures() const { return failures_; }

 private:
  void note(uint64_t seed, const Module& module, const BisectReport& report) {
    if (report.pass.empty() && report.deterministic) return;
    const std::string what = report.deterministic ? report.comparison.str() : "not deterministic";
    failures_.push_back({seed, report.pass, report.rule, what, save(options_, seed, report.repro.empty() ? print(module) : report.repro)});
  }

  const Options& options_;
  const PassOptions& pass_options_;
  KernelRunner* runner_;
  std::vector<Failure> failures_;
};

int run_fuzz(const Options& options, const Context& context) {
  if (options.ops < 1 || options.ops > 10000) fail("--ops {}: expected 1 to 10000", options.ops);
  const PassOptions pass_options = options.compile.options();
  const auto runner = make_runner(pass_options.threads);
  Fuzzer fuzzer(options, pass_options, runner.get());
  ProgressBar bar(context);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  int64_t graphs = 0;
  while (options.count >= 0 ? graphs < options.count : elapsed() < options.seconds) {
    bar.show(graphs, std::max<int64_t>(options.count, 0), fmt::format("graphs, {} failures", fuzzer.failures().size()));
    fuzzer.run_one(static_cast<uint64_t>(options.seed + graphs++));
  }
  bar.clear();
  Json json = {{"graphs", graphs}, {"seed", options.seed}, {"failed", fuzzer.failures().size()}, {"failures", Json::array()}};
  for (const Failure& failure : fuzzer.failures()) {
    json["failures"].push_back({{"seed", failure.seed}, {"pass", failure.pass}, {"rule", failure.rule}, {"what", failure.what}, {"repro", failure.repro}});
    if (!context.json) fmt::print("seed {}: {}{}{}: {}\n  {}\n", failure.seed, failure.pass, failure.rule.empty() ? "" : "/", failure.rule, failure.what, failure.repro);
  }
  if (context.json) {
    print_json(json);
  } else {
    fmt::print("{} graphs from seed {}, {} failed\n", graphs, options.seed, fuzzer.failures().size());
  }
  return fuzzer.failures().empty() ? done : mismatch;
}

}  // namespace

Runner fuzz_command(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.option("--seconds", options->seconds, "how long");
  arguments.option("--count", options->count, "graphs, in place of seconds");
  arguments.option("--seed", options->seed, "of the first graph; the next has the next");
  arguments.option("--ops", options->ops, "ops a graph");
  arguments.option("-o,--output", options->output, "folder for what fails");
  options->compile.declare(arguments);
  return [options](const Context& context) { return run_fuzz(*options, context); };
}

}  // namespace stele::cli
