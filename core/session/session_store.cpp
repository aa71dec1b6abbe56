#include "core/session/session_store.h"

#include <xxhash.h>

#include <charconv>

#include "core/session/compress.h"

namespace stele {
namespace {

// Below this a blob is not worth a zstd frame.
constexpr size_t compress_above = 128;

int64_t signed_id(OpId id) { return static_cast<int64_t>(id); }

void append_number(std::string& key, uint64_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_text(std::string& key, const std::string& text) {
  append_number(key, text.size());
  key += text;
}

std::string content_of(const OpRow& op, bool visible, const std::vector<const EdgeRow*>& edges) {
  std::string key;
  append_number(key, op.id);
  append_number(key, op.parent);
  append_number(key, visible);
  for (const std::string* text : {&op.name, &op.label, &op.type, &op.attributes}) append_text(key, *text);
  for (int64_t number : {op.kernels, op.hbm_bytes, op.flops}) append_number(key, static_cast<uint64_t>(number));
  append_number(key, op.derived_from.size());
  for (OpId id : op.derived_from) append_number(key, id);
  for (const EdgeRow* edge : edges) {
    append_number(key, edge->from);
    append_number(key, static_cast<uint64_t>(edge->result));
    append_number(key, static_cast<uint64_t>(edge->operand));
    append_text(key, edge->type);
  }
  return key;
}

}  // namespace

struct SessionStore::Statements {
  explicit Statements(Database& db)
      : snapshot(db, "INSERT INTO snapshots VALUES(?,?,?,?,?,?,?,?,?)"),
        scoreboard(db, "INSERT INTO scoreboards VALUES(?,?,?,?,?,?,?,?,?,?)"),
        text(db, "INSERT INTO texts VALUES(?,?,?)"),
        op(db, "INSERT INTO ops VALUES(NULL,?,?,?,?,?,?,?,?,?,?)"),
        shown(db, "INSERT INTO shown VALUES(?,?,?)"),
        edge(db, "INSERT INTO edges VALUES(?,?,?,?,?,?)"),
        provenance(db, "INSERT INTO provenance VALUES(?,?,?)"),
        rewrite(db, "INSERT INTO rewrites VALUES(?,?,?,?,?,?)"),
        has_blob(db, "SELECT 1 FROM blobs WHERE hash=? LIMIT 1"),
        blob(db, "INSERT INTO blobs VALUES(?,?,?,?,?)") {}
  Statement snapshot, scoreboard, text, op, shown, edge, provenance, rewrite, has_blob, blob;
};

SessionStore::SessionStore(Database& database) : database_(database), statements_(std::make_unique<Statements>(database)) {}
SessionStore::~SessionStore() = default;

void SessionStore::add(const Session::NewSnapshot& snapshot) {
  add_row(snapshot.row);
  add_rewrites(snapshot.row.index, snapshot.rewrites);
  if (snapshot.row.same_as >= 0) return;
  add_text(snapshot.row.index, snapshot.text);
  add_ops(snapshot);
  for (const BlobRef& blob : snapshot.blobs) add_blob(*blob);
}

void SessionStore::add_row(const SnapshotRow& row) {
  statements_->snapshot.bind(1, int64_t{row.index}).bind(2, row.name).bind(3, row.stage).bind(4, row.level);
  statements_->snapshot.bind(5, row.contract).bind(6, int64_t{row.changed}).bind(7, int64_t{row.same_as}).bind(8, row.ms);
  statements_->snapshot.bind(9, int64_t{row.rewrites}).run();
  const Score& score = row.score;
  statements_->scoreboard.bind(1, int64_t{row.index}).bind(2, score.kernels).bind(3, score.hbm_bytes).bind(4, score.peak_bytes);
  statements_->scoreboard.bind(5, score.weight_bytes).bind(6, score.flops).bind(7, score.kernels_expression);
  statements_->scoreboard.bind(8, score.hbm_expression).bind(9, score.peak_expression).bind(10, score.flops_expression).run();
}

void SessionStore::add_text(int snapshot, const std::string& text) {
  const std::vector<std::byte> packed = compress(text);
  statements_->text.bind(1, int64_t{snapshot}).bind(2, static_cast<int64_t>(text.size())).bind(3, packed).run();
}

void SessionStore::add_ops(const Session::NewSnapshot& snapshot) {
  std::map<OpId, std::vector<const EdgeRow*>> into;
  for (const EdgeRow& edge : snapshot.edges) into[edge.to].push_back(&edge);
  int64_t position = 0;
  const auto show = [&](int64_t op) {
    statements_->shown.bind(1, int64_t{snapshot.row.index}).bind(2, position++).bind(3, op).run();
  };
  for (const OpRow& op : snapshot.ops) {
    const auto edges = into.extract(op.id);
    show(op_row(op, true, edges ? edges.mapped() : std::vector<const EdgeRow*>()));
  }
  for (const auto& [id, edges] : into) {
    OpRow hidden;
    hidden.id = id;
    show(op_row(hidden, false, edges));
  }
}

int64_t SessionStore::op_row(const OpRow& op, bool visible, const std::vector<const EdgeRow*>& edges) {
  const std::string content = content_of(op, visible, edges);
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  const auto [found, is_new] = op_rows_.try_emplace(Key{hash.low64, hash.high64}, 0);
  if (is_new) {
    const int64_t row = found->second = write_op(op, visible);
    for (size_t i = 0; i < edges.size(); ++i) {
      const EdgeRow& edge = *edges[i];
      statements_->edge.bind(1, row).bind(2, static_cast<int64_t>(i)).bind(3, int64_t{edge.operand});
      statements_->edge.bind(4, signed_id(edge.from)).bind(5, int64_t{edge.result}).bind(6, edge.type).run();
    }
    for (size_t i = 0; i < op.derived_from.size(); ++i) {
      statements_->provenance.bind(1, row).bind(2, static_cast<int64_t>(i)).bind(3, signed_id(op.derived_from[i])).run();
    }
  }
  return found->second;
}

int64_t SessionStore::write_op(const OpRow& op, bool visible) {
  statements_->op.bind(1, signed_id(op.id)).bind(2, signed_id(op.parent)).bind(3, int64_t{visible}).bind(4, op.name);
  statements_->op.bind(5, op.label).bind(6, op.type).bind(7, op.attributes);
  statements_->op.bind(8, op.kernels).bind(9, op.hbm_bytes).bind(10, op.flops).run();
  return database_.last_row();
}

void SessionStore::add_rewrites(int snapshot, const std::vector<RewriteRow>& rewrites) {
  for (const RewriteRow& rewrite : rewrites) {
    const std::string matched = join_ids(rewrite.matched), created = join_ids(rewrite.created), erased = join_ids(rewrite.erased);
    statements_->rewrite.bind(1, int64_t{snapshot}).bind(2, rewrite.number).bind(3, rewrite.rule);
    statements_->rewrite.bind(4, matched).bind(5, created).bind(6, erased).run();
  }
}

void SessionStore::add_blob(const Blob& blob) {
  const std::string& hash = blob.hash();
  if (!blobs_.insert(hash).second) return;
  const bool there = statements_->has_blob.bind(1, hash).step();
  statements_->has_blob.reset();
  if (there) return;
  const auto bytes = blob.bytes();
  size_t at = 0;
  int64_t part = 0;
  do {
    const size_t size = std::min(blob_part_bytes, bytes.size() - at);
    add_part(hash, part++, bytes.subspan(at, size));
    at += size;
  } while (at < bytes.size());
}

void SessionStore::add_part(const std::string& hash, int64_t part, std::span<const std::byte> bytes) {
  std::vector<std::byte> packed;
  if (bytes.size() > compress_above) packed = compress(bytes);
  const bool smaller = !packed.empty() && packed.size() < bytes.size() - bytes.size() / 50;
  statements_->blob.bind(1, hash).bind(2, part).bind(3, static_cast<int64_t>(bytes.size())).bind(4, int64_t{smaller});
  statements_->blob.bind(5, smaller ? std::span<const std::byte>(packed) : bytes).run();
}

std::string join_ids(const std::vector<OpId>& ids) {
  std::string text;
  for (OpId id : ids) {
    if (!text.empty()) text += ' ';
    text += std::to_string(id);
  }
  return text;
}

std::vector<OpId> split_ids(const std::string& text) {
  std::vector<OpId> ids;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    OpId id = 0;
    const auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc()) break;
    ids.push_back(id);
    at = next < end ? next + 1 : next;
  }
  return ids;
}

}  // namespace stele
