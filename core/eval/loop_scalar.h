// Elementwise ops on registers, by the functions of their records: bit for bit what the tensor level computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/ops/op_def.h"

namespace stele {

// One lane: floats as a double, everything else in 64 bits, sign- or zero-extended.
union Cell {
  double f;
  int64_t i = 0;
};

// An elementwise op made ready for a type. `apply` computes `lanes` results and rounds or wraps each to the dtype.
struct ScalarOp {
  void (*apply)(const ScalarOp& op, Cell* result, const Cell* const inputs[3], int lanes) = nullptr;
  LaneFunction* function = nullptr;
  DType from = DType::f32, to = DType::f32;      // of operand 0 (of a select: the values') and of the result
  bool broadcast[3] = {false, false, false};     // operand i is one cell for all lanes
  int direction = 0;                             // of a compare
  bool total_order = false;
};

// Throws Error naming the op where it has no meaning on registers. `wide`: floats are f64.
ScalarOp scalar_op(const Operation& op, bool wide);
ScalarOp scalar_reduction(std::string_view kind, DType dtype, bool wide);

double round_to(DType dtype, double value);
void load_cells(DType dtype, const std::byte* data, int64_t at, int lanes, Cell* to);
void store_cells(DType dtype, std::byte* data, int64_t at, int lanes, const Cell* from);

}  // namespace stele
