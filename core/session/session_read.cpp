// The reading half of SessionFile. What a file says is checked, never trusted.

#include "core/ir/text.h"
#include "core/session/compress.h"
#include "core/session/session_file.h"

namespace stele {
namespace {

OpId unsigned_id(int64_t id) { return static_cast<OpId>(id); }

std::string as_string(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

int64_t checked_size(const Statement& row, int column, const std::string& what) {
  const int64_t size = row.integer(column);
  if (size < 0) fail("{}: size {} is negative", what, size);
  return size;
}

SnapshotRow snapshot_row(const Statement& row) {
  SnapshotRow snapshot;
  snapshot.index = static_cast<int>(row.integer(0));
  snapshot.name = row.text(1);
  snapshot.stage = row.text(2);
  snapshot.level = row.text(3);
  snapshot.contract = row.text(4);
  snapshot.changed = row.integer(5) != 0;
  snapshot.same_as = static_cast<int>(row.integer(6));
  snapshot.ms = row.real(7);
  snapshot.rewrites = static_cast<int>(row.integer(8));
  snapshot.score = {row.integer(9), row.integer(10), row.integer(11), row.integer(12), row.integer(13),
                    row.text(14),   row.text(15),    row.text(16),    row.text(17)};
  return snapshot;
}

OpRow op_row(const Statement& row) {
  OpRow op;
  op.id = unsigned_id(row.integer(1));
  op.parent = unsigned_id(row.integer(2));
  op.name = row.text(3);
  op.label = row.text(4);
  op.type = row.text(5);
  op.attributes = row.text(6);
  op.kernels = row.integer(7);
  op.hbm_bytes = row.integer(8);
  op.flops = row.integer(9);
  return op;
}

}  // namespace

std::vector<SnapshotRow> SessionFile::snapshots() const {
  const std::lock_guard lock(mutex_);
  Statement select(*database_,
                   "SELECT s.snapshot, name, stage, level, contract, changed, same_as, ms, rewrites, b.kernels, b.hbm_bytes,"
                   " b.peak_bytes, b.weight_bytes, b.flops, kernels_expression, hbm_expression, peak_expression,"
                   " flops_expression FROM snapshots s JOIN scoreboards b ON b.snapshot=s.snapshot ORDER BY s.snapshot");
  std::vector<SnapshotRow> rows;
  while (select.step()) rows.push_back(snapshot_row(select));
  return rows;
}

int SessionFile::holder(int snapshot) const {
  Statement select(*database_, "SELECT same_as FROM snapshots WHERE snapshot=?");
  // same_as points backwards, so that this comes to an end whatever the file says.
  for (int at = snapshot;;) {
    if (!select.bind(1, int64_t{at}).step()) fail("{}: no snapshot {}", path_, at);
    const int64_t same_as = select.integer(0);
    select.reset();
    if (same_as < 0) return at;
    if (same_as >= at) fail("{}: snapshot {} is said to be the same as {}", path_, at, same_as);
    at = static_cast<int>(same_as);
  }
}

std::vector<OpRow> SessionFile::ops(int snapshot) const {
  const std::lock_guard lock(mutex_);
  const int at = holder(snapshot);
  Statement select(*database_,
                   "SELECT s.position, o.id, o.parent, o.name, o.label, o.type, o.attributes, o.kernels, o.hbm_bytes, o.flops"
                   " FROM shown s JOIN ops o ON o.op=s.op WHERE s.snapshot=? AND o.visible=1 ORDER BY s.position");
  select.bind(1, int64_t{at});
  std::vector<OpRow> ops;
  std::vector<int64_t> positions;
  while (select.step()) {
    positions.push_back(select.integer(0));
    ops.push_back(op_row(select));
  }
  read_provenance(at, ops, positions);
  return ops;
}

void SessionFile::read_provenance(int snapshot, std::vector<OpRow>& ops, const std::vector<int64_t>& positions) const {
  Statement select(*database_,
                   "SELECT s.position, p.derived_from FROM shown s JOIN provenance p ON p.op=s.op WHERE s.snapshot=?"
                   " ORDER BY s.position, p.position");
  select.bind(1, int64_t{snapshot});
  size_t at = 0;
  while (select.step()) {
    while (at < positions.size() && positions[at] < select.integer(0)) ++at;
    if (at < positions.size() && positions[at] == select.integer(0)) ops[at].derived_from.push_back(unsigned_id(select.integer(1)));
  }
}

std::vector<EdgeRow> SessionFile::edges(int snapshot) const {
  const std::lock_guard lock(mutex_);
  const int at = holder(snapshot);
  Statement select(*database_,
                   "SELECT e.from_id, e.from_result, o.id, e.operand, e.type FROM shown s JOIN ops o ON o.op=s.op"
                   " JOIN edges e ON e.op=s.op WHERE s.snapshot=? ORDER BY s.position, e.position");
  select.bind(1, int64_t{at});
  std::vector<EdgeRow> edges;
  while (select.step()) {
    EdgeRow edge;
    edge.from = unsigned_id(select.integer(0));
    edge.result = static_cast<int>(select.integer(1));
    edge.to = unsigned_id(select.integer(2));
    edge.operand = static_cast<int>(select.integer(3));
    edge.type = select.text(4);
    edges.push_back(std::move(edge));
  }
  return edges;
}

std::string SessionFile::text(int snapshot) const {
  const std::lock_guard lock(mutex_);
  const int at = holder(snapshot);
  Statement select(*database_, "SELECT size, zstd FROM texts WHERE snapshot=?");
  const std::string what = fmt::format("{}: text of snapshot {}", path_, at);
  if (!select.bind(1, int64_t{at}).step()) fail("{} is absent", what);
  return as_string(decompress(select.bytes(1), static_cast<size_t>(checked_size(select, 0, what)), what));
}

std::unique_ptr<Module> SessionFile::module(int snapshot) const {
  ParseOptions options;
  options.file = fmt::format("{}#{}", path_, snapshot);
  options.blobs = [this](const std::string& hash) { return blob(hash); };
  return parse(text(snapshot), options);
}

std::vector<RewriteRow> SessionFile::rewrites(int snapshot) const {
  const std::lock_guard lock(mutex_);
  Statement select(*database_, "SELECT number, rule, matched, created, erased FROM rewrites WHERE snapshot=? ORDER BY number");
  select.bind(1, int64_t{snapshot});
  std::vector<RewriteRow> rows;
  while (select.step()) {
    rows.push_back({select.integer(0), select.text(1), split_ids(select.text(2)), split_ids(select.text(3)), split_ids(select.text(4))});
  }
  return rows;
}

BlobRef SessionFile::blob(const std::string& hash) const {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<const Blob>& known = blobs_[hash];
  if (BlobRef found = known.lock()) return found;
  Statement select(*database_, "SELECT size, compressed, bytes FROM blobs WHERE hash=? ORDER BY part");
  select.bind(1, hash);
  const std::string what = fmt::format("{}: blob {}", path_, hash);
  std::vector<std::byte> whole;
  bool any = false;
  while (select.step()) {
    any = true;
    const auto size = static_cast<size_t>(checked_size(select, 0, what));
    const auto stored = select.bytes(2);
    if (select.integer(1) != 0) {
      const std::vector<std::byte> part = decompress(stored, size, what);
      whole.insert(whole.end(), part.begin(), part.end());
    } else {
      whole.insert(whole.end(), stored.begin(), stored.end());
    }
  }
  if (!any) return nullptr;
  BlobRef found = Blob::from_bytes(std::move(whole));
  if (found->hash() != hash) fail("{}: damaged: its hash is {}", what, found->hash());
  known = found;
  return found;
}

}  // namespace stele
