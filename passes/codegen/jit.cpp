#include "passes/codegen/jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <mutex>

#include "passes/codegen/llvm/bitcode.h"

namespace stele {

struct Jit::State {
  std::mutex mutex;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::map<std::string, KernelFunction> functions;  // by hash of the blob

  void check(llvm::Error error, const Operation& op) {
    if (error) fail("{}: cannot be loaded: {}", op.describe(), llvm::toString(std::move(error)));
  }
};

namespace {

llvm::orc::JITTargetMachineBuilder machine_builder() {
  const auto machine = codegen::host_machine();
  llvm::orc::JITTargetMachineBuilder builder(machine->getTargetTriple());
  builder.setCPU(machine->getTargetCPU().str());
  builder.getFeatures() = llvm::SubtargetFeatures(machine->getTargetFeatureString());
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return builder;
}

}  // namespace

Jit::Jit() : state_(std::make_unique<State>()) {
  auto made = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(machine_builder()).create();
  if (!made) throw Unavailable("no JIT on this machine: " + llvm::toString(made.takeError()));
  state_->jit = std::move(*made);
}

Jit::~Jit() = default;

KernelFunction Jit::function(const Operation& op) {
  const bool is_object = op.is("machine.kernel");
  const BlobRef& blob = op.get<BlobRef>(is_object ? "object" : "bitcode");
  const std::lock_guard lock(state_->mutex);
  KernelFunction& function = state_->functions[blob->hash()];
  if (function) return function;
  // A library a blob: the same symbol may come as IR, optimised IR and object.
  auto library = state_->jit->createJITDylib(blob->hash() + (is_object ? ".o" : ".bc"));
  if (!library) state_->check(library.takeError(), op);
  auto generator = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(state_->jit->getDataLayout().getGlobalPrefix());
  if (!generator) state_->check(generator.takeError(), op);
  library->addGenerator(std::move(*generator));
  if (is_object) {
    const auto bytes = blob->bytes();
    const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    state_->check(state_->jit->addObjectFile(*library, llvm::MemoryBuffer::getMemBufferCopy(text, "kernel")), op);
  } else {
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = codegen::read_bitcode(blob, *context);
    codegen::target_host(*module, *codegen::host_machine());
    state_->check(state_->jit->addIRModule(*library, llvm::orc::ThreadSafeModule(std::move(module), std::move(context))), op);
  }
  auto address = state_->jit->lookup(*library, op.get<std::string>("symbol"));
  if (!address) state_->check(address.takeError(), op);
  function = address->toPtr<KernelFunction>();
  return function;
}

void Jit::run(const Module&, const Operation& op, const std::vector<Tensor>& operands, std::vector<Tensor>& results, const Binding& binding) {
  const KernelFunction kernel = function(op);
  std::vector<std::byte*> buffers;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Value* operand = op.operand(static_cast<unsigned>(i));
    if (operands[i].dtype() != operand->dtype() || operands[i].sizes() != evaluate(operand->shape(), binding)) {
      fail("{}: operand {} is {}, expected {}", op.describe(), i, operands[i].type().str(), operand->type().str());
    }
    buffers.push_back(const_cast<std::byte*>(operands[i].data()));
  }
  for (Tensor& result : results) buffers.push_back(result.mutable_data());
  const std::vector<int64_t> dims = evaluate(op.get<Shape>("dims"), binding);
  kernel(buffers.data(), dims.data(), 0, op.get<Shape>("iterations").at(0).evaluate(binding));
}

BlobRef swap_operands_in_bitcode(const BlobRef& bitcode) {
  llvm::LLVMContext context;
  const auto module = codegen::read_bitcode(bitcode, context);
  llvm::Instruction* first_add = nullptr;
  for (llvm::Function& function : *module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const unsigned code = instruction.getOpcode();
      if (code == llvm::Instruction::FSub || code == llvm::Instruction::FDiv) {
        llvm::Value *x = instruction.getOperand(0), *y = instruction.getOperand(1);
        if (x == y) continue;
        instruction.setOperand(0, y);
        instruction.setOperand(1, x);
        return codegen::write_bitcode(*module);
      }
      if (code == llvm::Instruction::FAdd && !first_add) first_add = &instruction;
    }
  }
  if (!first_add) return nullptr;
  auto* subtraction = llvm::BinaryOperator::Create(llvm::Instruction::FSub, first_add->getOperand(0), first_add->getOperand(1));
  subtraction->insertBefore(first_add);
  first_add->replaceAllUsesWith(subtraction);
  first_add->eraseFromParent();
  return codegen::write_bitcode(*module);
}

std::string llvm_text(const BlobRef& bitcode) {
  llvm::LLVMContext context;
  const auto module = codegen::read_bitcode(bitcode, context);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

}  // namespace stele
