// Bytes that are to be an ONNX model: reading them, inferring types and taking them apart end in a module that verifies or
// in an Error.
#include <cstddef>
#include <cstdint>

#include "core/ir/text.h"
#include "core/ops/op_def.h"
#include "core/pass/rewriter.h"
#include "passes/capture/onnx.h"
#include "passes/represent/passes.h"

using namespace stele;

namespace {

void run_pass(const Pass& pass, Module& module) {
  Rewriter rewriter(module);
  const PassOptions options;
  PassContext context{module, rewriter, options};
  pass.run(context);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::unique_ptr<Module> module;
  try {
    module = read_onnx_bytes({reinterpret_cast<const std::byte*>(bytes), size}, "fuzz.onnx");
  } catch (const Error&) {
    return 0;
  }
  print(*module);
  try {
    run_pass(infer_shapes, *module);
    verify(*module);
    run_pass(decompose, *module);
  } catch (const Error&) {
    return 0;
  }
  verify(*module);  // an Error from here on is a bug, and ends the process
  print(*module);
  return 0;
}
