// Whether a loop can be run on vectors, and which of its values then differ by lane.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ir/ir.h"

namespace stele::loops {

// A carried value that is combined with something new in each iteration, and the op that does.
struct Reduction {
  std::string kind;  // of loop.reduce
  Operation* combine = nullptr;
};

// Whether a loop can be vectorized, and how: which of its values differ by lane.
class VectorAnalysis {
 public:
  explicit VectorAnalysis(Operation& loop) : loop_(loop), iv_(loop.region().argument(0)) {}

  bool run() {
    if (loop_.get_or<int64_t>("step", 1) != 1 || loop_.has("remainder")) return false;
    varying_.insert(iv_);
    if (!find_reductions()) return false;
    // Carried values of inner loops may turn out to vary only at their ends: until nothing changes.
    size_t before = 0;
    do {
      before = varying_.size();
      if (!scan(loop_.region())) return false;
    } while (varying_.size() != before);
    return check(loop_.region()) && accesses_ > 0 && no_hazard();
  }

  bool varies(const Value* value) const { return varying_.contains(value); }
  // The factor of iv in an index; nothing where it is not linear.
  std::optional<int64_t> slope(const Value* index) const;
  const std::vector<Reduction>& reductions() const { return reductions_; }
  int64_t widest() const { return widest_; }
  bool has_inner_loop() const { return inner_loops_ > 0; }

 private:
  bool find_reductions();
  bool scan(const Region& region);
  bool check(const Region& region);
  bool check_op(const Operation& op);
  bool check_access(const Operation& op, unsigned buffer);
  bool no_hazard() const;

  Operation& loop_;
  const Value* iv_;
  std::set<const Value*> varying_;
  std::vector<Reduction> reductions_;
  std::set<const Operation*> combines_;
  std::map<const Value*, std::vector<const Operation*>> loads_, stores_;
  int accesses_ = 0, inner_loops_ = 0;
  int64_t widest_ = 1;
};

}  // namespace stele::loops
