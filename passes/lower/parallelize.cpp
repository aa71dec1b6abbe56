// The outermost loop of a kernel that carries nothing and whose iterations write apart from each other may be shared by
// threads, where it is enough work for the price of waking them.
#include <algorithm>
#include <optional>

#include "passes/lower/passes.h"

namespace stele {
namespace {

constexpr double least_work = 50000;     // scalar ops or so: tens of microseconds
constexpr double assumed_trips = 64;     // of a loop whose bounds only the run knows

std::optional<int64_t> static_value(const Value* value) {
  const Operation* op = value->definition();
  if (!op || !op->is("loop.constant")) return std::nullopt;
  return op->get<Tensor>("value").get_int(0);
}

double trips(const Operation& loop) {
  const auto lower = static_value(loop.operand(0)), upper = static_value(loop.operand(1));
  const auto step = static_cast<double>(loop.get_or<int64_t>("step", 1));
  return lower && upper ? static_cast<double>(*upper - *lower) / step : assumed_trips;
}

// Scalar ops that one run of the region makes; a function such as exp counts for many.
double work(const Region& region) {
  double sum = 0;
  for (const Operation& op : region) {
    if (op.is("loop.for")) {
      sum += trips(op) * work(op.region());
    } else if (op.result_count() == 1 && op.result()->type().kind != TypeKind::buffer) {
      const bool cheap = op.name().starts_with("loop.") || op.result()->type() == Type::index();
      const double lanes = op.result()->type().kind == TypeKind::vector ? 2 : 1;
      sum += lanes * (cheap || op.operand_count() > 1 ? 1 : 10);
    }
  }
  return sum;
}

const Value* memory_of(const Value* buffer) {
  while (buffer->definition() && buffer->definition()->is("loop.view")) buffer = buffer->definition()->operand(0);
  return buffer;
}

bool depends_on(const Value* value, const Value* iv) {
  if (value == iv) return true;
  const Operation* op = value->definition();
  if (!op || op->region_count() > 0) return false;
  return std::any_of(op->operands().begin(), op->operands().end(), [&](const Value* operand) { return depends_on(operand, iv); });
}

// Every store is into scratch of the iteration's own, or into a result at subscripts that differ by iteration; and no
// result is read.
bool is_apart(const Operation& loop) {
  const Value* iv = loop.region().argument(0);
  std::set<const Value*> stored, loaded;
  bool apart = true;
  walk(loop.region(), [&](Operation& op) {
    if (op.is("loop.load")) loaded.insert(memory_of(op.operand(0)));
    if (!op.is("loop.store")) return;
    const Value* memory = memory_of(op.operand(1));
    if (memory->definition() && is_inside(memory->definition()->parent(), &loop)) return;
    if (memory->definition() && memory->definition()->parent() == &loop.region()) return;
    stored.insert(memory);
    bool differs = false;
    for (unsigned i = 2; i < op.operand_count(); ++i) differs = differs || depends_on(op.operand(i), iv);
    apart = apart && differs;
  });
  return apart && std::none_of(stored.begin(), stored.end(), [&](const Value* v) { return loaded.contains(v); });
}

// What stands beside the loop in the kernel's body must not depend on who runs it: no results, no scratch.
bool stands_alone(const Operation& loop) {
  for (const Operation& op : *loop.parent()) {
    if (op.is("loop.store") || op.is("loop.alloc")) return false;
    if (op.is("loop.for") && (op.result_count() > 0 || op.get_or<std::string>("mode", "serial") == "parallel")) return false;
  }
  return true;
}

void run(PassContext& context) {
  for (const auto& function : context.module.functions()) {
    for (Operation& kernel : function->body()) {
      if (!kernel.is("loop.kernel")) continue;
      Operation* best = nullptr;
      double most = 0;
      for (Operation& op : kernel.region()) {
        if (!op.is("loop.for") || op.result_count() > 0 || trips(op) < 2 || !is_apart(op) || !stands_alone(op)) continue;
        const double amount = trips(op) * work(op.region());
        if (amount <= most) continue;
        best = &op;
        most = amount;
      }
      if (!best || most < least_work) continue;
      context.rewriter.apply("parallelize-loop", {best}, [&](Rewrite& rewrite) { rewrite.set_attribute(best, "mode", "parallel"); });
      if (context.rewriter.exhausted()) return;
    }
  }
}

}  // namespace

const Pass parallelize = {
    .name = "parallelize",
    .summary = "outermost loops with work enough are shared by threads",
    .stage = Stage::lower,
    .accepts = {Level::loop},
    .produces = {Level::loop},
    .contract = {.kind = Contract::exact},
    .rules = {{"parallelize-loop", "a loop whose iterations write apart from each other -> mode parallel"}},
    .run = run,
};

}  // namespace stele
