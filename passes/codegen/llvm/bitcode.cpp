#include "passes/codegen/llvm/bitcode.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "core/ir/error.h"

namespace stele::codegen {

BlobRef write_bitcode(const llvm::Module& module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  stream.flush();
  return Blob::from_string(std::move(bytes));
}

std::unique_ptr<llvm::Module> read_bitcode(const BlobRef& blob, llvm::LLVMContext& context) {
  const auto bytes = blob->bytes();
  const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(text, "kernel"), context);
  if (!module) fail("bitcode cannot be read: {}", llvm::toString(module.takeError()));
  return std::move(*module);
}

namespace {

struct Host {
  std::string triple, cpu, features;
};

const Host& host() {
  static const Host found = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    Host host{llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), ""};
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    std::vector<std::string> names;
    for (const auto& feature : features) names.push_back((feature.second ? "+" : "-") + feature.first().str());
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) host.features += (host.features.empty() ? "" : ",") + name;
    return host;
  }();
  return found;
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> host_machine() {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host().triple, error);
  if (!target) throw Unavailable("no code generator for this machine: " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // sums of products are fused where the loops say so, nowhere else
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(host().triple, host().cpu, host().features, options,
                                                                           llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Less));
  if (!machine) throw Unavailable("no code generator for this machine");
  return machine;
}

void target_host(llvm::Module& module, const llvm::TargetMachine& machine) {
  module.setTargetTriple(machine.getTargetTriple().str());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", host().cpu);
    function.addFnAttr("target-features", host().features);
    function.addFnAttr("prefer-vector-width", "512");
  }
}

void in_parallel(size_t count, int threads, const std::function<void(size_t)>& work) {
  const size_t available = threads > 0 ? static_cast<size_t>(threads) : std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next = 0;
  std::exception_ptr error;
  std::mutex mutex;
  const auto drain = [&] {
    try {
      for (size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> pool;
  for (size_t i = 1; i < std::min(available, count); ++i) pool.emplace_back(drain);
  drain();
  for (std::thread& thread : pool) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace stele::codegen
