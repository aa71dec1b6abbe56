// A compiled module made ready to be run over and over: code loaded, memory laid out, launches in a list.
#pragma once

#include <memory>
#include <vector>

#include "core/ir/ir.h"
#include "core/ir/tensor.h"

namespace stele {

class Executable {
 public:
  // Throws Error naming the first op of main that is not machine code, LLVM IR, a view or a constant.
  static std::unique_ptr<Executable> compile(std::shared_ptr<const Module> module, int threads = 0);
  virtual ~Executable() = default;

  // Symbolic dims take their values from the inputs; other sizes only lay out memory anew. One caller at a time.
  virtual std::vector<Tensor> run(const std::vector<Tensor>& inputs) = 0;
  virtual int launches() const = 0;
  virtual int64_t arena_bytes() const = 0;  // of the last run
};

}  // namespace stele
