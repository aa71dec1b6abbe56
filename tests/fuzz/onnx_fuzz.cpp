// Any bytes either become a module or are refused with an Error.

#include <cstdint>

#include "core/ir/error.h"
#include "passes/capture/onnx.h"
#include "tests/fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const stele::fuzz::ScratchFile file(bytes, size, ".onnx");
  try {
    stele::read_onnx(file.path());
  } catch (const stele::Error&) {
  }
  return 0;
}
