// What the window shows: the passes of one compilation, read from wherever they are stored.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "viz/graph.h"
#include "viz/scoreboard.h"

namespace stele::app {

/// A row of the pass list. Row i turns snapshot i-1 into snapshot i; row 0 is the capture itself.
struct PassRow {
  std::string name;
  std::string stage;    ///< capture, represent, optimize, lower or codegen
  std::string level;    ///< of the snapshot after it: framework, tensor, kernel, loop, llvm, machine
  std::string summary;  ///< One line on what the pass does; may be empty.
  bool changed = true;
  double elapsed_ms = 0;
  std::size_t rewrites = 0;
  viz::Score score;  ///< Of the snapshot after it.
};

/// A line of IR text and the op that it prints (0: none).
struct IrLine {
  std::string text;
  viz::OpId op = 0;
};

struct Snapshot {
  viz::Graph graph;
  std::vector<IrLine> ir;
};

/// One logged application of a rule.
struct RewriteRow {
  std::size_t number = 0;
  std::string rule;
  std::vector<viz::OpId> before, after;  ///< Matched ops, new ops.
};

/// Where snapshots come from. Called from one worker thread; may throw std::runtime_error, whose text the window shows.
class SnapshotSource {
 public:
  virtual ~SnapshotSource() = default;
  virtual Snapshot snapshot(std::size_t pass) = 0;
  virtual std::vector<RewriteRow> rewrites(std::size_t pass) = 0;
  /// The code inside a kernel op (LLVM IR or assembly); empty where it has none. May be called beside the others, from
  /// another thread.
  virtual std::string code(const viz::Node&) { return ""; }
};

struct Document {
  std::string title;     ///< File name of the model or session.
  std::string subtitle;  ///< Stack and target, for example "stele · cpu".
  std::string stack;     ///< Rosetta id of the stack that compiled it; may be empty.
  std::string stopped;   ///< Why the compile went no further; empty: it did not stop.
  std::vector<PassRow> passes;
  std::shared_ptr<SnapshotSource> source;
};

}  // namespace stele::app
