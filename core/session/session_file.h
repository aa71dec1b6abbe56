// The .stele file behind Session. One connection, used by one thread at a time (a mutex sees to it).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/session/session.h"
#include "core/session/session_store.h"
#include "core/session/sqlite.h"

namespace stele {

class SessionFile : public Session {
 public:
  struct Fresh {};
  SessionFile(Fresh, const std::string& path, const std::string& title, const std::string& stack);
  explicit SessionFile(const std::string& path);
  ~SessionFile() override;

  const std::string& path() const override { return path_; }
  std::string title() const override { return meta("title").value_or(""); }
  std::string stack() const override { return meta("stack").value_or(""); }
  bool complete() const override { return meta("complete") == "1"; }
  std::optional<std::string> meta(const std::string& key) const override;
  void set_meta(const std::string& key, const std::string& value) override;

  std::vector<SnapshotRow> snapshots() const override;
  std::vector<OpRow> ops(int snapshot) const override;
  std::vector<EdgeRow> edges(int snapshot) const override;
  std::string text(int snapshot) const override;
  std::unique_ptr<Module> module(int snapshot) const override;
  std::vector<RewriteRow> rewrites(int snapshot) const override;
  BlobRef blob(const std::string& hash) const override;

  void add(const NewSnapshot& snapshot) override;
  void finish() override;

 private:
  int holder(int snapshot) const;  // the snapshot that holds the content of this one
  void read_provenance(int snapshot, std::vector<OpRow>& ops, const std::vector<int64_t>& positions) const;
  void publish();  // the file under construction takes its place

  std::string path_;
  std::string building_;  // where the file stands until the first snapshot is in; empty afterwards
  mutable std::recursive_mutex mutex_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SessionStore> store_;
  mutable std::map<std::string, std::weak_ptr<const Blob>> blobs_;
};

}  // namespace stele
