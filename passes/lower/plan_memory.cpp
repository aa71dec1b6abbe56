// Gives the results of main's ops places in one arena. Buffers whose lives overlap never share a byte, whatever the
// values of symbolic dims. What the function returns lives there to the end, and whoever runs it copies it out; arguments
// and constants live outside.
#include "core/ops/rules.h"
#include "passes/lower/passes.h"

namespace stele {
namespace {

constexpr std::string_view place_buffer = "place-buffer";
constexpr int64_t alignment = 64;

// A result of an op that needs memory, live from its op to the last that reads it or a view of it, both included.
struct Buffer {
  Operation* op;
  unsigned result;
  size_t first, last;
  Dim bytes;         // rounded up to the alignment
  Dim offset = -1;   // once planned
  Dim end = 0;       // what the arena needs for it
};

bool overlap(const Buffer& a, const Buffer& b) { return a.first <= b.last && b.first <= a.last; }

Dim aligned(const Dim& bytes) {
  if (Dim::exact_div(bytes, alignment)) return bytes;
  return Dim::ceil_div(bytes, alignment) * alignment;
}

// Whether a >= b whatever the symbols are (none is negative): no term of the difference is subtracted.
bool covers(const Dim& a, const Dim& b) {
  const Dim difference = a - b;
  return difference.is_static() ? difference.value() >= 0 : difference.str().find('-') == std::string::npos;
}

bool has_known_size(const Type& type) {
  return type.is_tensor() && std::none_of(type.shape.begin(), type.shape.end(), [](const Dim& dim) { return is_unknown_size(dim); });
}

// What a value is a view of: itself where its op has memory of its own.
const Value* storage_of(const Value* value) {
  while (value->definition() && has_trait(*value->definition(), Trait::view)) value = value->definition()->operand(0);
  return value;
}

class Lives {
 public:
  explicit Lives(const Region& body) {
    size_t position = 0;
    for (const Operation& op : body) {
      note(op, position);
      for (unsigned i = 0; i < op.region_count(); ++i) walk(op.region(i), [&](const Operation& inner) { note(inner, position); });
      ++position;
    }
  }

  size_t last_use(const Value* value, size_t otherwise) const {
    auto found = last_.find(value);
    return found == last_.end() ? otherwise : found->second;
  }

