// Faults of the lower stage.

#include "core/debug/fault_sites.h"

namespace stele {
namespace {

const Dim* placement_of(const Operation& op, size_t result) {
  const Attribute* attribute = op.attribute("placement");
  const Shape* offsets = attribute ? attribute->get<Shape>() : nullptr;
  return offsets && result < offsets->size() && !(*offsets)[result].is(-1) ? &(*offsets)[result] : nullptr;
}

bool used_after(const Operation& op, const Operation& moment) {
  for (const Operation* later = moment.next(); later; later = later->next()) {
    for (const Value* operand : later->operands()) {
      if (operand->definition() == &op) return true;
    }
  }
  return false;
}

// The op's first result is put where a value lies that is read later still.
std::vector<FaultSite> overlapping_live_ranges(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), event.matched)) {
    const Dim* own = placement_of(*op, 0);
    if (!own) continue;
    for (const Operation* alive = op->previous(); alive; alive = alive->previous()) {
      const Dim* theirs = placement_of(*alive, 0);
      if (!theirs || *theirs == *own || !used_after(*alive, *op)) continue;
      sites.push_back([&rewrite, op, place = *theirs] {
        Shape offsets = op->get<Shape>("placement");
        offsets[0] = place;
        rewrite.set_attribute(op, "placement", offsets);
      });
    }
  }
  return sites;
}

Value* index_constant(Rewrite& rewrite, int64_t value) {
  return rewrite.create_value("loop.constant", {}, Type::index(), {{"value", Tensor::of_ints(DType::index, {}, {value})}});
}

// By one step: less would not be seen where steps are longer.
void lower_upper_bound(Rewrite& rewrite, Operation* loop) {
  rewrite.before(loop);
  Value* one = index_constant(rewrite, loop->get_or<int64_t>("step", 1));
  rewrite.set_operand(loop, 1, rewrite.create_value("stablehlo.subtract", {loop->operand(1), one}, Type::index()));
}

std::vector<FaultSite> shortened_loops(Rewrite& rewrite, const std::vector<OpId>& ids) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), ids)) {
    if (op->is("loop.for")) sites.push_back([&rewrite, op] { lower_upper_bound(rewrite, op); });
  }
  return sites;
}

std::vector<FaultSite> off_by_one_bound(Rewrite& rewrite, const RewriteEvent& event) { return shortened_loops(rewrite, event.created); }

std::vector<FaultSite> parallel_drops_iteration(Rewrite& rewrite, const RewriteEvent& event) {
  return shortened_loops(rewrite, event.matched);
}

bool same_constant(const Value* a, const Value* b) {
  const Operation* x = a->definition();
  const Operation* y = b->definition();
  return a == b || (x && y && x->is("loop.constant") && y->is("loop.constant") && x->attributes() == y->attributes());
}

std::vector<FaultSite> missing_remainder(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  std::vector<OpId> ids = event.created;
  ids.insert(ids.end(), event.matched.begin(), event.matched.end());
  for (Operation* op : ops_of(rewrite.module(), ids)) {
    if (!op->is("loop.for") || !op->has("remainder") || same_constant(op->operand(0), op->operand(1))) continue;
    sites.push_back([&rewrite, op] { rewrite.set_operand(op, 1, op->operand(0)); });
  }
  return sites;
}

}  // namespace

const Fault overlapping_live_ranges_fault = {"overlapping-live-ranges", "plan-memory", "a result is placed over a value that is still needed",
                                             overlapping_live_ranges};
const Fault off_by_one_bound_fault = {"off-by-one-bound", "lower-to-loops", "a loop ends one iteration early", off_by_one_bound};
const Fault missing_remainder_fault = {"missing-remainder", "vectorize", "what a loop over vectors leaves is not done", missing_remainder};
const Fault parallel_drops_iteration_fault = {"parallel-drops-iteration", "parallelize", "a loop that is split among threads loses its last iteration",
                                              parallel_drops_iteration};

}  // namespace stele
