#include "passes/capture/open_model.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "core/ir/text.h"
#include "passes/capture/onnx.h"
#include "passes/capture/tensor_file.h"

namespace stele {
namespace fs = std::filesystem;
namespace {

std::string model_in(const fs::path& folder) {
  if (fs::exists(folder / "model.onnx")) return (folder / "model.onnx").string();
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") found.push_back(entry.path().string());
  }
  if (found.size() != 1) fail("{}: folder holds {} .onnx files, expected model.onnx or one", folder.string(), found.size());
  return found[0];
}

std::string_view text_of(const Blob& blob) { return {reinterpret_cast<const char*>(blob.bytes().data()), blob.size()}; }

std::unique_ptr<Module> open_text(const std::string& path) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (error) fail("{}: {}", path, error.message());
  const BlobRef file = Blob::map_file(path, 0, size);
  return parse(text_of(*file), {.file = path, .blobs = nullptr});
}

// A protobuf begins with a field's tag and soon holds a zero byte; text holds no control characters but white space.
bool looks_binary(const std::string& path) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (error) fail("{}: {}", path, error.message());
  const BlobRef head = Blob::map_file(path, 0, std::min<uint64_t>(size, 512));
  const std::string_view text = text_of(*head);
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 9; });
}

std::optional<Tensor> read_first(const fs::path& folder, const std::vector<std::string>& stems) {
  for (const std::string& stem : stems) {
    if (stem.empty() || stem.find('/') != std::string::npos) continue;
    for (const char* extension : {".pb", ".npy"}) {
      const fs::path file = folder / (stem + extension);
      if (fs::exists(file)) return read_tensor(file.string()).second;
    }
  }
  return std::nullopt;
}

std::map<std::string, Tensor> npz_of(const fs::path& path) {
  std::map<std::string, Tensor> tensors;
  if (!fs::exists(path)) return tensors;
  for (auto& [name, tensor] : read_npz(path.string())) tensors.emplace(name, std::move(tensor));
  return tensors;
}

void refuse_surplus(const Function& function, const fs::path& folder) {
  const std::string next = fmt::format("input_{}", function.body().argument_count());
  for (const char* extension : {".pb", ".npy"}) {
    if (fs::exists(folder / (next + extension))) {
      fail("{}: holds {}{}, expected {} inputs", folder.string(), next, extension, function.body().argument_count());
    }
  }
}

}  // namespace

bool Expectations::empty() const {
  const auto present = [](const Tensor& t) { return t.present(); };
  return std::none_of(outputs.begin(), outputs.end(), present) && std::none_of(references.begin(), references.end(), present);
}

std::unique_ptr<Module> open_model(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return open_model(model_in(path));
  if (!fs::exists(path, error)) fail("{}: no such file", path);
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".onnx") return read_onnx(path);
  if (extension == ".mlir" || extension == ".txt") return open_text(path);
  return looks_binary(path) ? read_onnx(path) : open_text(path);
}

std::vector<Tensor> read_inputs(const Function& function, const std::string& path) {
  const bool folder = fs::is_directory(path);
  if (!folder && fs::path(path).extension() != ".npz") fail("{}: is neither a folder of inputs nor an .npz", path);
  if (!fs::exists(path)) fail("{}: no such file", path);
  const std::map<std::string, Tensor> named = npz_of(folder ? fs::path(path) / "inputs.npz" : fs::path(path));
  if (folder) refuse_surplus(function, path);
  std::vector<Tensor> inputs;
  for (unsigned i = 0; i < function.body().argument_count(); ++i) {
    const std::string name = function.body().argument(i)->name();
    std::optional<Tensor> found;
    if (folder) found = read_first(path, {fmt::format("input_{}", i), name});
    auto member = named.find(name);
    if (member == named.end()) member = named.find(fmt::format("arr_{}", i));  // numpy.savez without names
    if (!found && member != named.end()) found = member->second;
    if (!found) fail("{}: input {} ('{}') is missing, expected input_{}.pb or {}.npy", path, i, name, i, name.empty() ? "its name" : name);
    inputs.push_back(std::move(*found));
  }
  return inputs;
}

Expectations read_expectations(const Function& function, const std::string& folder) {
  if (!fs::is_directory(folder)) fail("{}: is no folder of expected outputs", folder);
  const std::vector<std::string>& names = function.output_names();
  Expectations expected;
  for (size_t i = 0; i < function.result_types().size(); ++i) {
    const std::string name = i < names.size() ? names[i] : "";
    expected.outputs.push_back(read_first(folder, {fmt::format("output_{}", i), name}).value_or(Tensor()));
    expected.references.push_back(read_first(folder, {fmt::format("reference_{}", i)}).value_or(Tensor()));
  }
  return expected;
}

std::vector<std::string> data_sets(const std::string& model) {
  const fs::path folder = fs::is_directory(model) ? fs::path(model) : fs::path(model).parent_path();
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, error)) {
    if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_")) found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace stele
