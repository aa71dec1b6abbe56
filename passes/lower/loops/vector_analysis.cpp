#include "passes/lower/loops/vector_analysis.h"

#include <algorithm>

#include "core/ops/op_def.h"

namespace stele::loops {

bool VectorAnalysis::find_reductions() {
  static const std::map<std::string, std::string, std::less<>> kinds = {
      {"stablehlo.add", "add"}, {"stablehlo.multiply", "multiply"}, {"stablehlo.maximum", "maximum"},
      {"stablehlo.minimum", "minimum"}, {"stablehlo.and", "and"}, {"stablehlo.or", "or"}, {"loop.fma", "add"}};
  const Region& body = loop_.region();
  for (unsigned i = 0; i < loop_.result_count(); ++i) {
    const Value* carried = body.argument(i + 1);
    Operation* combine = body.terminator()->operand(i)->definition();
    if (!combine || combine->parent() != &body || !combine->result()->has_one_use() || !carried->has_one_use()) return false;
    const auto kind = kinds.find(combine->name());
    if (kind == kinds.end() || carried->uses()[0].user != combine) return false;
    if (combine->is("loop.fma") && carried->uses()[0].operand != 2) return false;
    if (carried->type().kind != TypeKind::scalar) return false;
    reductions_.push_back({kind->second, combine});
    combines_.insert(combine);
    varying_.insert(carried);
  }
  return true;
}

bool VectorAnalysis::scan(const Region& region) {
  for (const Operation& op : region) {
    bool any = std::any_of(op.operands().begin(), op.operands().end(), [&](const Value* v) { return varying_.contains(v); });
    if (op.is("loop.for")) {
      if (varies(op.operand(0)) || varies(op.operand(1))) return false;
      const Region& inner = op.region();
      for (unsigned i = 0; i < op.result_count(); ++i) {
        const bool carried = varies(op.operand(i + 2)) || varies(inner.terminator()->operand(i));
        if (carried) {
          varying_.insert(inner.argument(i + 1));
          varying_.insert(op.result(i));
        }
      }
      if (!scan(inner)) return false;
      continue;
    }
    if (any) {
      for (const Value* result : op.results()) varying_.insert(result);
    }
  }
  return true;
}

std::optional<int64_t> VectorAnalysis::slope(const Value* index) const {
  if (index == iv_) return 1;
  if (!varies(index)) return 0;
  const Operation* op = index->definition();
  if (!op || index->type() != Type::index()) return std::nullopt;
  if (op->is("stablehlo.add") || op->is("stablehlo.subtract")) {
    const auto a = slope(op->operand(0)), b = slope(op->operand(1));
    if (!a || !b) return std::nullopt;
    return op->is("stablehlo.add") ? *a + *b : *a - *b;
  }
  if (op->is("stablehlo.multiply")) {
    for (unsigned side : {0u, 1u}) {
      const Operation* constant = op->operand(side)->definition();
      const auto other = slope(op->operand(1 - side));
      if (constant && constant->is("loop.constant") && other) return *other * constant->get<Tensor>("value").get_int(0);
    }
  }
  return std::nullopt;
}

bool VectorAnalysis::check_access(const Operation& op, unsigned buffer) {
  const Value* memory = op.operand(buffer);
  while (memory->definition() && memory->definition()->is("loop.view")) memory = memory->definition()->operand(0);
  (op.is("loop.load") ? loads_ : stores_)[memory].push_back(&op);
  const unsigned last = op.operand_count() - 1;
  bool varying = false;
  for (unsigned i = buffer + 1; i <= last; ++i) {
    const auto by = slope(op.operand(i));
    if (!by || (*by != 0 && (i != last || *by != 1))) return false;
    varying = varying || *by != 0;
  }
  const bool is_store = op.is("loop.store");
  // A value that is stored where no lane differs would be one of many.
  if (is_store && !varying) return false;
  if (varying) {
    ++accesses_;
    widest_ = std::max<int64_t>(widest_, size_bytes(op.operand(buffer)->dtype()));
  }
  return true;
}

bool VectorAnalysis::check_op(const Operation& op) {
  if (op.is("loop.for")) {
    ++inner_loops_;
    if (op.get_or<std::string>("mode", "serial") != "serial") return false;
    return check(op.region());
  }
  if (op.is("loop.load")) return check_access(op, 0);
  if (op.is("loop.store")) return check_access(op, 1);
  if (op.is("loop.alloc")) return false;
  if (has_trait(op, Trait::terminator)) return true;
  const bool varying = std::any_of(op.results().begin(), op.results().end(), [&](const Value* v) { return varies(v); });
  if (!varying) return true;
  if (op.result()->type().kind != TypeKind::scalar) return false;  // vectorized already
  // A subscript is counted by its lane 0: it must come from such.
  const auto counts = [&](const Value* operand) { return !varies(operand) || slope(operand) == 1; };
  if (slope(op.result()) == 1 && !std::all_of(op.operands().begin(), op.operands().end(), counts)) return false;
  return has_trait(op, Trait::elementwise) || op.is("loop.fma");
}

bool VectorAnalysis::check(const Region& region) {
  for (const Operation& op : region) {
    if (!check_op(op)) return false;
    if (op.result_count() == 1 && op.result()->type().kind == TypeKind::vector) return false;
  }
  return true;
}

// What is written in the loop is read in it only where the same iteration wrote it.
bool VectorAnalysis::no_hazard() const {
  for (const auto& [buffer, stores] : stores_) {
    auto loads = loads_.find(buffer);
    if (loads == loads_.end()) continue;
    for (const Operation* store : stores) {
      for (const Operation* load : loads->second) {
        if (store->operand(1) != load->operand(0)) return false;
        for (unsigned i = 1; i < load->operand_count(); ++i) {
          if (load->operand(i) != store->operand(i + 1)) return false;
        }
      }
    }
  }
  return true;
}

}  // namespace stele::loops
