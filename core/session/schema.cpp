#include "core/session/schema.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/ir/error.h"

namespace stele {

// An op that a pass leaves alone is one row in `ops` however many snapshots show it: `shown` says which op stands where.
// Operands belong to the row, so an op whose operand changed is a new row. Rows with visible = 0 carry the edges of what is
// no op: results of the function (id 0), terminators.
const char* const session_schema = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE snapshots(snapshot INTEGER PRIMARY KEY, name TEXT NOT NULL, stage TEXT NOT NULL, level TEXT NOT NULL,
  contract TEXT NOT NULL, changed INTEGER NOT NULL, same_as INTEGER NOT NULL, ms REAL NOT NULL, rewrites INTEGER NOT NULL);
CREATE TABLE scoreboards(snapshot INTEGER PRIMARY KEY, kernels INTEGER, hbm_bytes INTEGER, peak_bytes INTEGER,
  weight_bytes INTEGER, flops INTEGER, kernels_expression TEXT, hbm_expression TEXT, peak_expression TEXT,
  flops_expression TEXT);
CREATE TABLE texts(snapshot INTEGER PRIMARY KEY, size INTEGER NOT NULL, zstd BLOB NOT NULL);
CREATE TABLE ops(op INTEGER PRIMARY KEY, id INTEGER NOT NULL, parent INTEGER NOT NULL, visible INTEGER NOT NULL,
  name TEXT NOT NULL, label TEXT NOT NULL, type TEXT NOT NULL, attributes TEXT NOT NULL, kernels INTEGER NOT NULL,
  hbm_bytes INTEGER NOT NULL, flops INTEGER NOT NULL);
CREATE TABLE shown(snapshot INTEGER NOT NULL, position INTEGER NOT NULL, op INTEGER NOT NULL,
  PRIMARY KEY(snapshot, position)) WITHOUT ROWID;
CREATE TABLE edges(op INTEGER NOT NULL, position INTEGER NOT NULL, operand INTEGER NOT NULL, from_id INTEGER NOT NULL,
  from_result INTEGER NOT NULL, type TEXT NOT NULL, PRIMARY KEY(op, position)) WITHOUT ROWID;
CREATE TABLE provenance(op INTEGER NOT NULL, position INTEGER NOT NULL, derived_from INTEGER NOT NULL,
  PRIMARY KEY(op, position)) WITHOUT ROWID;
CREATE TABLE rewrites(snapshot INTEGER NOT NULL, number INTEGER NOT NULL, rule TEXT NOT NULL, matched TEXT NOT NULL,
  created TEXT NOT NULL, erased TEXT NOT NULL, PRIMARY KEY(snapshot, number)) WITHOUT ROWID;
CREATE TABLE blobs(hash TEXT NOT NULL, part INTEGER NOT NULL, size INTEGER NOT NULL, compressed INTEGER NOT NULL,
  bytes BLOB NOT NULL, PRIMARY KEY(hash, part));
)sql";

const char* const session_indexes = R"sql(
CREATE INDEX IF NOT EXISTS ops_by_id ON ops(id);
CREATE INDEX IF NOT EXISTS provenance_by_source ON provenance(derived_from);
)sql";

namespace {

using Header = std::array<unsigned char, 100>;

uint32_t big_endian(const Header& header, size_t at, int bytes) {
  uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | header[at + static_cast<size_t>(i)];
  return value;
}

// With a log beside it the main file may be behind, which SQLite sorts out by itself.
bool has_log(const std::string& path) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path + "-wal", ignored);
  return !ignored && size > 0;
}

}  // namespace

void check_session_header(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail("{}: {}", path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail("{}: not a file", path);
  Header header{};
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail("{}: {}", path, std::strerror(errno));
  stream.read(reinterpret_cast<char*>(header.data()), header.size());
  const auto read = stream.gcount();
  if (read == 0) fail("{}: empty, expected a session", path);
  constexpr std::string_view magic("SQLite format 3\0", 16);
  if (static_cast<size_t>(read) < magic.size() || std::memcmp(header.data(), magic.data(), magic.size()) != 0) {
    fail("{}: not a session (nor any SQLite database)", path);
  }
  if (static_cast<size_t>(read) < header.size()) fail("{}: truncated, {} bytes", path, read);
  if (big_endian(header, 68, 4) != session_application_id) fail("{}: an SQLite database, but not a session", path);
  const uint32_t version = big_endian(header, 60, 4);
  if (version > session_version) {
    fail("{}: session of version {}, this program reads up to version {}", path, version, session_version);
  }
  if (version < 1) fail("{}: session of version {}, which never was", path, version);
  const uint64_t page = big_endian(header, 16, 2) == 1 ? 65536 : big_endian(header, 16, 2);
  const uint64_t expected = page * big_endian(header, 28, 4);
  if (!has_log(path) && static_cast<uint64_t>(status.st_size) < expected) {
    fail("{}: truncated, {} bytes, expected {}", path, status.st_size, expected);
  }
}

}  // namespace stele
