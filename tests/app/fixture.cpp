#include "tests/app/fixture.h"

#include <algorithm>

#include "tests/support/transformer.h"

namespace stele::app::testing {
namespace {

std::vector<IrLine> print(const viz::Graph& graph) {
  std::vector<IrLine> lines = {{"func @main {", 0}};
  for (const viz::Node& node : graph.nodes) {
    std::string operands;
    for (const viz::Edge& edge : graph.edges) {
      if (graph.nodes[edge.to].id == node.id)
        operands += (operands.empty() ? "%" : ", %") + std::to_string(graph.nodes[edge.from].id);
    }
    lines.push_back(
        {"  %" + std::to_string(node.id) + " = " + node.title + "(" + operands + ") : " + node.subtitle, node.id});
  }
  lines.push_back({"}", 0});
  return lines;
}

// Divisions become multiplications by the reciprocal: new ops in the place of the old ones.
viz::Graph strength_reduced(viz::Graph graph, std::vector<RewriteRow>& rewrites) {
  viz::OpId next_id = 5000;
  for (viz::Node& node : graph.nodes) {
    if (node.title != "divide") continue;
    node.derived_from = {node.id};
    node.id = next_id++;
    node.title = "multiply";
    rewrites.push_back({rewrites.size() + 1, "divide-by-constant", node.derived_from, {node.id}});
  }
  return graph;
}

std::vector<RewriteRow> fusions(const viz::Graph& graph) {
  std::vector<RewriteRow> rows;
  for (const viz::Node& node : graph.nodes) {
    if (node.role == viz::Role::fusion)
      rows.push_back({rows.size() + 1, "fuse-into-user", node.derived_from, {node.id}});
  }
  return rows;
}

class TransformerSource : public SnapshotSource {
 public:
  explicit TransformerSource(int layers) {
    const viz::Graph captured = viz::testing::transformer(layers);
    const viz::Graph reduced = strength_reduced(captured, reductions);
    stages = {captured, reduced, viz::testing::fuse_elementwise(reduced)};
  }
  Snapshot snapshot(std::size_t pass) override {
    const viz::Graph& graph = stages[pass < 3 ? 0 : pass < 6 ? 1 : 2];
    return {graph, print(graph)};
  }
  std::vector<RewriteRow> rewrites(std::size_t pass) override {
    if (pass == 3) return reductions;
    return pass == 6 ? fusions(stages[2]) : std::vector<RewriteRow>{};
  }

  std::vector<viz::Graph> stages;
  std::vector<RewriteRow> reductions;
};

viz::Score score_of(const viz::Graph& graph, double share) {
  double kernels = 0;
  for (const viz::Node& node : graph.nodes)
    kernels += node.role == viz::Role::op || node.role == viz::Role::fusion ? 1 : 0;
  return {kernels, kernels * 9100, 180e3 * share, 21e6};
}

PassRow row(const char* name, const char* stage, const char* level, const char* summary, bool changed, double ms) {
  PassRow result;
  result.name = name;
  result.stage = stage;
  result.level = level;
  result.summary = summary;
  result.changed = changed;
  result.elapsed_ms = ms;
  return result;
}

}  // namespace

Document transformer_document(int layers) {
  const auto source = std::make_shared<TransformerSource>(layers);
  Document document;
  document.title = "decoder.onnx";
  document.subtitle = "stele · cpu";
  document.source = source;
  document.passes = {
      row("capture", "capture", "tensor", "the model as it was read", true, 3.1),
      row("verify-types", "capture", "tensor", "check types and shapes", false, 0.2),
      row("canonicalize", "represent", "tensor", "one form for equal programs", false, 0.4),
      row("strength-reduce", "optimize", "tensor", "cheaper ops of the same meaning", true, 0.6),
      row("eliminate-common", "optimize", "tensor", "one op for equal ops", false, 0.5),
      row("fold-constants", "optimize", "tensor", "evaluate what is known", false, 0.3),
      row("fuse-elementwise", "optimize", "kernel", "chains of elementwise ops become one launch", true, 1.2),
      row("assign-layout", "lower", "kernel", "the order of axes in memory", false, 0.2),
      row("plan-memory", "lower", "kernel", "one arena for all temporaries", false, 0.4),
      row("vectorize", "codegen", "kernel", "vectors in the inner loops", false, 0.9),
  };
  for (std::size_t i = 0; i < document.passes.size(); ++i) {
    document.passes[i].score = score_of(source->stages[i < 3 ? 0 : i < 6 ? 1 : 2], i >= 8 ? 0.4 : i >= 6 ? 0.8 : 1);
    document.passes[i].rewrites = source->rewrites(i).size();
  }
  return document;
}

}  // namespace stele::app::testing
