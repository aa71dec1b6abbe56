#include "passes/capture/onnx.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "core/ops/op_def.h"
#include "passes/capture/onnx_graph.h"

namespace stele {
namespace fs = std::filesystem;
namespace {

using capture::GraphReader;

constexpr int64_t first_opset = 13, last_opset = 23;

onnx::ModelProto parse_model(std::span<const std::byte> bytes, const std::string& file) {
  if (bytes.empty()) fail("{}: file is empty", file);
  if (bytes.size() > std::numeric_limits<int>::max()) {
    fail("{}: {} bytes are more than protobuf's 2 GiB; keep the weights as external data", file, bytes.size());
  }
  google::protobuf::LogSilencer silence;  // the Error says it
  google::protobuf::io::ArrayInputStream array(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream stream(&array);
  stream.SetTotalBytesLimit(std::numeric_limits<int>::max());
  onnx::ModelProto model;
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    fail("{}: not an ONNX model: damaged, cut short or nested too deeply at byte {} of {}", file, stream.CurrentPosition(), bytes.size());
  }
  if (!model.has_graph()) fail("{}: not an ONNX model: it has no graph", file);
  if (model.graph().output_size() == 0) fail("{}: graph has no outputs", file);
  return model;
}

// What is known of the opsets: the meaning of ONNX's ops goes by "opset".
void set_opsets(const onnx::ModelProto& model, Module& module, const std::string& file) {
  Attribute::Strings others;
  int64_t opset = 0;
  for (const auto& entry : model.opset_import()) {
    if (!entry.domain().empty() && entry.domain() != "ai.onnx") {
      others.push_back(fmt::format("{} {}", entry.domain(), entry.version()));
    } else {
      opset = std::max<int64_t>(opset, entry.version());
    }
  }
  const bool own = std::any_of(model.graph().node().begin(), model.graph().node().end(),
                               [](const auto& node) { return node.domain().empty() || node.domain() == "ai.onnx"; });
  if (opset == 0 && model.ir_version() < 3) opset = 1;  // stated by no file of those versions
  if (opset <= 0 && own) fail("{}: states no opset for ONNX's own ops", file);
  if (opset > last_opset) fail("{}: opset {} is newer than {}, the last known; export with that one or an older", file, opset, last_opset);
  if (opset > 0) module.attributes["opset"] = opset;
  if (!others.empty()) module.attributes["opsets"] = std::move(others);
  if (opset > 0 && opset < first_opset) {
    module.attributes["opset_note"] = fmt::format("opset {} is older than {}: an op whose meaning changed may be misread", opset, first_opset);
  }
}

// Messages quote names from the file: no control characters, and no more of a long one than shows what it is.
std::string printable(std::string text) {
  constexpr size_t longest = 1000;
  if (text.size() > longest) {
    text.resize(longest);
    text.append("...");
  }
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return text;
}

std::unique_ptr<Module> read_unguarded(std::span<const std::byte> bytes, const capture::TensorPlace& place) {
  onnx::ModelProto model = parse_model(bytes, place.what);
  auto module = std::make_unique<Module>();
  module->name = model.graph().name().empty() ? fs::path(place.what).stem().string() : model.graph().name();
  set_opsets(model, *module, place.what);
  module->attributes["ir_version"] = static_cast<int64_t>(model.ir_version());
  if (!model.producer_name().empty()) {
    module->attributes["producer"] = model.producer_name() + (model.producer_version().empty() ? "" : " " + model.producer_version());
  }
  GraphReader(*module, place).read_main(*model.mutable_graph());
  try {
    verify(*module);
  } catch (const Error& error) {
    fail("{}: {}", place.what, error.what());
  }
  return module;
}

std::unique_ptr<Module> read_model(std::span<const std::byte> bytes, const capture::TensorPlace& place) {
  try {
    return read_unguarded(bytes, place);
  } catch (const Error& error) {
    throw Error(printable(error.what()));
  }
}

}  // namespace

std::unique_ptr<Module> read_onnx(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) fail("{}: is a folder, expected an ONNX file", path);
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) fail("{}: is not a regular file", path);
  const uint64_t size = fs::file_size(path, error);
  if (error) fail("{}: {}", path, error.message());
  const BlobRef file = Blob::map_file(path, 0, size);
  const fs::path folder = fs::path(path).parent_path();
  return read_model(file->bytes(), {path, folder.empty() ? fs::path(".") : folder});
}

std::unique_ptr<Module> read_onnx_bytes(std::span<const std::byte> bytes, const std::string& name) {
  return read_model(bytes, {name, std::nullopt});
}

}  // namespace stele
