// From the region of a loop.kernel to a flat program.
#include <map>

#include "core/eval/loop_program.h"

namespace stele {
namespace {

using Code = LoopInstruction::Code;

class Compiler {
 public:
  Compiler(const Operation& kernel, const Binding& binding, bool wide) : kernel_(kernel), binding_(binding), wide_(wide) {}

  LoopProgram compile() {
    const Region& body = kernel_.region();
    for (unsigned i = 0; i < body.argument_count(); ++i) {
      buffers_[body.argument(i)] = add_buffer(body.argument(i)->type(), static_cast<int>(i));
    }
    compile_region(body);
    return std::move(program_);
  }

 private:
  DType widened(DType dtype) const { return wide_ && is_float(dtype) ? DType::f64 : dtype; }

  static int lanes(const Value* value) {
    return value->type().kind == TypeKind::vector ? static_cast<int>(value->shape().at(0).value()) : 1;
  }

  int add_buffer(const Type& type, int outside) {
    LoopBuffer buffer;
    buffer.dtype = widened(type.dtype);
    buffer.shape = type.shape;
    buffer.outside = outside;
    program_.buffers.push_back(buffer);
    return static_cast<int>(program_.buffers.size()) - 1;
  }

  int add_register(const Value* value) {
    const int at = static_cast<int>(program_.registers.size());
    program_.registers.resize(program_.registers.size() + static_cast<size_t>(lanes(value)));
    registers_[value] = at;
    return at;
  }

  int register_of(const Operation& op, const Value* value) const {
    auto found = registers_.find(value);
    if (found == registers_.end()) fail("{}: an operand is not a value of this kernel", op.describe());
    return found->second;
  }

  int buffer_of(const Operation& op, const Value* value) const {
    auto found = buffers_.find(value);
    if (found == buffers_.end()) fail("{}: an operand is not a buffer of this kernel", op.describe());
    return found->second;
  }

  void compile_region(const Region& region) {
    for (const Operation& op : region) {
      if (!has_trait(op, Trait::terminator)) compile_op(op);
    }
  }

  void compile_op(const Operation& op);
  void compile_access(const Operation& op, bool is_store);
  void compile_loop(const Operation& op);
  void compile_constant(const Operation& op);
  void compile_view(const Operation& op);
  void compile_arithmetic(const Operation& op);
  Code quick_code(const Operation& op) const;
  LoopInstruction& add(Code code, const Operation& op);

