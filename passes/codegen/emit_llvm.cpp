// loop.kernel -> llvm.kernel: each kernel an LLVM module of its own, equal kernels the same one.
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <optional>

#include "passes/codegen/llvm/arithmetic.h"
#include "passes/codegen/llvm/bitcode.h"
#include "passes/codegen/llvm/kernel_emitter.h"
#include "passes/codegen/passes.h"

namespace stele {
namespace {

struct Code {
  std::string symbol;
  BlobRef bitcode;
  Shape dims;
  Dim iterations;
};

Code emit(const Operation& kernel, const std::string& canonical) {
  llvm::LLVMContext context;
  const std::string symbol = "kernel_" + Blob::from_string(canonical)->hash().substr(0, 16);
  codegen::EmittedKernel emitted = codegen::emit_kernel(context, kernel, symbol);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*emitted.module, &stream)) fail("{}: LLVM refuses its code: {}", kernel.describe(), problem);
  return {symbol, codegen::write_bitcode(*emitted.module), emitted.dims, emitted.iterations};
}

std::optional<Code> emit_if_possible(const Operation& kernel, const std::string& canonical) {
  try {
    return emit(kernel, canonical);
  } catch (const codegen::NoCode&) {
    return std::nullopt;
  }
}

void run(PassContext& context) {
  std::map<std::string, std::optional<Code>> known;
  for (const auto& function : context.module.functions()) {
    for (Operation* op : function->body().ops()) {
      if (context.rewriter.exhausted()) return;
      if (!op->is("loop.kernel")) continue;
      const std::string canonical = codegen::canonical_text(*op);
      auto found = known.find(canonical);
      if (found == known.end()) found = known.emplace(canonical, emit_if_possible(*op, canonical)).first;
      if (!found->second) continue;  // it is run by the loop evaluator
      const Code& code = *found->second;
      context.rewriter.apply("emit-kernel", {op}, [&](Rewrite& rewrite) {
        Attributes attributes = {{"symbol", code.symbol}, {"bitcode", code.bitcode}, {"dims", code.dims}, {"iterations", Shape{code.iterations}}};
        for (const char* kept : {"cost", "placement"}) {
          if (const Attribute* value = op->attribute(kept)) attributes.emplace(kept, *value);
        }
        std::vector<Type> types;
        for (const Value* result : op->results()) types.push_back(result->type());
        rewrite.replace(op, rewrite.create("llvm.kernel", op->operands(), types, attributes)->results());
      });
    }
  }
}

}  // namespace

const Pass emit_llvm = {
    .name = "emit-llvm",
    .summary = "loop nests become LLVM IR",
    .stage = Stage::codegen,
    .accepts = {Level::loop},
    .produces = {Level::llvm},
    // exp, log, tanh, erf and functions made of them are approximated; f32 is computed with in f32.
    .contract = {.kind = Contract::approximates, .bound_ulp = 2},
    .rules = {{"emit-kernel", "loop.kernel -> llvm.kernel of the same operands"}},
    .run = run,
};

}  // namespace stele