 private:
  void note(const Operation& op, size_t position) {
    for (const Value* operand : op.operands()) last_[storage_of(operand)] = position;
  }
  std::unordered_map<const Value*, size_t> last_;
};

std::vector<Buffer> buffers_of(const Region& body) {
  const Lives lives(body);
  std::vector<Buffer> buffers;
  size_t position = 0;
  for (Operation* op : body.ops()) {
    const size_t here = position++;
    if (has_trait(*op, Trait::view) || has_trait(*op, Trait::constant) || has_trait(*op, Trait::terminator)) continue;
    for (unsigned i = 0; i < op->result_count(); ++i) {
      const Value* result = op->result(i);
      if (!has_known_size(result->type())) continue;
      buffers.push_back({op, i, here, lives.last_use(result, here), aligned(result->type().bytes())});
    }
  }
  return buffers;
}

// Largest first, each at the lowest offset that is free for its life. Returns the bytes needed.
int64_t pack_static(std::vector<Buffer*> buffers) {
  std::stable_sort(buffers.begin(), buffers.end(), [](const Buffer* a, const Buffer* b) { return a->bytes.value() > b->bytes.value(); });
  int64_t total = 0;
  std::vector<const Buffer*> placed;  // by offset
  for (Buffer* buffer : buffers) {
    int64_t offset = 0;
    for (const Buffer* other : placed) {
      if (!overlap(*buffer, *other)) continue;
      if (other->offset.value() >= offset + buffer->bytes.value()) break;
      offset = std::max(offset, other->end.value());
    }
    buffer->offset = offset;
    buffer->end = offset + buffer->bytes.value();
    total = std::max(total, buffer->end.value());
    const auto at = std::upper_bound(placed.begin(), placed.end(), buffer, [](const Buffer* a, const Buffer* b) { return a->offset.value() < b->offset.value(); });
    placed.insert(at, buffer);
  }
  return total;
}

// Memory for buffers whose sizes cannot all be compared: as large as the largest of them.
struct Slot {
  Dim bytes;
  std::vector<Buffer*> buffers;
};

bool is_free(const Slot& slot, const Buffer& buffer) {
  return std::none_of(slot.buffers.begin(), slot.buffers.end(), [&](const Buffer* other) { return overlap(*other, buffer); });
}

// The free slot that fits best: of just this size, else one that is large enough, else any that would have to grow.
Slot* find_slot(std::vector<Slot>& slots, const Buffer& buffer) {
  Slot* larger = nullptr;
  Slot* other = nullptr;
  for (Slot& slot : slots) {
    if (!is_free(slot, buffer)) continue;
    if (slot.bytes == buffer.bytes) return &slot;
    if (covers(slot.bytes, buffer.bytes)) larger = &slot;
    else if (!other) other = &slot;
  }
  return larger ? larger : other;
}

// Offsets are sums of the sizes of the slots before, from `base` on: sound for every value of the symbols.
void place_in_slots(std::vector<Buffer*> buffers, const Dim& base, const Binding& binding) {
  std::stable_sort(buffers.begin(), buffers.end(), [&](const Buffer* a, const Buffer* b) { return a->bytes.evaluate(binding) > b->bytes.evaluate(binding); });
  std::vector<Slot> slots;
  for (Buffer* buffer : buffers) {
    Slot* slot = find_slot(slots, *buffer);
    if (!slot) slot = &slots.emplace_back(Slot{buffer->bytes, {}});
    slot->buffers.push_back(buffer);
    if (!covers(slot->bytes, buffer->bytes)) slot->bytes = covers(buffer->bytes, slot->bytes) ? buffer->bytes : Dim::max(slot->bytes, buffer->bytes);
  }
  Dim offset = base;
  for (const Slot& slot : slots) {
    for (Buffer* buffer : slot.buffers) {
      buffer->offset = offset;
      buffer->end = offset + slot.bytes;
    }
    offset = offset + slot.bytes;
  }
}

// Sizes to compare by, where the user gave none: any will do, soundness does not rest on them.
Binding full_binding(const Module& module, const PassOptions& options) {
  Binding binding = options.binding;
  for (const auto& [symbol, bounds] : module.symbols) binding.emplace(symbol, std::clamp<int64_t>(8, bounds.min, bounds.max));
  return binding;
}

void plan(std::vector<Buffer>& buffers, const Binding& binding) {
  std::vector<Buffer*> fixed, symbolic;
  for (Buffer& buffer : buffers) (buffer.bytes.is_static() ? fixed : symbolic).push_back(&buffer);
  const int64_t base = pack_static(fixed);
  place_in_slots(symbolic, base, binding);
}

Dim larger(const Dim& a, const Dim& b) {
  if (covers(a, b)) return a;
  return covers(b, a) ? b : Dim::max(a, b);
}

bool place(const Buffer& buffer, Function& function, Rewriter& rewriter) {
  Shape placement = buffer.op->get_or<Shape>("placement", Shape(buffer.op->result_count(), Dim(-1)));
  const auto found = function.attributes().find("arena");
  const Dim arena = found == function.attributes().end() ? Dim(0) : found->second.get<Shape>()->front();
  const Dim needed = larger(arena, buffer.end);
  if (placement[buffer.result] == buffer.offset && needed == arena) return true;
  placement[buffer.result] = buffer.offset;
  return rewriter.apply(place_buffer, {buffer.op}, [&](Rewrite& rewrite) {
    rewrite.set_attribute(buffer.op, "placement", placement);
    rewrite.set_function_attribute(function, "arena", Shape{needed});
  });
}

void run(PassContext& context) {
  Function& main = context.module.main();
  std::vector<Buffer> buffers = buffers_of(main.body());
  plan(buffers, full_binding(context.module, context.options));
  for (const Buffer& buffer : buffers) {
    if (!place(buffer, main, context.rewriter)) return;
  }
}

}  // namespace

const Pass plan_memory = {
    .name = "plan-memory",
    .summary = "give results places in one arena",
    .stage = Stage::lower,
    .accepts = {Level::framework, Level::tensor, Level::kernel, Level::loop},
    .produces = {Level::framework, Level::tensor, Level::kernel, Level::loop},
    .contract = {Contract::exact},
    .rules = {{place_buffer, "a result with its own allocation -> a place in the arena that no live buffer has"}},
    .run = run,
};

}  // namespace stele
