#include "core/eval/loop_evaluator.h"

#include <cmath>
#include <cstring>
#include <map>

#include "core/eval/loop_program.h"

namespace stele {
namespace {

using Code = LoopInstruction::Code;

// Bit 0: read, bit 1: written; one byte an element.
using Touched = std::vector<uint8_t>;

struct Memory {
  std::byte* data = nullptr;
  std::vector<int64_t> sizes, strides;
  Touched* touched = nullptr;  // null: not counted
};

class Machine {
 public:
  Machine(const Operation& kernel, const LoopProgram& program) : kernel_(kernel), program_(program), cells_(program.registers) {}

  void bind_buffers(const std::vector<Tensor>& operands, std::vector<Tensor>& results, const Binding& binding, bool count);
  void run() { run_block(0, static_cast<int>(program_.instructions.size())); }
  void count(EvalContext& context) const;

 private:
  Cell* at(int reg) { return cells_.data() + reg; }
  void run_block(int begin, int end);
  void run_loop(const LoopInstruction& loop, int body);
  int64_t offset(const LoopInstruction& in, const Memory& memory);
  [[noreturn]] void out_of_bounds(const LoopInstruction& in, const Memory& memory, size_t axis, int64_t subscript) const;
  void load(const LoopInstruction& in);
  void store(const LoopInstruction& in);
  void reduce(const LoopInstruction& in);
  void fma(const LoopInstruction& in);

