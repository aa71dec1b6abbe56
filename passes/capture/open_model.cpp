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

// The names that input_K count over: the arguments, or the graph's inputs where some of those became constants.
std::vector<std::string> counted_names(const Function& function) {
  auto stated = function.attributes().find("graph_inputs");
  const auto* names = stated == function.attributes().end() ? nullptr : stated->second.get<Attribute::Strings>();
  return names ? *names : function.input_names();
}

void refuse_surplus(const std::vector<std::string>& names, const fs::path& folder) {
  const std::string next = fmt::format("input_{}", names.size());
  for (const char* extension : {".pb", ".npy"}) {
    if (fs::exists(folder / (next + extension))) fail("{}: holds {}{}, expected {} inputs", folder.string(), next, extension, names.size());
  }
}

// A constant that was an input too may be given again, and only as it is.
void refuse_overrides(const Function& function, const std::vector<std::string>& names, const fs::path& folder) {
  const std::vector<std::string> arguments = function.input_names();
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::find(arguments.begin(), arguments.end(), names[i]) != arguments.end()) continue;
    const std::optional<Tensor> given = read_first(folder, {fmt::format("input_{}", i)});
    for (const Operation& op : function.body()) {
      const Attribute* value = op.result_count() == 1 && op.result()->name() == names[i] ? op.attribute("value") : nullptr;
      const Tensor* constant = value ? value->get<Tensor>() : nullptr;
      if (!given || !constant || given->bitwise_equal(*constant)) continue;
      fail("{}: input {} ('{}') differs from the model's initialiser, which is a constant", folder.string(), i, names[i]);
    }
  }
}

// ONNX 1.12's own cases hold bfloat16 elements as the uint16 of their bits.
Tensor as_stated(Tensor tensor, const Type& type) {
  if (!type.is_tensor() || type.dtype != DType::bf16 || tensor.dtype() != DType::u16) return tensor;
  return Tensor(DType::bf16, tensor.sizes(), tensor.blob());
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
  const std::vector<std::string> counted = counted_names(function);
  if (folder) refuse_surplus(counted, path);
  if (folder) refuse_overrides(function, counted, path);
  std::vector<Tensor> inputs;
  for (unsigned argument = 0; argument < function.body().argument_count(); ++argument) {
    const std::string name = function.body().argument(argument)->name();
    const auto place = std::find(counted.begin(), counted.end(), name);
    const auto i = place == counted.end() || name.empty() ? static_cast<long>(argument) : place - counted.begin();
    std::optional<Tensor> found;
    if (folder) found = read_first(path, {fmt::format("input_{}", i), name});
    auto member = named.find(name);
    if (member == named.end()) member = named.find(fmt::format("arr_{}", i));  // numpy.savez without names
    if (!found && member != named.end()) found = member->second;
    if (!found) fail("{}: input {} ('{}') is missing, expected input_{}.pb or {}.npy", path, i, name, i, name.empty() ? "its name" : name);
    inputs.push_back(as_stated(std::move(*found), function.body().argument(argument)->type()));
  }
  return inputs;
}

Expectations read_expectations(const Function& function, const std::string& folder) {
  if (!fs::is_directory(folder)) fail("{}: is no folder of expected outputs", folder);
  const std::vector<std::string>& names = function.output_names();
  Expectations expected;
  for (size_t i = 0; i < function.result_types().size(); ++i) {
    const std::string name = i < names.size() ? names[i] : "";
    const Tensor output = read_first(folder, {fmt::format("output_{}", i), name}).value_or(Tensor());
    expected.outputs.push_back(as_stated(output, function.result_types()[i]));
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
