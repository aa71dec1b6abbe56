// What a test of a pass says in one line. Each of these also holds the pass to what every pass must keep: text that
// parses back to itself, modules that verify, a second run that finds nothing to do, and results within the contract —
// not only after the pass but after each prefix of its rewrites (design: every point of a compile can be executed).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/pass/pass.h"

namespace stele::test {

struct PassCheck {
  PassOptions options;
  Binding binding;         // values of symbolic dims; others are 3, within their bounds
  std::uint64_t seed = 1;  // of the random inputs; printed where a check fails
  bool idempotent = true;  // false: a second run may change something
  bool run = true;         // false: the module cannot be executed (unknown ops)
};

// The pass turns `before` into `after`; both as text, compared as modules (spelling and names do not matter).
void check_rewrite(const Pass& pass, std::string_view before, std::string_view after, const PassCheck& check = {});

// The pass finds nothing to do.
void check_unchanged(const Pass& pass, std::string_view text, const PassCheck& check = {});

// The pass turns all of these into the same module.
void check_same(const Pass& pass, std::initializer_list<std::string_view> texts, const PassCheck& check = {});

// Inputs for main drawn from a seed: floats of both signs and several magnitudes, small integers, booleans.
std::vector<Tensor> random_inputs(const Module& module, const Binding& binding, std::uint64_t seed);

// Every symbol of the module, given or 3 within its bounds.
Binding small_binding(const Module& module, const Binding& given = {});

}  // namespace stele::test
