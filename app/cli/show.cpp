// stele show S [N] [--format F]: a session's scoreboard, or one snapshot in the form asked for.

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/scoreboard_table.h"
#include "app/cli/session_graph.h"
#include "app/cli/snapshot_forms.h"

namespace stele::cli {
namespace {

struct Options {
  std::string session;
  std::string snapshot;
  std::string format = "text";
};

int show_all(const Session& session, const Context& context) {
  const std::vector<SnapshotRow> rows = session.snapshots();
  if (context.json) {
    Json json = {{"title", session.title()}, {"stack", session.stack()}, {"complete", session.complete()}, {"snapshots", Json::array()}};
    for (const SnapshotRow& row : rows) json["snapshots"].push_back(snapshot_json(row));
    for (const char* key : {"model", "binding", "created", "target"}) {
      if (const auto value = session.meta(key)) json[key] = *value;
    }
    print_json(json);
    return done;
  }
  fmt::print("{} ({}){}\n", session.title(), session.stack(), session.complete() ? "" : ": the compile was cut short");
  std::fputs(scoreboard_table(rows, context.colour).c_str(), stdout);
  std::fputs(scoreboard_expressions(rows, session.meta("binding").value_or("")).c_str(), stdout);
  return done;
}

int run_show(const Options& options, const Context& context) {
  const auto session = Session::open(options.session);
  if (options.snapshot.empty()) {
    if (options.format != "text" && options.format != "json") fail("--format {}: of which snapshot?", options.format);
    Context as_json = context;
    as_json.json |= options.format == "json";
    return show_all(*session, as_json);
  }
  const int index = find_snapshot(*session, options.snapshot);
  if (context.json || options.format == "json") {
    print_json(snapshot_contents(*session, index));
  } else {
    const std::string text = snapshot_form(*session, index, options.format);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  return done;
}

}  // namespace

Runner show_command(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("SESSION", options->session, "a .stele file");
  arguments.positional("SNAPSHOT", options->snapshot, "its number, or the name of a pass", false);
  arguments.option("--format", options->format, "text, stablehlo, mlir, llvm, asm, dot or json (ptx and onnx are not there yet)");
  return [options](const Context& context) { return run_show(*options, context); };
}

}  // namespace stele::cli
