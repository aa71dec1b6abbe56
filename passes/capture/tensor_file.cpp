#include "passes/capture/tensor_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/ir/error.h"
#include "passes/capture/npy.h"
#include "passes/capture/tensor_proto.h"

namespace stele {
namespace fs = std::filesystem;
namespace {

BlobRef map_whole(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) fail("{}: is a folder, expected a file", path);
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) fail("{}: is not a regular file", path);
  const uint64_t size = fs::file_size(path, error);
  if (error) fail("{}: {}", path, error.message());
  return Blob::map_file(path, 0, size);
}

std::string_view text_of(const Blob& blob) { return {reinterpret_cast<const char*>(blob.bytes().data()), blob.size()}; }

std::pair<std::string, Tensor> read_pb(const std::string& path) {
  const BlobRef file = map_whole(path);
  if (file->size() == 0) fail("{}: file is empty", path);
  google::protobuf::LogSilencer silence;
  onnx::TensorProto proto;
  if (file->size() > std::numeric_limits<int>::max() || !proto.ParseFromArray(file->bytes().data(), static_cast<int>(file->size()))) {
    fail("{}: not a TensorProto: damaged or cut short", path);
  }
  const fs::path folder = fs::path(path).parent_path();
  Tensor tensor = capture::take_tensor(proto, {path, folder.empty() ? fs::path(".") : folder});
  return {proto.name().empty() ? fs::path(path).stem().string() : proto.name(), std::move(tensor)};
}

// Written beside its place and then moved there: nothing is left half-written.
void write_whole(const std::string& path, const std::string& bytes) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file || std::rename(part.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    std::remove(part.c_str());
    fail("{}: cannot be written: {}", path, reason);
  }
}

}  // namespace

std::pair<std::string, Tensor> read_tensor(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".pb") return read_pb(path);
  if (extension == ".npy") return {fs::path(path).stem().string(), capture::parse_npy(text_of(*map_whole(path)), path)};
  if (extension == ".npz") {
    auto tensors = read_npz(path);
    if (tensors.size() != 1) fail("{}: holds {} tensors, expected one", path, tensors.size());
    return std::move(tensors[0]);
  }
  fail("{}: is neither .pb nor .npy nor .npz", path);
}

std::vector<std::pair<std::string, Tensor>> read_npz(const std::string& path) {
  const BlobRef file = map_whole(path);
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const auto& [name, bytes] : capture::unzip(text_of(*file), path)) {
    if (!name.ends_with(".npy")) fail("{}: member '{}' is no .npy", path, name);
    tensors.emplace_back(name.substr(0, name.size() - 4), capture::parse_npy(bytes, path + ": " + name));
  }
  return tensors;
}

void write_tensor(const std::string& path, const std::string& name, const Tensor& tensor) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".npy") return write_whole(path, capture::format_npy(tensor));
  if (extension != ".pb") fail("{}: is neither .pb nor .npy", path);
  onnx::TensorProto proto;
  capture::fill_proto(proto, name, tensor);
  write_whole(path, proto.SerializeAsString());
}

}  // namespace stele
