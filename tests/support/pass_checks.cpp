#include "tests/support/pass_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "core/eval/interpreter.h"
#include "core/ir/text.h"
#include "core/pass/pipeline.h"

namespace stele::test {
namespace {

constexpr std::uint64_t max_prefixes = 32;

std::string canonical(const Module& module) {
  PrintOptions options;
  options.names = false;
  options.elide_above = -1;
  return print(module, options);
}

// Parses, verifies, and checks that what is printed parses to the same again.
std::unique_ptr<Module> checked_parse(std::string_view text) {
  std::unique_ptr<Module> module = parse(text, {.file = "<test>", .blobs = {}});
  verify(*module);
  const std::string printed = canonical(*module);
  CHECK(canonical(*parse(printed, {.file = "<printed>", .blobs = {}})) == printed);
  return module;
}

// What a contract allows element i of a result to differ by. Reassociation is bounded by the longest reduction; the
// modules of tests are small, so 64 terms are plenty.
double allowed(const Contract& contract, DType dtype, double reference) {
  const double ulp = epsilon(dtype) * std::max(1.0, std::abs(reference));
  switch (contract.kind) {
    case Contract::exact:
      return 0;
    case Contract::reassociates:
      return 64 * ulp;
    case Contract::approximates:
      break;
  }
  return contract.bound_ulp * ulp;
}

// The first element that breaks the contract, in words.
std::optional<std::string> difference(const Contract& contract, const Tensor& expected, const Tensor& actual) {
  if (expected.dtype() != actual.dtype() || expected.sizes() != actual.sizes()) {
    return fmt::format("type {}, expected {}", actual.type().str(), expected.type().str());
  }
  if (expected.bitwise_equal(actual)) return std::nullopt;
  const bool floats = is_float(expected.dtype());
  for (std::int64_t i = 0; i < expected.elements(); ++i) {
    const double want = expected.get(i);
    const double got = actual.get(i);
    const bool close = std::isnan(want)
                           ? std::isnan(got)
                           : want == got || std::abs(want - got) <= allowed(contract, expected.dtype(), want);
    const bool same_bits = want == got && std::signbit(want) == std::signbit(got);
    if (floats && contract.kind != Contract::exact ? !close : !same_bits) {
      return fmt::format("element {} is {}, expected {} ({})", i, got, want, contract.str());
    }
  }
  if (contract.kind == Contract::exact) return "the bits of a NaN or of a large integer differ";
  return std::nullopt;
}

void check_results(const Module& module, const std::vector<Tensor>& inputs, const std::vector<Tensor>& expected,
                   const Contract& contract) {
  const std::vector<Tensor> results = run(module, inputs);
  REQUIRE(results.size() == expected.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    INFO("result " << i);
    const std::optional<std::string> wrong = difference(contract, expected[i], results[i]);
    INFO(wrong.value_or(""));
    CHECK_FALSE(wrong.has_value());
  }
}

struct Ran {
  std::unique_ptr<Module> module;
  std::uint64_t rewrites = 0;
};

Ran run_on(const Module& before, const Pass& pass, const PassOptions& options) {
  Ran ran{before.clone(), 0};
  Rewriter rewriter(*ran.module);
  PassContext context{*ran.module, rewriter, options};
  pass.run(context);
  const std::vector<RuleDef> rules = rules_of(pass);
  ran.rewrites = rewriter.log().size();
  for (const RewriteEvent& event : rewriter.log()) {
    INFO("rule " << event.rule);
    CHECK(std::ranges::any_of(rules, [&](const RuleDef& rule) { return rule.name == event.rule; }));
  }
  verify(*ran.module);
  return ran;
}

void check_prefixes(const Module& before, const Pass& pass, std::uint64_t rewrites, const PassCheck& check) {
  const std::vector<Tensor> inputs = random_inputs(before, small_binding(before, check.binding), check.seed);
  const std::vector<Tensor> expected = run(before, inputs);
  for (std::uint64_t fuel = 1; fuel <= std::min(rewrites, max_prefixes); ++fuel) {
    INFO("after rewrite " << fuel << " of " << rewrites << ", inputs from seed " << check.seed);
    const std::unique_ptr<Module> prefix = run_prefix(before, pass, fuel, check.options);
    verify(*prefix);
    check_results(*prefix, inputs, expected, pass.contract);
  }
}

// Runs the pass and checks all that every pass must keep.
Ran checked_run(const Pass& pass, std::string_view text, const PassCheck& check) {
  const std::unique_ptr<Module> before = checked_parse(text);
  Ran ran = run_on(*before, pass, check.options);
  INFO("pass " << pass.name << ", " << ran.rewrites << " rewrites, gave\n" << canonical(*ran.module));
  CHECK((ran.rewrites > 0) == (canonical(*before) != canonical(*ran.module)));
  if (check.idempotent) {
    CHECK(run_on(*ran.module, pass, check.options).rewrites == 0);
  }
  if (check.run) check_prefixes(*before, pass, ran.rewrites, check);
  return ran;
}

double random_float(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const double magnitudes[] = {1.0, 1.0, 1.0, 0.01, 30.0};
  return normal(random) * magnitudes[random() % std::size(magnitudes)];
}

Tensor random_tensor(const Type& type, const Binding& binding, std::mt19937_64& random) {
  Tensor tensor(type.dtype, evaluate(type.shape, binding));
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    if (is_float(type.dtype)) {
      tensor.set(i, random_float(random));
    } else if (type.dtype == DType::boolean) {
      tensor.set_int(i, static_cast<std::int64_t>(random() % 2));
    } else {
      tensor.set_int(i, static_cast<std::int64_t>(random() % 21) - (is_signed_int(type.dtype) ? 10 : 0));
    }
  }
  return tensor;
}

}  // namespace

Binding small_binding(const Module& module, const Binding& given) {
  Binding binding = given;
  for (const auto& [symbol, bounds] : module.symbols) {
    binding.emplace(symbol, std::clamp<std::int64_t>(3, bounds.min, bounds.max));
  }
  return binding;
}

std::vector<Tensor> random_inputs(const Module& module, const Binding& binding, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Tensor> inputs;
  for (const Value* argument : module.main().body().arguments()) {
    inputs.push_back(random_tensor(argument->type(), binding, random));
  }
  return inputs;
}

void check_rewrite(const Pass& pass, std::string_view before, std::string_view after, const PassCheck& check) {
  const Ran ran = checked_run(pass, before, check);
  CHECK(canonical(*ran.module) == canonical(*checked_parse(after)));
}

void check_unchanged(const Pass& pass, std::string_view text, const PassCheck& check) {
  const Ran ran = checked_run(pass, text, check);
  INFO("the pass should have found nothing to do, and gave\n" << canonical(*ran.module));
  CHECK(ran.rewrites == 0);
}

void check_same(const Pass& pass, std::initializer_list<std::string_view> texts, const PassCheck& check) {
  std::optional<std::string> first;
  for (const std::string_view text : texts) {
    const std::string now = canonical(*checked_run(pass, text, check).module);
    if (first) CHECK(now == *first);
    if (!first) first = now;
  }
}

}  // namespace stele::test
