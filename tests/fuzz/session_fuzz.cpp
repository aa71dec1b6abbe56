// A damaged session either opens and is read, or is refused with an Error. The input is a list of changes (a 4-byte
// offset, a byte) to a good file; a last odd byte cuts the file short.

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "core/ir/error.h"
#include "core/session/session.h"
#include "tests/fuzz/scratch_file.h"

namespace {

constexpr const char* text = R"(module @m {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
)";

void remove_session(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path + suffix, ignored);
}

std::string good_session() {
  const std::string path = stele::fuzz::scratch_path("-good.stele").string();
  {
    const auto session = stele::Session::create(path, "model", "stele");
    stele::Session::NewSnapshot snapshot;
    snapshot.row.name = "capture";
    snapshot.row.stage = "capture";
    snapshot.row.level = "tensor";
    snapshot.row.contract = "exact";
    snapshot.text = text;
    stele::OpRow& op = snapshot.ops.emplace_back();
    op.id = 1;
    op.name = "stablehlo.add";
    op.label = "sum";
    op.type = "tensor<4xf32>";
    snapshot.edges.push_back({.from = 0, .result = 0, .to = 1, .operand = 0, .type = "tensor<4xf32>"});
    snapshot.edges.push_back({.from = 1, .result = 0, .to = 0, .operand = 0, .type = "tensor<4xf32>"});
    session->add(snapshot);
    snapshot.row.index = 1;
    snapshot.row.name = "canonicalize";
    snapshot.rewrites.push_back({.number = 1, .rule = "a-rule", .matched = {1}, .created = {2}, .erased = {1}});
    session->add(snapshot);
    session->finish();
  }
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  remove_session(path);
  return bytes;
}

std::string damaged(std::string file, const std::uint8_t* bytes, std::size_t size) {
  for (; size >= 5; bytes += 5, size -= 5) {
    std::uint32_t offset = 0;
    std::memcpy(&offset, bytes, sizeof offset);
    file[offset % file.size()] = static_cast<char>(bytes[4]);
  }
  if (size % 2 == 1) file.resize(file.size() * bytes[0] / 256);
  return file;
}

void read_all(const stele::Session& session) {
  session.title();
  session.complete();
  session.meta("model");
  for (const stele::SnapshotRow& row : session.snapshots()) {
    session.ops(row.index);
    session.edges(row.index);
    session.text(row.index);
    session.rewrites(row.index);
    session.module(row.index);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::string good = good_session();
  const std::string file = damaged(good, bytes, size);
  const stele::fuzz::ScratchFile scratch(reinterpret_cast<const std::uint8_t*>(file.data()), file.size(), ".stele");
  try {
    read_all(*stele::Session::open(scratch.path()));
  } catch (const stele::Error&) {
  }
  remove_session(scratch.path());
  return 0;
}
