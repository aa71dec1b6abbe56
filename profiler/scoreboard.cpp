#include "profiler/scoreboard.h"

#include <set>
#include <unordered_map>

namespace stele {
namespace {

bool is_free(const Operation& op) {
  return has_trait(op, Trait::view) || has_trait(op, Trait::constant) || has_trait(op, Trait::terminator);
}

// Distinct operands and results once each: what an op without a cost of its own is taken to move.
Cost moves_everything(const Operation& op) {
  Cost cost;
  std::set<const Value*> seen;
  for (const Value* operand : op.operands()) {
    if (operand->type().is_tensor() && seen.insert(operand).second) cost.bytes_read = cost.bytes_read + operand->type().bytes();
  }
  for (const Value* result : op.results()) {
    if (result->type().is_tensor()) cost.bytes_written = cost.bytes_written + result->type().bytes();
  }
  return cost;
}

bool is_typed(const Operation& op) {
  const auto typed = [](const Value* value) { return !value->type().is_unknown(); };
  return std::all_of(op.operands().begin(), op.operands().end(), typed) && [&] {
    for (const Value* result : op.results()) {
      if (!typed(result)) return false;
    }
    return true;
  }();
}

Cost cost_of(const Operation& op) {
  if (is_free(op)) return {.kernels = 0};
  const OpDef* def = find_op(op.name());
  return def && def->cost && is_typed(op) ? def->cost(op) : moves_everything(op);
}

// ---- peak memory ----

// What a value is a view of: itself where its op has memory of its own.
const Value* storage_of(const Value* value) {
  while (value->definition() && has_trait(*value->definition(), Trait::view)) value = value->definition()->operand(0);
  return value;
}

bool is_placed(const Operation& op, unsigned result) {
  const Shape placement = op.get_or<Shape>("placement", {});
  return result < placement.size() && !placement[result].is(-1);
}

// Last position that reads each value or a view of it. What the function returns lives to the end.
std::unordered_map<const Value*, size_t> last_uses(const Region& body) {
  std::unordered_map<const Value*, size_t> last;
  size_t position = 0;
  for (const Operation& op : body) {
    const auto note = [&](const Operation& user) {
      for (const Value* operand : user.operands()) last[storage_of(operand)] = position;
    };
    note(op);
    for (unsigned i = 0; i < op.region_count(); ++i) walk(op.region(i), note);
    ++position;
  }
  return last;
}

struct Life {
  size_t first, last;
  Dim bytes;
};

// Results that have memory of their own, outside the arena.
std::vector<Life> lives_of(const Region& body) {
  const auto last = last_uses(body);
  std::vector<Life> lives;
  size_t position = 0;
  for (const Operation& op : body) {
    const size_t here = position++;
    if (is_free(op)) continue;
    for (unsigned i = 0; i < op.result_count(); ++i) {
      const Value* result = op.result(i);
      if (!result->type().is_tensor() || is_placed(op, i)) continue;
      auto found = last.find(result);
      lives.push_back({here, found == last.end() ? here : found->second, result->type().bytes()});
    }
  }
  return lives;
}

// Live bytes at the position where they are most under the binding.
Dim worst_moment(const std::vector<Life>& lives, size_t positions, const Binding& binding) {
  std::vector<int64_t> change(positions + 1, 0);
  for (const Life& life : lives) {
    const int64_t bytes = life.bytes.evaluate(binding);
    change[life.first] += bytes;
    change[life.last + 1] -= bytes;
  }
  size_t worst = 0;
  int64_t live = 0, most = -1;
  for (size_t i = 0; i < positions; ++i) {
    live += change[i];
    if (live > most) {
      most = live;
      worst = i;
    }
  }
  Dim sum = 0;
  for (const Life& life : lives) {
    if (life.first <= worst && worst <= life.last) sum = sum + life.bytes;
  }
  return sum;
}

// Symbols that the binding does not name count as their least value: a moment must be chosen.
Binding full_binding(const Module& module, const Binding& given) {
  Binding binding = given;
  for (const auto& [symbol, bounds] : module.symbols) binding.emplace(symbol, std::max<int64_t>(bounds.min, 1));
  return binding;
}

Dim peak_of(const Function& main, const Binding& binding) {
  Dim peak = 0;
  for (const Value* argument : main.body().arguments()) {
    if (argument->type().is_tensor()) peak = peak + argument->type().bytes();
  }
  const auto arena = main.attributes().find("arena");
  if (arena != main.attributes().end() && arena->second.get<Shape>()) peak = peak + arena->second.get<Shape>()->front();
  const size_t positions = main.body().ops().size();
  return peak + worst_moment(lives_of(main.body()), positions, binding);
}

// Constants, once each however many ops share their bytes.
Dim weights_of(const Module& module) {
  std::set<std::pair<const std::byte*, size_t>> seen;
  Dim bytes = 0;
  walk(module, [&](const Operation& op) {
    const Tensor* value = op.result_count() == 1 ? constant_of(op.result()) : nullptr;
    if (value && seen.emplace(value->data(), value->size_bytes()).second) bytes = bytes + static_cast<int64_t>(value->size_bytes());
  });
  return bytes;
}

}  // namespace

Scoreboard score(const Module& module, const Binding& binding) {
  Scoreboard board;
  const Function& main = module.main();
  for (const Operation& op : main.body()) {
    const Cost cost = cost_of(op);
    board.kernels = board.kernels + cost.kernels;
    board.hbm_bytes = board.hbm_bytes + cost.bytes_read + cost.bytes_written;
    board.flops = board.flops + cost.flops;
    board.per_op.emplace(op.id(), cost);
  }
  board.peak_bytes = peak_of(main, full_binding(module, binding));
  board.weight_bytes = weights_of(module);
  return board;
}

}  // namespace stele
