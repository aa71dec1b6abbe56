// stele test DIR… [--through …]: folders of cases; ends with "N passed, N failed, N skipped".

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/compile_options.h"
#include "app/cli/json.h"
#include "app/cli/progress.h"
#include "app/compile/cases.h"
#include "app/compile/runner.h"

namespace stele::cli {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string through = "eval";
  int64_t samples = 8;
  int64_t seed = 1;
  CompileArguments compile;
};

int run_test(const Options& options, const Context& context) {
  StopOptions stops;
  stops.through = parse_through(options.through);
  stops.samples = static_cast<int>(options.samples);
  stops.seed = static_cast<uint64_t>(options.seed);
  if (options.samples < 0 || options.samples > 1000000) fail("--samples {}: expected 0 to 1000000", options.samples);
  const PassOptions pass_options = options.compile.options();
  const std::vector<TestCase> cases = find_cases(options.paths);
  const auto runner = make_runner(pass_options.threads);
  int64_t counts[3] = {0, 0, 0};
  Json list = Json::array();
  ProgressBar bar(context);
  int64_t at = 0;
  for (const TestCase& test : cases) {
    bar.show(at++, static_cast<int64_t>(cases.size()), test.name);
    const CaseResult result = run_case(test, stops, pass_options, runner.get());
    ++counts[static_cast<size_t>(result.status)];
    list.push_back({{"name", test.name}, {"status", name(result.status)}, {"why", result.why}, {"executions", result.executions}});
    bar.clear();
    if (!context.json) {
      fmt::print("{:<7}  {}  {}\n", name(result.status), test.name, result.why);
      std::fflush(stdout);
    }
  }
  if (context.json) {
    print_json({{"through", options.through}, {"passed", counts[0]}, {"failed", counts[1]}, {"skipped", counts[2]}, {"cases", list}});
  } else {
    fmt::print("{} passed, {} failed, {} skipped\n", counts[0], counts[1], counts[2]);
  }
  return counts[1] == 0 ? done : mismatch;
}

}  // namespace

Runner test_command(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("DIR", options->paths, "folders of cases (model.onnx with test_data_set_*), or models");
  arguments.option("--through", options->through, "eval, cpu, every (snapshot) or rewrites (prefixes inside every pass too)");
  arguments.option("--samples", options->samples, "prefixes drawn inside each pass, for rewrites");
  arguments.option("--seed", options->seed, "of what is drawn");
  options->compile.declare(arguments);
  return [options](const Context& context) { return run_test(*options, context); };
}

}  // namespace stele::cli
