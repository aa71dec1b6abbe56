// LLVM's own optimisation of each kernel: what code that is vectorised already still profits from.
#include <llvm/Passes/PassBuilder.h>

#include <map>

#include "passes/codegen/llvm/bitcode.h"
#include "passes/codegen/passes.h"

namespace stele {
namespace {

// No reassociation, no contraction: none of these changes a result.
constexpr auto pipeline = "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),simplifycfg,"
                          "early-cse<memssa>,loop(loop-idiom,indvars),instcombine<no-verify-fixpoint>,adce)";

BlobRef optimized(const BlobRef& bitcode) {
  llvm::LLVMContext context;
  const auto machine = codegen::host_machine();
  const auto module = codegen::read_bitcode(bitcode, context);
  codegen::target_host(*module, *machine);
  llvm::PassBuilder builder(machine.get());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager manager;
  if (llvm::Error error = builder.parsePassPipeline(manager, pipeline)) {
    fail("LLVM does not know the pipeline: {}", llvm::toString(std::move(error)));
  }
  manager.run(*module, modules);
  return codegen::write_bitcode(*module);
}

void run(PassContext& context) {
  std::vector<Operation*> kernels;
  std::map<std::string, size_t> known;
  std::vector<BlobRef> before;
  for (const auto& function : context.module.functions()) {
    for (Operation* op : function->body().ops()) {
      if (!op->is("llvm.kernel")) continue;
      kernels.push_back(op);
      const BlobRef& bitcode = op->get<BlobRef>("bitcode");
      if (known.try_emplace(bitcode->hash(), before.size()).second) before.push_back(bitcode);
    }
  }
  std::vector<BlobRef> after(before.size());
  codegen::in_parallel(before.size(), context.options.threads, [&](size_t i) { after[i] = optimized(before[i]); });
  for (Operation* op : kernels) {
    const BlobRef& bitcode = op->get<BlobRef>("bitcode");
    const BlobRef& better = after[known.at(bitcode->hash())];
    if (better->hash() == bitcode->hash()) continue;
    context.rewriter.apply("optimize-kernel", {op}, [&](Rewrite& rewrite) { rewrite.set_attribute(op, "bitcode", better); });
  }
}

}  // namespace

const Pass optimize_llvm = {
    .name = "optimize-llvm",
    .summary = "LLVM's own passes over each kernel",
    .stage = Stage::codegen,
    .accepts = {Level::llvm},
    .produces = {Level::llvm},
    .contract = {.kind = Contract::exact},
    .rules = {{"optimize-kernel", "the kernel's LLVM IR after LLVM's passes for this machine"}},
    .run = run,
};

}  // namespace stele
