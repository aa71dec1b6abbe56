// TensorProto (https://onnx.ai/onnx/repo-docs/IR.html): its elements, wherever it keeps them, as a Tensor.
// Only for the sources of this folder: it names protobuf's types.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <optional>
#include <string>

#include "core/ir/tensor.h"

namespace stele::capture {

// What a TensorProto is called in messages, and the folder its external data may lie in.
struct TensorPlace {
  std::string what;                             // "model.onnx: initialiser 'w'"
  std::optional<std::filesystem::path> folder;  // nothing: external data is refused
};

// Nothing for what Stele has no element type for (strings, 4-bit types).
std::optional<DType> dtype_of_onnx(int type);
int onnx_type_of(DType dtype);  // throws Error where ONNX 1.12 has no such type
std::string onnx_type_name(int type);

// Takes inline bytes out of `proto` without a copy; maps external ones. Throws Error, beginning with place.what, where
// the number of elements is not what the dims need, a dim is negative, the size overflows, or the data is not to be had.
// Requires dtype_of_onnx(proto.data_type()).
Tensor take_tensor(onnx::TensorProto& proto, const TensorPlace& place);
void fill_proto(onnx::TensorProto& proto, const std::string& name, const Tensor& tensor);

}  // namespace stele::capture
