#include "app/cli/snapshot_forms.h"

#include "app/cli/scoreboard_table.h"
#include "app/cli/session_graph.h"
#include "core/ir/text.h"
#include "core/ops/op_def.h"
#include "passes/codegen/jit.h"

namespace stele::cli {
namespace {

std::string as_text(const Blob& blob) { return {reinterpret_cast<const char*>(blob.bytes().data()), blob.size()}; }

SnapshotRow row_of(const Session& session, int snapshot) {
  for (const SnapshotRow& row : session.snapshots()) {
    if (row.index == snapshot) return row;
  }
  fail("{}: no snapshot {}", session.path(), snapshot);
}

std::string stablehlo_text(const Session& session, int snapshot) {
  const SnapshotRow row = row_of(session, snapshot);
  if (row.level != "tensor") fail("{}: snapshot {} is at the {} level, StableHLO is the tensor level", session.path(), snapshot, row.level);
  return print(*session.module(snapshot));
}

// The blobs or strings that ops of machine code carry under `attribute`, one after the other.
std::string machine_text(const Session& session, int snapshot, const char* attribute, const char* what) {
  std::string text;
  std::set<std::string> seen;
  const auto module = session.module(snapshot);
  walk(*module, [&](const Operation& op) {
    const Attribute* found = op.attribute(attribute);
    if (!found) return;
    const BlobRef* blob = found->get<BlobRef>();
    if (blob && *blob && seen.insert((*blob)->hash()).second) text += as_text(**blob);
    if (const std::string* string = found->get<std::string>()) text += *string;
  });
  if (text.empty()) fail("{}: snapshot {} holds no {}", session.path(), snapshot, what);
  return text;
}

// The LLVM IR of every kernel that has some, each distinct one once.
std::string llvm_form(const Session& session, int snapshot) {
  std::string text;
  std::set<std::string> seen;
  const auto module = session.module(snapshot);
  walk(*module, [&](const Operation& op) {
    const Attribute* bitcode = op.attribute("bitcode");
    const BlobRef* blob = bitcode ? bitcode->get<BlobRef>() : nullptr;
    if (blob && *blob && seen.insert((*blob)->hash()).second) text += llvm_text(*blob) + "\n";
  });
  if (text.empty()) fail("{}: snapshot {} holds no LLVM IR", session.path(), snapshot);
  return text;
}

Json ids(const std::vector<OpId>& list) { return Json(list); }

Json op_json(const OpRow& op) {
  Json json = {{"id", op.id}, {"name", op.name}, {"type", op.type}};
  if (op.parent) json["parent"] = op.parent;
  if (!op.label.empty()) json["label"] = op.label;
  if (!op.attributes.empty()) json["attributes"] = op.attributes;
  if (!op.derived_from.empty()) json["derived_from"] = ids(op.derived_from);
  if (op.kernels >= 0) json["kernels"] = op.kernels;
  if (op.hbm_bytes >= 0) json["hbm_bytes"] = op.hbm_bytes;
  if (op.flops >= 0) json["flops"] = op.flops;
  return json;
}

}  // namespace

std::string snapshot_form(const Session& session, int snapshot, const std::string& format) {
  if (format == "text") return session.text(snapshot);
  if (format == "stablehlo") return stablehlo_text(session, snapshot);
  if (format == "mlir") return print(*session.module(snapshot));
  if (format == "dot") return dot_text(session, snapshot);
  if (format == "asm") return machine_text(session, snapshot, "assembly", "assembly");
  if (format == "llvm") return llvm_form(session, snapshot);
  if (format == "ptx" || format == "onnx") fail("--format {}: not there yet", format);
  fail("--format {}: unknown, expected text, stablehlo, mlir, llvm, asm, dot or json", format);
}

Json snapshot_contents(const Session& session, int snapshot) {
  Json json = snapshot_json(row_of(session, snapshot));
  json["ops"] = Json::array();
  for (const OpRow& op : session.ops(snapshot)) json["ops"].push_back(op_json(op));
  json["edges"] = Json::array();
  for (const EdgeRow& edge : session.edges(snapshot)) {
    json["edges"].push_back({{"from", edge.from}, {"result", edge.result}, {"to", edge.to}, {"operand", edge.operand}, {"type", edge.type}});
  }
  json["applied"] = Json::array();
  for (const RewriteRow& rewrite : session.rewrites(snapshot)) {
    json["applied"].push_back({{"number", rewrite.number}, {"rule", rewrite.rule}, {"matched", ids(rewrite.matched)},
                               {"created", ids(rewrite.created)}, {"erased", ids(rewrite.erased)}});
  }
  json["text"] = session.text(snapshot);
  return json;
}

}  // namespace stele::cli
