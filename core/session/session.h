// Sessions: one SQLite file (.stele), versioned, in WAL mode, written in transactions. Stele's own pipeline and every
// reader of a foreign dump write the same tables; whoever reads them does not care who wrote them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/ir.h"

namespace stele {

// The scoreboard of a snapshot at its binding; -1: not known (a foreign dump). `*_expression` where dims are symbolic.
struct Score {
  int64_t kernels = -1;
  int64_t hbm_bytes = -1;
  int64_t peak_bytes = -1;    // arguments, results and temporaries; weights apart
  int64_t weight_bytes = -1;
  int64_t flops = -1;
  std::string kernels_expression, hbm_expression, peak_expression, flops_expression;
};

struct SnapshotRow {
  int index = 0;
  std::string name;   // pass name; "capture" for 0
  std::string stage;  // capture … codegen
  std::string level;  // framework … machine
  std::string contract;
  bool changed = true;
  int same_as = -1;   // of an unchanged one: the index of the snapshot that holds the content
  double ms = 0;
  int rewrites = 0;
  Score score;
};

struct OpRow {  // an op of a function's own body, or of a fusion's
  OpId id = 0;
  OpId parent = 0;  // the op whose region it stands in; 0: the function
  std::string name;
  std::string label;       // the node's name in the user's file
  std::string type;        // of the results, "tensor<4xf32>, tensor<4xi64>"
  std::string attributes;  // as text, constants elided
  std::vector<OpId> derived_from;
  int64_t kernels = -1, hbm_bytes = -1, flops = -1;  // its own share; -1: not known
};

struct EdgeRow {
  OpId from = 0;  // 0: argument `result` of the function
  int result = 0;
  OpId to = 0;  // 0: result `operand` of the function
  int operand = 0;
  std::string type;
};

struct RewriteRow {
  int64_t number = 0;
  std::string rule;
  std::vector<OpId> matched, created, erased;
};

class Session {
 public:
  // Creates the file: it stands at the path from the first snapshot on, or, where an older one stands there, once it is
  // finished.
  static std::unique_ptr<Session> create(const std::string& path, const std::string& title, const std::string& stack);
  // Throws Error naming the file where it is not a session, or of a version that cannot be read or migrated.
  static std::unique_ptr<Session> open(const std::string& path);
  virtual ~Session() = default;

  virtual const std::string& path() const = 0;
  virtual std::string title() const = 0;  // of the model
  virtual std::string stack() const = 0;  // "stele", "xla", …
  virtual bool complete() const = 0;      // false: the compile was cut short
  virtual std::optional<std::string> meta(const std::string& key) const = 0;
  virtual void set_meta(const std::string& key, const std::string& value) = 0;

  virtual std::vector<SnapshotRow> snapshots() const = 0;
  // These follow same_as by themselves.
  virtual std::vector<OpRow> ops(int snapshot) const = 0;      // in execution order
  virtual std::vector<EdgeRow> edges(int snapshot) const = 0;
  virtual std::string text(int snapshot) const = 0;            // names and identity printed; for a foreign dump: as it stood
  virtual std::unique_ptr<Module> module(int snapshot) const = 0;  // throws Error where the snapshot is not executable
  virtual std::vector<RewriteRow> rewrites(int snapshot) const = 0;
  virtual BlobRef blob(const std::string& hash) const = 0;     // null where absent

  struct NewSnapshot {
    SnapshotRow row;
    std::string text;
    std::vector<OpRow> ops;
    std::vector<EdgeRow> edges;
    std::vector<RewriteRow> rewrites;
    std::vector<BlobRef> blobs;
  };
  // One transaction. Where row.same_as >= 0 only the row is written.
  virtual void add(const NewSnapshot& snapshot) = 0;
  virtual void finish() = 0;  // marks the session complete
};

// Keys of meta(): "stopped" (why a compile ended early), "model" (path as given), "binding" ("batch=32, …"), "created" (ISO 8601), "target".

}  // namespace stele
