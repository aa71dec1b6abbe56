// The points of a compile at which a module can be executed.
#pragma once

#include <functional>
#include <string>

#include "core/debug/subject.h"

namespace stele {

enum class Through : uint8_t { eval, cpu, every, rewrites };
// Throws Error on another word; Unavailable for cuda.
Through parse_through(const std::string& text);

struct Stop {
  int pass = 0;           // index of the pass; 0: the module as captured
  uint64_t rewrites = 0;  // of that pass, where it was stopped within
  bool within = false;
  std::string name;       // of the pass
  int reassociations = 0; // passes so far that do not keep every bit
  std::string str() const;  // "3 decompose", "3.17 decompose"
};

struct StopOptions {
  Through through = Through::eval;
  int samples = 8;    // prefixes drawn within each pass, for Through::rewrites
  uint64_t seed = 1;
};

// Calls visit for the captured module (eval), the last (cpu), every changed snapshot (every), or those and prefixes drawn
// within each pass that changed something (rewrites). Throws Error where a pass breaks the module.
void for_each_stop(Subject& subject, const StopOptions& options, const std::function<void(const Stop&, const Module&)>& visit);

// The module at N, or at N.K where `within`. Throws Error naming the passes there are, where N is none of them.
std::shared_ptr<const Module> module_at(const Module& captured, const Pipeline& pipeline, const PassOptions& options, const Stop& stop);

// "5" or "5.12" as a stop, its name and count of reassociations filled in. Throws Error.
Stop parse_stop(const std::string& text, const Pipeline& pipeline);

// `count` different numbers of 1 … below - 1, ascending; all of them where there are no more.
std::vector<uint64_t> draw_prefixes(uint64_t below, int count, uint64_t seed);

}  // namespace stele
