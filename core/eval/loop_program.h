// What a loop.kernel is compiled to before it is evaluated: a flat list of instructions over registers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/eval/loop_scalar.h"
#include "core/ops/op_def.h"

namespace stele {

// A register holds `lanes` cells in a row, one for a scalar.
struct LoopInstruction {
  enum Code : uint8_t {
    load, store, loop, copy_lanes, lanes_of, reduce_lanes, fma, elementwise,
    index_add, index_subtract, index_multiply,                  // scalars of type index
    f32_add, f32_subtract, f32_multiply, f32_divide,            // rounded to f32
  };
  Code code = elementwise;
  DType dtype = DType::f32;  // of the result; of the element for load and store
  int lanes = 1;
  int result = 0;            // register
  int operands[3] = {0, 0, 0};
  int buffer = 0;
  std::vector<int> subscripts;  // registers
  ScalarOp scalar;              // of an elementwise op
  // loop: operands[0], operands[1] are the bounds; result is the induction variable
  int64_t step = 1;
  int end = 0;  // one past the last instruction of its body
  struct Carried {
    int initial, argument, yielded, result, lanes;
  };
  std::vector<Carried> carried;
};

struct LoopBuffer {
  DType dtype = DType::f32;
  Shape shape;
  int outside = -1;   // position among operands and results; -1: scratch
  int view_of = -1;   // buffer whose memory it shares; -1: its own
  int operands = 0;   // of the kernel
};

struct LoopProgram {
  std::vector<LoopInstruction> instructions;
  std::vector<LoopBuffer> buffers;
  std::vector<Cell> registers;  // initial contents: constants and dims are there from the start
};

// Throws Error where an op cannot stand in a kernel. `wide`: floats are f64.
LoopProgram compile_loops(const Operation& kernel, const Binding& binding, bool wide);

}  // namespace stele
