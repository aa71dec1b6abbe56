// What a user names on the command line: a model in any form Stele reads, and the tensors that go with it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ir/ir.h"

namespace stele {

// .onnx, the text form (.mlir, .txt, so .stele.txt too), or a folder with a model.onnx or one .onnx; by the content where the
// extension says nothing. Throws Error naming the file. A repro's text is read as its module.
std::unique_ptr<Module> open_model(const std::string& path);

// The tensors of a folder in the order of the function's arguments: input_K.pb or input_K.npy by position (K from 0),
// <name>.pb or <name>.npy by name, or inputs.npz by name. Or `path` is itself an .npz. Throws Error naming the folder and the
// argument that is missing.
std::vector<Tensor> read_inputs(const Function& function, const std::string& path);

// What a run should give, by position; not present() where the folder says nothing of that output.
struct Expectations {
  std::vector<Tensor> outputs;     // output_K.pb / .npy / <output name>.npy: as another runtime computed them
  std::vector<Tensor> references;  // reference_K.pb / .npy: in float64
  bool empty() const;
};
Expectations read_expectations(const Function& function, const std::string& folder);

// The test_data_set_* folders beside a model, sorted.
std::vector<std::string> data_sets(const std::string& model);

}  // namespace stele
