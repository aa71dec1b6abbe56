// Runs a module by the reference semantics of its ops, whatever levels they stand on.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/ops/op_def.h"

namespace stele {

// Executes llvm.kernel and machine.kernel ops; passes/codegen has one that uses the ORC JIT.
class KernelRunner {
 public:
  virtual ~KernelRunner() = default;
  // `results` are allocated with the right sizes and are to be written.
  virtual void run(const Module& module, const Operation& op, const std::vector<Tensor>& operands, std::vector<Tensor>& results,
                   const Binding& binding) = 0;
};

struct KernelTraffic {
  int64_t read = 0;     // distinct bytes
  int64_t written = 0;
};

struct EvalOptions {
  bool wide = false;               // floats as f64: the reference
  KernelRunner* runner = nullptr;  // needed where the module holds LLVM IR or machine code
  std::map<OpId, KernelTraffic>* traffic = nullptr;           // filled per loop-level kernel
  // Called with every top-level op's results, in order. Tensors may be views of an arena that ends with the
  // run: keep own copies (own_copy of core/ops/rules.h).
  std::function<void(const Operation&, const std::vector<Tensor>&)> on_op = nullptr;
};

// Values of the symbolic dims as the inputs' sizes give them; `given` adds and must agree. Throws Error naming the input,
// its sizes and its type where they do not fit.
Binding bind(const Function& function, const std::vector<Tensor>& inputs, const Binding& given = {});

// Runs main (or `function`) on the inputs, in order of its arguments; returns its results. Where memory has been planned
// (function attribute "arena", op attribute "placement": byte offset of each result, -1: not placed) results really live
// in the arena, so a wrong plan gives wrong values. Throws Error, naming op, node and domain, where an op cannot be run.
std::vector<Tensor> run(const Module& module, const std::vector<Tensor>& inputs, const EvalOptions& options = {});
std::vector<Tensor> run(const Module& module, const Function& function, const std::vector<Tensor>& inputs,
                        const Binding& binding, const EvalOptions& options);

}  // namespace stele
