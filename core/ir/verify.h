// Structure every module must have, whatever its ops.
#pragma once

#include "core/ir/ir.h"

namespace stele {

// Throws Error naming the op and the constraint's label:
//   ir_c1: an operand is defined before its use, in the same region or one around it
//   ir_c2: a function's body ends in func.return, whose operand types are the function's result types
//   ir_c3: ids are unique and not 0
//   ir_c4: use lists agree with operands
//   ir_c5: every symbol of a type is declared in module.symbols
void verify_structure(const Module& module);

}  // namespace stele
