// stele diff S A B: what became of the ops between two snapshots.

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/session_graph.h"
#include "viz/diff.h"

namespace stele::cli {
namespace {

struct Options {
  std::string session, before, after;
};

std::string describe(const viz::Node& node) {
  return fmt::format("{:>6}  {}  {}{}{}", node.id, node.title, node.subtitle, node.label.empty() ? "" : "  ", node.label);
}

std::string id_list(const std::vector<OpId>& ids) {
  std::string text;
  for (const OpId id : ids) text += fmt::format("{}{}", text.empty() ? "" : " ", id);
  return text;
}

Json node_json(const viz::Node& node, const std::map<OpId, std::vector<OpId>>& links, const char* key) {
  Json json = {{"id", node.id}, {"name", node.title}, {"type", node.subtitle}};
  if (!node.label.empty()) json["label"] = node.label;
  const std::vector<OpId> others = viz::counterparts(links, node.id);
  if (!others.empty()) json[key] = others;
  return json;
}

int run_diff(const Options& options, const Context& context) {
  const auto session = Session::open(options.session);
  const int first = find_snapshot(*session, options.before), second = find_snapshot(*session, options.after);
  const viz::Graph before = graph_of(*session, first), after = graph_of(*session, second);
  const viz::Diff diff = viz::diff(before, after);
  Json json = {{"before", first}, {"after", second}, {"removed", Json::array()}, {"added", Json::array()}, {"changed", Json::array()}};
  json["same"] = diff.counts.same;
  for (size_t i = 0; i < before.nodes.size(); ++i) {
    if (diff.before[i] != viz::Change::removed) continue;
    const auto& node = before.nodes[i];
    json["removed"].push_back(node_json(node, diff.successors, "became"));
    const std::string became = id_list(viz::counterparts(diff.successors, node.id));
    if (!context.json) fmt::print("- {}{}\n", describe(node), became.empty() ? "" : "  -> " + became);
  }
  for (size_t i = 0; i < after.nodes.size(); ++i) {
    if (diff.after[i] == viz::Change::same) continue;
    const bool added = diff.after[i] == viz::Change::added;
    const auto& node = after.nodes[i];
    json[added ? "added" : "changed"].push_back(node_json(node, diff.predecessors, "from"));
    const std::string from = id_list(viz::counterparts(diff.predecessors, node.id));
    if (!context.json) fmt::print("{} {}{}\n", added ? '+' : '~', describe(node), added && !from.empty() ? "  <- " + from : "");
  }
  if (context.json) {
    print_json(json);
  } else {
    fmt::print("{} removed, {} added, {} changed, {} the same\n", diff.counts.removed, diff.counts.added, diff.counts.changed, diff.counts.same);
  }
  return done;
}

}  // namespace

Runner diff_command(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("SESSION", options->session, "a .stele file");
  arguments.positional("A", options->before, "a snapshot, by number or pass");
  arguments.positional("B", options->after, "another");
  return [options](const Context& context) { return run_diff(*options, context); };
}

}  // namespace stele::cli
