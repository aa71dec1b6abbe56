// llvm.kernel -> machine.kernel: assembly for this machine, and the object assembled from that very text.
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

#include <map>

#include "passes/codegen/llvm/bitcode.h"
#include "passes/codegen/passes.h"

namespace stele {
namespace {

std::string assembly_of(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager manager;
  if (machine.addPassesToEmitFile(manager, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    throw Unavailable("LLVM emits no assembly for this machine");
  }
  manager.run(module);
  return std::string(text.begin(), text.end());
}

BlobRef assemble(const std::string& text, llvm::TargetMachine& machine) {
  const llvm::Target& target = machine.getTarget();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "kernel.s"), llvm::SMLoc());
  const llvm::MCTargetOptions options;
  const llvm::MCSubtargetInfo& subtarget = *machine.getMCSubtargetInfo();
  llvm::MCContext context(machine.getTargetTriple(), machine.getMCAsmInfo(), machine.getMCRegisterInfo(), &subtarget, &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> layout(target.createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(layout.get());
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target.createMCCodeEmitter(*machine.getMCInstrInfo(), context));
  std::unique_ptr<llvm::MCAsmBackend> backend(target.createMCAsmBackend(subtarget, *machine.getMCRegisterInfo(), options));
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCStreamer> streamer(target.createMCObjectStreamer(machine.getTargetTriple(), context, std::move(backend),
                                                                           std::move(writer), std::move(emitter), subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *machine.getMCAsmInfo()));
  std::unique_ptr<llvm::MCTargetAsmParser> instructions(target.createMCAsmParser(subtarget, *parser, *machine.getMCInstrInfo(), options));
  parser->setTargetParser(*instructions);
  if (parser->Run(/*NoInitialTextSection=*/false)) fail("LLVM does not assemble its own assembly");
  return Blob::from_string(std::string(object.begin(), object.end()));
}

struct Code {
  BlobRef assembly, object;
};

Code compile(const BlobRef& bitcode) {
  llvm::LLVMContext context;
  const auto machine = codegen::host_machine();
  const auto module = codegen::read_bitcode(bitcode, context);
  codegen::target_host(*module, *machine);
  std::string text = assembly_of(*module, *machine);
  BlobRef object = assemble(text, *machine);
  return {Blob::from_string(std::move(text)), object};
}

void run(PassContext& context) {
  std::vector<Operation*> kernels;
  std::map<std::string, size_t> known;
  std::vector<BlobRef> bitcode;
  for (const auto& function : context.module.functions()) {
    for (Operation* op : function->body().ops()) {
      if (!op->is("llvm.kernel")) continue;
      kernels.push_back(op);
      const BlobRef& blob = op->get<BlobRef>("bitcode");
      if (known.try_emplace(blob->hash(), bitcode.size()).second) bitcode.push_back(blob);
    }
  }
  std::vector<Code> code(bitcode.size());
  codegen::in_parallel(bitcode.size(), context.options.threads, [&](size_t i) { code[i] = compile(bitcode[i]); });
  for (Operation* op : kernels) {
    const Code& made = code[known.at(op->get<BlobRef>("bitcode")->hash())];
    context.rewriter.apply("assemble-kernel", {op}, [&](Rewrite& rewrite) {
      Attributes attributes = op->attributes();
      attributes.erase("bitcode");
      attributes["assembly"] = made.assembly;
      attributes["object"] = made.object;
      std::vector<Type> types;
      for (const Value* result : op->results()) types.push_back(result->type());
      rewrite.replace(op, rewrite.create("machine.kernel", op->operands(), types, attributes)->results());
    });
  }
}

}  // namespace

const Pass emit_assembly = {
    .name = "emit-assembly",
    .summary = "LLVM IR becomes machine code",
    .stage = Stage::codegen,
    .accepts = {Level::llvm},
    .produces = {Level::machine},
    .contract = {.kind = Contract::exact},
    .rules = {{"assemble-kernel", "llvm.kernel -> machine.kernel with its assembly and object"}},
    .run = run,
};

}  // namespace stele
