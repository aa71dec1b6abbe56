// Tensors in files: ONNX TensorProto (.pb), NumPy (.npy, .npz).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/ir/tensor.h"

namespace stele {

// By the file's extension; throws Error naming the file and the reason. The name is the TensorProto's, or the file's stem.
std::pair<std::string, Tensor> read_tensor(const std::string& path);
std::vector<std::pair<std::string, Tensor>> read_npz(const std::string& path);
void write_tensor(const std::string& path, const std::string& name, const Tensor& tensor);

}  // namespace stele