  const Operation& kernel_;
  const LoopProgram& program_;
  std::vector<Cell> cells_;
  std::vector<Memory> memory_;
  std::vector<std::vector<std::byte>> scratch_;
  std::map<const Value*, Touched> touched_operands_;
  std::vector<Touched> touched_results_;
  std::vector<Cell> carried_;
};

void Machine::bind_buffers(const std::vector<Tensor>& operands, std::vector<Tensor>& results, const Binding& binding, bool count) {
  touched_results_.resize(results.size());
  scratch_.reserve(program_.buffers.size());
  for (const LoopBuffer& buffer : program_.buffers) {
    Memory memory;
    memory.sizes = evaluate(buffer.shape, binding);
    memory.strides = row_major_strides(memory.sizes);
    const size_t elements = static_cast<size_t>(checked_element_count(memory.sizes));
    const int operand_count = static_cast<int>(operands.size());
    if (buffer.view_of >= 0) {
      memory.data = memory_[static_cast<size_t>(buffer.view_of)].data;
      memory.touched = memory_[static_cast<size_t>(buffer.view_of)].touched;
    } else if (buffer.outside < 0) {
      memory.data = scratch_.emplace_back(Tensor(buffer.dtype, memory.sizes).size_bytes()).data();
    } else if (buffer.outside < operand_count) {
      const Tensor& tensor = operands[static_cast<size_t>(buffer.outside)];
      memory.data = const_cast<std::byte*>(tensor.data());  // verified below: operands are never stored to
      if (count) memory.touched = &touched_operands_[kernel_.operand(static_cast<unsigned>(buffer.outside))];
    } else {
      const size_t result = static_cast<size_t>(buffer.outside - operand_count);
      memory.data = results[result].mutable_data();
      if (count) memory.touched = &touched_results_[result];
    }
    if (memory.touched) memory.touched->resize(elements);
    memory_.push_back(std::move(memory));
  }
  for (const LoopInstruction& in : program_.instructions) {
    if (in.code != Code::store) continue;
    size_t target = static_cast<size_t>(in.buffer);
    while (program_.buffers[target].view_of >= 0) target = static_cast<size_t>(program_.buffers[target].view_of);
    const int outside = program_.buffers[target].outside;
    if (outside >= 0 && outside < static_cast<int>(operands.size())) {
      fail("{}: stores into its operand {}", kernel_.describe(), outside);
    }
  }
}

void Machine::count(EvalContext& context) const {
  int64_t read = 0, written = 0;
  for (const auto& [operand, touched] : touched_operands_) {
    read += std::count_if(touched.begin(), touched.end(), [](uint8_t t) { return (t & 1) != 0; }) * size_bytes(operand->dtype());
  }
  for (size_t i = 0; i < touched_results_.size(); ++i) {
    const Touched& touched = touched_results_[i];
    const int64_t bytes = size_bytes(kernel_.result(static_cast<unsigned>(i))->dtype());
    written += std::count_if(touched.begin(), touched.end(), [](uint8_t t) { return (t & 2) != 0; }) * bytes;
  }
  context.count_bytes(kernel_, read, written);
}

void Machine::out_of_bounds(const LoopInstruction& in, const Memory& memory, size_t axis, int64_t subscript) const {
  const int outside = program_.buffers[static_cast<size_t>(in.buffer)].outside;
  const int operands = static_cast<int>(kernel_.operand_count());
  const std::string buffer = outside < 0          ? fmt::format("a scratch buffer")
                             : outside < operands ? fmt::format("the buffer of operand {}", outside)
                                                  : fmt::format("the buffer of result {}", outside - operands);
  const bool last = axis + 1 == memory.sizes.size();
  fail("{}: {} {} at {}{} on axis {}, which has {}", kernel_.describe(), in.code == Code::load ? "reads" : "writes", buffer, subscript,
       last && in.lanes > 1 ? fmt::format(" to {}", subscript + in.lanes - 1) : "", axis, memory.sizes[axis]);
}

int64_t Machine::offset(const LoopInstruction& in, const Memory& memory) {
  int64_t linear = 0;
  const size_t rank = in.subscripts.size();
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t subscript = cells_[static_cast<size_t>(in.subscripts[axis])].i;
    const int64_t room = axis + 1 == rank ? memory.sizes[axis] - in.lanes + 1 : memory.sizes[axis];
    if (subscript < 0 || subscript >= room) out_of_bounds(in, memory, axis, subscript);
    linear += subscript * memory.strides[axis];
  }
  return linear;
}

void Machine::load(const LoopInstruction& in) {
  const Memory& memory = memory_[static_cast<size_t>(in.buffer)];
  const int64_t linear = offset(in, memory);
  if (memory.touched) {
    for (int lane = 0; lane < in.lanes; ++lane) (*memory.touched)[static_cast<size_t>(linear + lane)] |= 1;
  }
  Cell* to = at(in.result);
  if (in.dtype == DType::f32) {
    for (int lane = 0; lane < in.lanes; ++lane) {
      float value;
      std::memcpy(&value, memory.data + (linear + lane) * 4, 4);
      to[lane].f = value;
    }
  } else {
    load_cells(in.dtype, memory.data, linear, in.lanes, to);
  }
}

void Machine::store(const LoopInstruction& in) {
  const Memory& memory = memory_[static_cast<size_t>(in.buffer)];
  const int64_t linear = offset(in, memory);
  if (memory.touched) {
    for (int lane = 0; lane < in.lanes; ++lane) (*memory.touched)[static_cast<size_t>(linear + lane)] |= 2;
  }
  store_cells(in.dtype, memory.data, linear, in.lanes, at(in.operands[0]));
}

void Machine::reduce(const LoopInstruction& in) {
  std::vector<Cell> lanes(at(in.operands[0]), at(in.operands[0]) + in.lanes);
  for (int half = in.lanes / 2; half >= 1; half /= 2) {
    const Cell* inputs[3] = {lanes.data(), lanes.data() + half, nullptr};
    in.scalar.apply(in.scalar, lanes.data(), inputs, half);
  }
  *at(in.result) = lanes[0];
}

void Machine::fma(const LoopInstruction& in) {
  const Cell *a = at(in.operands[0]), *b = at(in.operands[1]), *c = at(in.operands[2]);
  Cell* to = at(in.result);
  if (in.dtype == DType::f32) {
    // The product of two f32 is exact in double; fma keeps the sum from being rounded twice.
    for (int lane = 0; lane < in.lanes; ++lane) {
      to[lane].f = __builtin_fmaf(static_cast<float>(a[lane].f), static_cast<float>(b[lane].f), static_cast<float>(c[lane].f));
    }
  } else {
    for (int lane = 0; lane < in.lanes; ++lane) to[lane].f = round_to(in.dtype, std::fma(a[lane].f, b[lane].f, c[lane].f));
  }
}

void Machine::run_loop(const LoopInstruction& loop, int body) {
  const int64_t lower = at(loop.operands[0])->i, upper = at(loop.operands[1])->i;
  for (const auto& carried : loop.carried) std::copy_n(at(carried.initial), carried.lanes, at(carried.argument));
  for (int64_t iv = lower; iv < upper; iv += loop.step) {
    at(loop.result)->i = iv;
    run_block(body, loop.end);
    if (loop.carried.size() == 1) {
      std::copy_n(at(loop.carried[0].yielded), loop.carried[0].lanes, at(loop.carried[0].argument));
    } else if (!loop.carried.empty()) {
      // All are read before one is written: a yielded value may be another's argument.
      std::vector<Cell> yielded;
      std::swap(yielded, carried_);
      yielded.clear();
      for (const auto& carried : loop.carried) yielded.insert(yielded.end(), at(carried.yielded), at(carried.yielded) + carried.lanes);
      const Cell* from = yielded.data();
      for (const auto& carried : loop.carried) from = std::copy_n(from, carried.lanes, at(carried.argument)) - at(carried.argument) + from;
      std::swap(yielded, carried_);
    }
  }
  for (const auto& carried : loop.carried) std::copy_n(at(carried.argument), carried.lanes, at(carried.result));
}

// One line a quick instruction: `value` of the lanes' operands x and y.
#define STELE_LANES(field, value)                                              \
  {                                                                            \
    const Cell *a = at(in.operands[0]), *b = at(in.operands[1]);               \
    Cell* to = at(in.result);                                                  \
    for (int lane = 0; lane < in.lanes; ++lane) {                              \
      const auto x = a[lane].field;                                            \
      const auto y = b[lane].field;                                            \
      to[lane].field = value;                                                  \
    }                                                                          \
    break;                                                                     \
  }

void Machine::run_block(int begin, int end) {
  for (int pc = begin; pc < end;) {
    const LoopInstruction& in = program_.instructions[static_cast<size_t>(pc)];
    ++pc;
    switch (in.code) {
      case Code::load: load(in); break;
      case Code::store: store(in); break;
      case Code::loop:
        run_loop(in, pc);
        pc = in.end;
        break;
      case Code::copy_lanes: std::fill_n(at(in.result), in.lanes, *at(in.operands[0])); break;
      case Code::lanes_of:
        for (int lane = 0; lane < in.lanes; ++lane) at(in.result)[lane].i = at(in.operands[0])->i + lane;
        break;
      case Code::reduce_lanes: reduce(in); break;
      case Code::fma: fma(in); break;
      case Code::index_add: STELE_LANES(i, x + y)
      case Code::index_subtract: STELE_LANES(i, x - y)
      case Code::index_multiply: STELE_LANES(i, x * y)
      // Sum, product and quotient of two f32, rounded from the double, are those rounded from the exact value.
      case Code::f32_add: STELE_LANES(f, static_cast<float>(x + y))
      case Code::f32_subtract: STELE_LANES(f, static_cast<float>(x - y))
      case Code::f32_multiply: STELE_LANES(f, static_cast<float>(x * y))
      case Code::f32_divide: STELE_LANES(f, static_cast<float>(x / y))
      case Code::elementwise: {
        const Cell* inputs[3] = {at(in.operands[0]), at(in.operands[1]), at(in.operands[2])};
        in.scalar.apply(in.scalar, at(in.result), inputs, in.lanes);
        break;
      }
    }
  }
}

#undef STELE_LANES

}  // namespace

void run_loop_kernel(const Operation& kernel, const std::vector<Tensor>& operands, std::vector<Tensor>& results,
                     EvalContext& context, bool count) {
  const LoopProgram program = compile_loops(kernel, context.binding(), context.wide());
  for (size_t i = 0; i < operands.size(); ++i) {
    const Value* operand = kernel.operand(static_cast<unsigned>(i));
    const bool fits = operands[i].dtype() == context.widened(operand->dtype()) &&
                      operands[i].sizes() == evaluate(operand->shape(), context.binding());
    if (!fits) fail("{}: operand {} is {}, expected {}", kernel.describe(), i, operands[i].type().str(), operand->type().str());
  }
  Machine machine(kernel, program);
  machine.bind_buffers(operands, results, context.binding(), count);
  machine.run();
  if (count) machine.count(context);
}

}  // namespace stele
