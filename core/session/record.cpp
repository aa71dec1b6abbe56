#include "core/session/record.h"

#include "core/ir/text.h"

namespace stele {
namespace {

constexpr std::string_view fusion = "kernel.fusion";

bool is_terminator(const Operation& op) {
  return op.next() == nullptr && op.result_count() == 0 && (op.name().ends_with(".return") || op.name().ends_with(".yield"));
}

template <typename Visit>
void visit_ops(const Module& module, Visit&& visit) {
  for (const auto& function : module.functions()) {
    for (const Operation& op : function->body()) {
      visit(op);
      if (!op.is(fusion) || op.region_count() == 0) continue;
      for (const Operation& inner : op.region()) visit(inner);
    }
  }
}

std::string types_of(const Operation& op) {
  std::string text;
  for (const Value* result : op.results()) {
    if (!text.empty()) text += ", ";
    text += result->type().str();
  }
  return text;
}

std::string attributes_of(const Operation& op) {
  std::string text;
  for (const auto& [name, value] : op.attributes()) {
    if (!text.empty()) text += ", ";
    text += name;
    if (!value.get<Unit>()) text += " = " + print(value);
  }
  return text;
}

// The op result or function argument a value is, seen through the arguments of isolated regions.
const Value* source_of(const Value* value) {
  while (value->is_argument()) {
    const Operation* outer = value->argument_of()->parent_op();
    if (!outer || value->index() >= outer->operand_count()) return value;
    value = outer->operand(value->index());
  }
  return value;
}

}  // namespace

std::vector<OpRow> op_rows(const Module& module, const OpShares& shares) {
  std::vector<OpRow> rows;
  visit_ops(module, [&](const Operation& op) {
    if (is_terminator(op)) return;
    OpRow row;
    row.id = op.id();
    row.parent = op.parent_op() ? op.parent_op()->id() : 0;
    row.name = op.name();
    row.label = op.label();
    row.type = types_of(op);
    row.attributes = attributes_of(op);
    row.derived_from = op.derived_from();
    if (const auto share = shares.find(op.id()); share != shares.end()) {
      row.kernels = share->second.kernels;
      row.hbm_bytes = share->second.hbm_bytes;
      row.flops = share->second.flops;
    }
    rows.push_back(std::move(row));
  });
  return rows;
}

std::vector<EdgeRow> edge_rows(const Module& module) {
  std::vector<EdgeRow> rows;
  if (module.functions().empty()) return rows;
  const Region* main = &module.main().body();
  visit_ops(module, [&](const Operation& op) {
    // Results of fusions are seen at the fusion; results of main are edges to 0.
    if (is_terminator(op) && op.parent() != main) return;
    for (unsigned i = 0; i < op.operand_count(); ++i) {
      const Value* source = source_of(op.operand(i));
      const bool argument = source->is_argument();
      if (argument && source->argument_of() != main) continue;  // of another function, or of a loop
      if (source->type().is_none()) continue;
      rows.push_back({argument ? 0 : source->definition()->id(), static_cast<int>(source->index()),
                      is_terminator(op) ? 0 : op.id(), static_cast<int>(i), source->type().str()});
    }
  });
  return rows;
}

Session::NewSnapshot record(const Module& module, SnapshotRow row, std::vector<RewriteRow> rewrites, const OpShares& shares) {
  Session::NewSnapshot snapshot;
  row.rewrites = static_cast<int>(rewrites.size());
  snapshot.row = std::move(row);
  PrintOptions options;
  options.identity = true;
  snapshot.text = print(module, options);
  snapshot.ops = op_rows(module, shares);
  snapshot.edges = edge_rows(module);
  snapshot.rewrites = std::move(rewrites);
  snapshot.blobs = blobs_of(module);
  return snapshot;
}

}  // namespace stele
