#include "passes/codegen/executable.h"

#include <cstring>
#include <map>
#include <new>

#include "core/eval/interpreter.h"
#include "core/runtime/thread_pool.h"
#include "passes/codegen/jit.h"

namespace stele {
namespace {

constexpr size_t alignment = 64;

struct FreeAligned {
  void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t(alignment)); }
};

// Where a value lies: an input, a constant, or memory of the executable's own.
struct Slot {
  enum Kind { input, constant, memory } kind = memory;
  size_t index = 0;                      // of the input, or of the memory
  const std::byte* constant_data = nullptr;
};

struct Memory {
  Type type;
  Dim offset = -1;  // as planned; -1: not planned
};

struct Launch {
  const Operation* op;
  KernelFunction function;
  std::vector<Slot> buffers;  // operands, then results
  Shape dims;
  Dim iterations;
  // For the binding at hand:
  std::vector<std::byte*> pointers;
  std::vector<int64_t> dim_values;
  int64_t iteration_count = 1;
};

class CompiledModule : public Executable {
 public:
  CompiledModule(std::shared_ptr<const Module> module, int threads) : module_(std::move(module)), main_(module_->main()), pool_(threads) {
    for (unsigned i = 0; i < main_.body().argument_count(); ++i) slots_[main_.body().argument(i)] = {Slot::input, i, nullptr};
    for (const Operation& op : main_.body()) add(op);
  }

  std::vector<Tensor> run(const std::vector<Tensor>& inputs) override;
  int launches() const override { return static_cast<int>(launches_.size()); }
  int64_t arena_bytes() const override { return static_cast<int64_t>(arena_size_); }

 private:
  void add(const Operation& op);
  void add_launch(const Operation& op);
  void lay_out(const Binding& binding);
  std::byte* address(const Slot& slot, const std::vector<Tensor>& inputs) const;

  const std::shared_ptr<const Module> module_;
  const Function& main_;
  ThreadPool pool_;
  Jit jit_;
  std::map<const Value*, Slot> slots_;
  std::vector<Memory> memories_;
  std::vector<Launch> launches_;
  std::vector<std::pair<Slot, Type>> results_;
  // For the binding at hand:
  bool is_laid_out_ = false;
  Binding binding_;
  std::vector<int64_t> offsets_;
  std::unique_ptr<std::byte[], FreeAligned> arena_;
  size_t arena_size_ = 0;
};

void CompiledModule::add(const Operation& op) {
  if (op.is("func.return")) {
    for (const Value* value : op.operands()) results_.emplace_back(slots_.at(value), value->type());
  } else if (const Tensor* value = op.result_count() == 1 ? constant_of(op.result()) : nullptr) {
    slots_[op.result()] = {Slot::constant, 0, value->data()};
  } else if (has_trait(op, Trait::view)) {
    slots_[op.result()] = slots_.at(op.operand(0));
  } else if (op.is("machine.kernel") || op.is("llvm.kernel")) {
    add_launch(op);
  } else {
    fail("{}: is not lowered to machine code", op.describe());
  }
}

void CompiledModule::add_launch(const Operation& op) {
  Launch launch{&op, jit_.function(op), {}, op.get<Shape>("dims"), op.get<Shape>("iterations").at(0), {}, {}, 1};
  for (const Value* operand : op.operands()) launch.buffers.push_back(slots_.at(operand));
  const Shape placement = main_.attributes().contains("arena") ? op.get_or<Shape>("placement", {}) : Shape{};
  for (unsigned i = 0; i < op.result_count(); ++i) {
    const Slot slot{Slot::memory, memories_.size(), nullptr};
    memories_.push_back({op.result(i)->type(), i < placement.size() ? placement[i] : Dim(-1)});
    slots_[op.result(i)] = slot;
    launch.buffers.push_back(slot);
  }
  launches_.push_back(std::move(launch));
}

// The plan's arena first, then whatever has no place in it.
void CompiledModule::lay_out(const Binding& binding) {
  binding_ = binding;
  is_laid_out_ = false;
  const auto planned = main_.attributes().find("arena");
  int64_t end = 0;
  if (planned != main_.attributes().end()) end = planned->second.get<Shape>()->at(0).evaluate(binding);
  const int64_t planned_end = end;
  offsets_.clear();
  for (const Memory& memory : memories_) {
    const int64_t bytes = memory.type.bytes().evaluate(binding);
    int64_t offset = memory.offset.is(-1) ? -1 : memory.offset.evaluate(binding);
    if (offset >= 0 && offset + bytes > planned_end) fail("a result of {} bytes is placed at {}, outside the arena of {}", bytes, offset, planned_end);
    if (offset < 0) {
      offset = (end + static_cast<int64_t>(alignment) - 1) / static_cast<int64_t>(alignment) * static_cast<int64_t>(alignment);
      end = offset + bytes;
    }
    offsets_.push_back(offset);
  }
  const auto size = static_cast<size_t>(end) + alignment;
  if (size > arena_size_) arena_.reset(new (std::align_val_t(alignment)) std::byte[size]);
  arena_size_ = std::max(arena_size_, size);
  for (Launch& launch : launches_) {
    launch.dim_values = evaluate(launch.dims, binding);
    launch.iteration_count = launch.iterations.evaluate(binding);
    launch.pointers.assign(launch.buffers.size(), nullptr);
  }
  is_laid_out_ = true;
}

std::byte* CompiledModule::address(const Slot& slot, const std::vector<Tensor>& inputs) const {
  switch (slot.kind) {
    case Slot::input: return const_cast<std::byte*>(inputs[slot.index].data());  // kernels do not write operands
    case Slot::constant: return const_cast<std::byte*>(slot.constant_data);
    case Slot::memory: break;
  }
  return arena_.get() + offsets_[slot.index];
}

std::vector<Tensor> CompiledModule::run(const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size() && i < main_.body().argument_count(); ++i) {
    const Type& type = main_.body().argument(static_cast<unsigned>(i))->type();
    if (inputs[i].dtype() != type.dtype) fail("input {} is {}, expected {}", i, inputs[i].type().str(), type.str());
  }
  const Binding binding = bind(main_, inputs);
  if (!is_laid_out_ || binding != binding_) lay_out(binding);
  for (Launch& launch : launches_) {
    for (size_t i = 0; i < launch.buffers.size(); ++i) launch.pointers[i] = address(launch.buffers[i], inputs);
    pool_.run(launch.iteration_count, [&launch](int64_t begin, int64_t end) {
      launch.function(launch.pointers.data(), launch.dim_values.data(), begin, end);
    });
  }
  std::vector<Tensor> results;
  for (const auto& [slot, type] : results_) {
    Tensor result(type.dtype, evaluate(type.shape, binding));
    if (result.size_bytes() > 0) std::memcpy(result.mutable_data(), address(slot, inputs), result.size_bytes());
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace

std::unique_ptr<Executable> Executable::compile(std::shared_ptr<const Module> module, int threads) {
  return std::make_unique<CompiledModule>(std::move(module), threads);
}

}  // namespace stele
