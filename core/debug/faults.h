// Faults that the tester can inject into its own pipeline, to prove that it finds them: each damages what one rewrite of one
// pass has just made, in a way that still is a module.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/pass/rewriter.h"

namespace stele {

// A place where a fault can act after a rewrite, as the damage itself. It may add ops and change operands, attributes and
// types; it must not erase ops, because the pass may still hold them.
using FaultSite = std::function<void()>;

struct Fault {
  std::string_view name;
  std::string_view pass;     // acts in rewrites of this pass alone
  std::string_view summary;
  std::vector<FaultSite> (*sites)(Rewrite& rewrite, const RewriteEvent& event);
};

// Those of core/debug; the codegen stage has more (passes/codegen).
std::span<const Fault> core_faults();
const Fault* find_fault(std::span<const Fault> faults, std::string_view name);

// Injects a fault once, at the site-th place (from 0) that turns up.
class FaultInjector {
 public:
  FaultInjector(const Fault& fault, int site) : fault_(&fault), site_(site) {}
  // To be called at the end of every rewrite of the fault's pass.
  void operator()(Rewrite& rewrite, const RewriteEvent& event);
  bool applied() const { return applied_; }
  const std::string& rule() const { return rule_; }
  uint64_t number() const { return number_; }

 private:
  const Fault* fault_;
  int site_;
  bool applied_ = false;
  std::string rule_;
  uint64_t number_ = 0;
};

}  // namespace stele
