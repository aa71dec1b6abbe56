// Writes snapshots into an open session: prepared statements, and what is written already is not written again.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "core/session/session.h"
#include "core/session/sqlite.h"

namespace stele {

class SessionStore {
 public:
  explicit SessionStore(Database& database);
  ~SessionStore();
  // Within the caller's transaction. Where this throws, the store must be thrown away with the transaction.
  void add(const Session::NewSnapshot& snapshot);

 private:
  struct Statements;
  struct Key {
    uint64_t low, high;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return key.low; }
  };
  void add_row(const SnapshotRow& row);
  void add_text(int snapshot, const std::string& text);
  void add_ops(const Session::NewSnapshot& snapshot);
  int64_t op_row(const OpRow& op, bool visible, const std::vector<const EdgeRow*>& edges);
  int64_t write_op(const OpRow& op, bool visible);
  void add_rewrites(int snapshot, const std::vector<RewriteRow>& rewrites);
  void add_blob(const Blob& blob);
  void add_part(const std::string& hash, int64_t part, std::span<const std::byte> bytes);

  Database& database_;
  std::unique_ptr<Statements> statements_;
  std::unordered_map<Key, int64_t, KeyHash> op_rows_;
  std::unordered_set<std::string> blobs_;
};

// Bytes a row of `blobs` holds at the most, before compression.
constexpr size_t blob_part_bytes = size_t{64} << 20;

// "1 2 3" and back; what is no number ends the list.
std::string join_ids(const std::vector<OpId>& ids);
std::vector<OpId> split_ids(const std::string& text);

}  // namespace stele
