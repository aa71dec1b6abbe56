// Gathers tensor ops into kernels: contractions take their epilogues, reductions what computes their rows and what their
// rows compute, and what is left of elementwise and movement ops goes together.
#include "passes/optimize/fuse/fuse.h"
#include "passes/optimize/passes.h"

namespace stele {
namespace {

struct Phase {
  bool (*is_root)(const Operation&);
  fusion::Group (*plan)(Operation&, const fusion::Order&);
};

// Contractions first: an op that could join one saves the most there. Loops last: they take what nobody else wants.
constexpr Phase phases[] = {
    {fusion::is_contraction_root, fusion::plan_contraction},
    {fusion::is_row_root, fusion::plan_row},
    {fusion::is_loop_root, fusion::plan_loop},
};

fusion::Order order_of(const Region& region) {
  fusion::Order order;
  for (const Operation& op : region) order.emplace(&op, order.size());
  return order;
}

// Ops that a group took are no longer in the region itself; a copied op may be gone altogether.
bool run_phase(const Phase& phase, Region& region, fusion::Order& order, Rewriter& rewriter) {
  std::unordered_map<OpId, Operation*> roots;
  std::vector<OpId> ids;
  for (Operation& op : region) {
    if (!phase.is_root(op)) continue;
    ids.push_back(op.id());
    roots.emplace(op.id(), &op);
  }
  for (OpId id : ids) {
    auto found = roots.find(id);
    if (found == roots.end() || found->second->parent() != &region) continue;
    const size_t logged = rewriter.log().size();
    if (!fusion::gather(phase.plan(*found->second, order), rewriter, order)) return false;
    for (size_t i = logged; i < rewriter.log().size(); ++i) {
      for (OpId erased : rewriter.log()[i].erased) roots.erase(erased);
    }
  }
  return true;
}

void run(PassContext& context) {
  for (const auto& function : context.module.functions()) {
    fusion::Order order = order_of(function->body());
    for (const Phase& phase : phases) {
      if (!run_phase(phase, function->body(), order, context.rewriter)) return;
    }
  }
}

}  // namespace

const Pass fuse = {
    .name = "fuse",
    .summary = "gather tensor ops into kernels",
    .stage = Stage::optimize,
    .accepts = {Level::tensor, Level::kernel},
    .produces = {Level::tensor, Level::kernel},
    .contract = {Contract::exact},
    .rules = {{"fuse-epilogue", "f(contraction) -> one kernel"},
              {"fuse-epilogue-operand", "what only an epilogue reads is computed in it"},
              {"fuse-reduction-consumer", "f(reduce(x), x) -> one kernel"},
              {"fuse-into-reduction", "reduce(f(x)) -> one kernel"},
              {"fuse-elementwise", "g(f(x)) -> one kernel"},
              {"copy-cheap", "a broadcast or another cheap op is repeated in the kernel that reads it"}},
    .run = run,
};

}  // namespace stele
