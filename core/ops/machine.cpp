// Kernels below the loop level: LLVM IR and machine code, as opaque blobs behind one C interface:
//   void symbol(std::byte** buffers, const int64_t* dims, int64_t begin, int64_t end)
// buffers are those of the operands, then of the results; dims the values of attribute "dims"; [begin, end) the iterations
// of the kernel's parallel loop to run. Whoever calls it splits [0, iterations) among threads.
#include "core/ops/all_ops.h"
#include "core/ops/loop.h"
#include "core/ops/rules.h"

namespace stele {
namespace {

// llvm.kernel / machine.kernel(operands…) → tensor results
//   blob_kernel_c1: symbol is not empty; dims is a list of dims, iterations one dim
//   blob_kernel_c2: the code (bitcode; object and assembly) is a blob that is not empty
void verify_blob(const Operation& op, std::string_view attribute) {
  if (op.get<BlobRef>(attribute) == nullptr || op.get<BlobRef>(attribute)->size() == 0) {
    fail("{}: blob_kernel_c2: attribute '{}' is empty", op.describe(), attribute);
  }
}

void verify_interface(const Operation& op) {
  if (op.get<std::string>("symbol").empty()) fail("{}: blob_kernel_c1: symbol is empty", op.describe());
  op.get<Shape>("dims");
  const size_t given = op.get<Shape>("iterations").size();
  if (given != 1) fail("{}: blob_kernel_c1: iterations has {} dims, expected 1", op.describe(), given);
}

void verify_llvm_kernel(const Operation& op) {
  verify_interface(op);
  verify_blob(op, "bitcode");
}

void verify_machine_kernel(const Operation& op) {
  verify_interface(op);
  verify_blob(op, "object");
  verify_blob(op, "assembly");
}

std::vector<Tensor> evaluate_kernel(const Operation& op, const std::vector<Tensor>& operands, EvalContext& context) {
  return context.run_kernel(op, operands);
}

OpDef kernel(std::string_view name, std::string_view summary, Level level, std::vector<AttributeDef> code, VerifyFunction* verify) {
  std::vector<AttributeDef> attributes = {{"symbol", "name of the function", true},
                                          {"dims", "dims passed to it", true},
                                          {"iterations", "one dim: of the parallel loop; 1 without one", true},
                                          {"cost", "dims: flops, bytes read, bytes written"}};
  attributes.insert(attributes.end(), code.begin(), code.end());
  return {.name = name,
          .summary = summary,
          .level = level,
          .operands = {{"operands", OperandDef::variadic}},
          .attributes = std::move(attributes),
          .traits = Trait::pure,
          .verify = verify,
          .infer = declared_result_types,
          .evaluate = evaluate_kernel,
          .gradient = Aspect<GradientFunction>::absent("gradients are taken at the tensor level"),
          .decompose = Aspect<DecomposeFunction>::absent("primitive"),
          .cost = lowered_cost};
}

}  // namespace

std::span<const OpDef> machine_ops() {
  static const OpDef table[] = {
      kernel("llvm.kernel", "one launch, as LLVM IR", Level::llvm, {{"bitcode", "blob: an LLVM module", true}}, verify_llvm_kernel),
      kernel("machine.kernel", "one launch, as machine code", Level::machine,
             {{"object", "blob: a relocatable object", true}, {"assembly", "blob: its text", true}}, verify_machine_kernel),
  };
  return table;
}

}  // namespace stele