  const Operation& kernel_;
  const Binding& binding_;
  const bool wide_;
  LoopProgram program_;
  std::map<const Value*, int> registers_, buffers_;
};

LoopInstruction& Compiler::add(Code code, const Operation& op) {
  LoopInstruction instruction;
  instruction.code = code;
  if (op.result_count() == 1 && code != Code::loop) {
    instruction.dtype = widened(op.result()->dtype());
    instruction.lanes = lanes(op.result());
    instruction.result = add_register(op.result());
  }
  program_.instructions.push_back(std::move(instruction));
  return program_.instructions.back();
}

void Compiler::compile_op(const Operation& op) {
  if (op.is("loop.for")) return compile_loop(op);
  if (op.is("loop.load")) return compile_access(op, false);
  if (op.is("loop.store")) return compile_access(op, true);
  if (op.is("loop.constant") || op.is("loop.dim")) return compile_constant(op);
  if (op.is("loop.view")) return compile_view(op);
  if (op.is("loop.alloc")) {
    buffers_[op.result()] = add_buffer(op.result()->type(), -1);
    return;
  }
  compile_arithmetic(op);
}

void Compiler::compile_access(const Operation& op, bool is_store) {
  const unsigned at = is_store ? 1 : 0;
  LoopInstruction& instruction = add(is_store ? Code::store : Code::load, op);
  instruction.buffer = buffer_of(op, op.operand(at));
  instruction.dtype = program_.buffers[static_cast<size_t>(instruction.buffer)].dtype;
  if (is_store) {
    instruction.operands[0] = register_of(op, op.operand(0));
    instruction.lanes = lanes(op.operand(0));
  }
  for (unsigned i = at + 1; i < op.operand_count(); ++i) instruction.subscripts.push_back(register_of(op, op.operand(i)));
}

void Compiler::compile_constant(const Operation& op) {
  const int at = add_register(op.result());
  Cell& cell = program_.registers[static_cast<size_t>(at)];
  if (op.is("loop.dim")) {
    cell.i = op.get<Shape>("value").at(0).evaluate(binding_);
  } else if (const Tensor& value = op.get<Tensor>("value"); is_float(value.dtype())) {
    cell.f = value.get(0);
  } else {
    cell.i = value.get_int(0);
  }
}

void Compiler::compile_view(const Operation& op) {
  const int base = buffer_of(op, op.operand(0));
  const int at = add_buffer(op.result()->type(), -1);
  program_.buffers[static_cast<size_t>(at)].view_of = base;
  buffers_[op.result()] = at;
}

void Compiler::compile_loop(const Operation& op) {
  const size_t at = program_.instructions.size();
  {
    LoopInstruction& loop = add(Code::loop, op);
    loop.operands[0] = register_of(op, op.operand(0));
    loop.operands[1] = register_of(op, op.operand(1));
    loop.step = op.get_or<int64_t>("step", 1);
  }
  const Region& body = op.region();
  const int iv = add_register(body.argument(0));
  for (unsigned i = 1; i < body.argument_count(); ++i) add_register(body.argument(i));
  compile_region(body);
  LoopInstruction& loop = program_.instructions[at];
  loop.result = iv;
  loop.end = static_cast<int>(program_.instructions.size());
  for (unsigned i = 0; i < op.result_count(); ++i) {
    loop.carried.push_back({register_of(op, op.operand(i + 2)), register_of(op, body.argument(i + 1)),
                            register_of(op, body.terminator()->operand(i)), add_register(op.result(i)), lanes(op.result(i))});
  }
}

// The few ops that inner loops are made of have an instruction of their own.
Code Compiler::quick_code(const Operation& op) const {
  const Type& type = op.result()->type();
  if (type == Type::index()) {
    if (op.is("stablehlo.add")) return Code::index_add;
    if (op.is("stablehlo.subtract")) return Code::index_subtract;
    if (op.is("stablehlo.multiply")) return Code::index_multiply;
  }
  if (type.dtype == DType::f32 && !wide_) {
    if (op.is("stablehlo.add")) return Code::f32_add;
    if (op.is("stablehlo.subtract")) return Code::f32_subtract;
    if (op.is("stablehlo.multiply")) return Code::f32_multiply;
    if (op.is("stablehlo.divide")) return Code::f32_divide;
  }
  return Code::elementwise;
}

void Compiler::compile_arithmetic(const Operation& op) {
  if (op.result_count() != 1 || op.operand_count() > 3) fail("{}: cannot stand in a loop", op.describe());
  Code code = quick_code(op);
  if (op.is("loop.broadcast")) code = Code::copy_lanes;
  if (op.is("loop.lanes")) code = Code::lanes_of;
  if (op.is("loop.reduce")) code = Code::reduce_lanes;
  if (op.is("loop.fma")) code = Code::fma;
  int operands[3] = {0, 0, 0};
  for (unsigned i = 0; i < op.operand_count(); ++i) operands[i] = register_of(op, op.operand(i));
  LoopInstruction& instruction = add(code, op);
  std::copy(operands, operands + 3, instruction.operands);
  if (code == Code::elementwise) {
    instruction.scalar = scalar_op(op, wide_);
    for (unsigned i = 0; i < op.operand_count(); ++i) instruction.scalar.broadcast[i] = lanes(op.operand(i)) < instruction.lanes;
  }
  if (code == Code::reduce_lanes) {
    instruction.lanes = lanes(op.operand(0));
    instruction.scalar = scalar_reduction(op.get<std::string>("kind"), op.result()->dtype(), wide_);
  }
}

}  // namespace

LoopProgram compile_loops(const Operation& kernel, const Binding& binding, bool wide) {
  return Compiler(kernel, binding, wide).compile();
}

}  // namespace stele
