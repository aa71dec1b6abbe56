// stele compile MODEL [-o S.stele]: the pipeline, a snapshot a pass, the scoreboard a row a snapshot.

#include "app/compile/compile.h"

#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/compile_options.h"
#include "app/cli/progress.h"
#include "app/cli/scoreboard_table.h"

namespace stele::cli {
namespace {

struct Options {
  CompileArguments compile;
  std::string output;
  bool grad = false;
};

void print_table(const CompileResult& result, const std::string& output, bool colour) {
  std::fputs(scoreboard_table(result.rows, colour).c_str(), stdout);
  std::fputs(scoreboard_expressions(result.rows, binding_text(result.binding)).c_str(), stdout);
  if (!result.rows.empty() && result.rows.back().score.weight_bytes >= 0) {
    fmt::print("weights {} bytes, listed apart\n", result.rows.back().score.weight_bytes);
  }
  fmt::print("{:.1f} ms in all, passes {:.1f} ms", result.total_ms, result.passes_ms);
  if (!output.empty()) fmt::print(", keeping snapshots {:.1f} ms\n{}: {} snapshots", result.keeping_ms, output, result.rows.size());
  fmt::print("\n");
}

Json to_json(const CompileResult& result, const Options& options) {
  Json json = {{"model", options.compile.model}, {"snapshots", Json::array()}};
  for (const SnapshotRow& row : result.rows) json["snapshots"].push_back(snapshot_json(row));
  json["binding"] = Json(result.binding);
  json["ms"] = {{"total", result.total_ms}, {"read", result.read_ms}, {"passes", result.passes_ms}, {"keeping", result.keeping_ms},
                {"writing", result.writing_ms}};
  if (!options.output.empty()) json["session"] = options.output;
  return json;
}

// Compiles; where that fails, no session of part of a compile is left behind (an older one at the path stays).
CompileResult compile_whole(CompileRequest request) {
  const std::string output = request.output;
  const bool fresh = !output.empty() && !std::filesystem::exists(output);
  try {
    return compile_model(std::move(request));
  } catch (...) {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm"}) {
      if (fresh) std::filesystem::remove(output + suffix, ignored);
    }
    throw;
  }
}

int run_compile(const Options& options, const Context& context) {
  if (options.grad) fail("--grad: gradients are not there yet");
  CompileRequest request;
  request.model = options.compile.model;
  request.output = options.output;
  request.options = options.compile.options();
  ProgressBar bar(context);
  request.on_progress = [&](int index, int total, std::string_view pass) { bar.show(index, total, pass); };
  const CompileResult result = compile_whole(std::move(request));
  bar.clear();
  if (context.json) {
    print_json(to_json(result, options));
  } else {
    print_table(result, options.output, context.colour);
  }
  return done;
}

}  // namespace

Runner compile_command(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("MODEL", options->compile.model, "an ONNX file, or a program as text");
  arguments.option("-o,--output", options->output, "write the session, every snapshot of it, to this file");
  options->compile.declare(arguments);
  arguments.flag("--grad", options->grad, "differentiate the model first");
  return [options](const Context& context) { return run_compile(*options, context); };
}

}  // namespace stele::cli
