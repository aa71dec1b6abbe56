// Any bytes, as a TensorProto, an .npy and an .npz, either become tensors or are refused with an Error.

#include <cstdint>

#include "core/ir/error.h"
#include "passes/capture/tensor_file.h"
#include "tests/fuzz/scratch_file.h"

namespace {

template <typename Read>
void read(const std::uint8_t* bytes, std::size_t size, const char* extension, Read read_file) {
  const stele::fuzz::ScratchFile file(bytes, size, extension);
  try {
    read_file(file.path());
  } catch (const stele::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  read(bytes, size, ".pb", stele::read_tensor);
  read(bytes, size, ".npy", stele::read_tensor);
  read(bytes, size, ".npz", stele::read_npz);
  return 0;
}
