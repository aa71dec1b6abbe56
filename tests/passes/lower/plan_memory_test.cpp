#include <catch2/catch.hpp>

#include "core/eval/interpreter.h"
#include "core/ir/text.h"
#include "passes/lower/passes.h"
#include "tests/passes/optimize/main_text.h"
#include "tests/support/pass_checks.h"

namespace stele::test {
namespace {

const std::string t = "tensor<64xf32>", n = "tensor<?xf32, #stele.dims<n>>", wide = "tensor<?xf32, #stele.dims<3*n>>";

std::string chain(const std::string& type, int length) {
  std::string body, last = "%x";
  for (int i = 0; i < length; ++i) {
    const std::string next = std::string("%step_") + static_cast<char>('a' + i);
    body += next + " = stablehlo.negate " + last + " : " + type + "\n";
    last = next;
  }
  return main_text("%x: " + type, last + ": " + type, body);
}

std::unique_ptr<Module> planned(const std::string& text, const Binding& binding = {}) {
  auto module = parse(text);
  Rewriter rewriter(*module);
  PassOptions options;
  options.binding = binding;
  PassContext context{*module, rewriter, options};
  plan_memory.run(context);
  return module;
}

Dim arena_of(const Module& module) {
  const auto found = module.main().attributes().find("arena");
  return found == module.main().attributes().end() ? Dim(0) : found->second.get<Shape>()->front();
}

// Offset and end of each placed result, by the name of the value.
std::map<std::string, std::pair<int64_t, int64_t>> places(const Module& module, const Binding& binding) {
  std::map<std::string, std::pair<int64_t, int64_t>> all;
  for (const Operation& op : module.main().body()) {
    if (!op.has("placement")) continue;
    const int64_t offset = op.get<Shape>("placement")[0].evaluate(binding);
    all[op.result()->name()] = {offset, offset + op.result()->type().bytes().evaluate(binding)};
  }
  return all;
}

}  // namespace

TEST_CASE("plan-memory/place-buffer: a chain needs two buffers", "[plan_memory]") {
  check_same(plan_memory, {chain(t, 6)});
  CHECK(arena_of(*planned(chain(t, 6))) == Dim(2 * 64 * 4));
}

TEST_CASE("plan-memory leaves arguments, constants and views alone", "[plan_memory]") {
  check_unchanged(plan_memory, main_text("%x: " + t, "%v: tensor<8x8xf32>", "%c = stablehlo.constant dense<1.0> : " + t + "\n%v = stablehlo.reshape %x : (" + t + ") -> tensor<8x8xf32>"));
}

TEST_CASE("plan-memory keeps what is returned to the end, through a view, too", "[plan_memory]") {
  const std::string text = main_text("%x: " + t, "%v: tensor<8x8xf32>, %r: " + t,
                                     "%a = stablehlo.exponential %x : " + t + "\n%v = stablehlo.reshape %a : (" + t + ") -> tensor<8x8xf32>\n"
                                     "%b = stablehlo.negate %x : " + t + "\n%r = stablehlo.abs %b : " + t);
  check_same(plan_memory, {text});
  const auto at = places(*planned(text), {});
  CHECK(at.at("a").first != at.at("b").first);
  CHECK(at.at("a").first != at.at("r").first);
}

TEST_CASE("plan-memory keeps what a view reads", "[plan_memory]") {
  const std::string text = main_text("%x: " + t, "%r: tensor<8x8xf32>",
                                     "%a = stablehlo.exponential %x : " + t + "\n%v = stablehlo.reshape %a : (" + t + ") -> tensor<8x8xf32>\n"
                                     "%b = stablehlo.negate %x : " + t + "\n%h = stablehlo.abs %b : " + t + "\n%w = stablehlo.reshape %h : (" + t + ") -> tensor<8x8xf32>\n"
                                     "%r = stablehlo.add %v, %w : tensor<8x8xf32>");
  check_same(plan_memory, {text});
  const auto module = planned(text);
  const auto at = places(*module, {});
  CHECK(at.at("a").first != at.at("b").first);
  CHECK(at.at("a").first != at.at("h").first);
  CHECK(arena_of(*module) == Dim(3 * 64 * 4));  // a, then b and c, then c and r
}

TEST_CASE("plan-memory does not put a result where its op's operand is", "[plan_memory]") {
  const auto at = places(*planned(chain(t, 3)), {});
  CHECK(at.at("step_a").first != at.at("step_b").first);
}

TEST_CASE("plan-memory aligns to 64 bytes", "[plan_memory]") {
  const std::string three = "tensor<3xf32>";
  for (const auto& [name, place] : places(*planned(chain(three, 5)), {})) CHECK(place.first % 64 == 0);
  check_same(plan_memory, {chain(three, 5)});
}

TEST_CASE("plan-memory of symbolic sizes is sound for every binding", "[plan_memory]") {
  const std::string text = main_text("%x: " + n + ", %y: " + wide, "%r: " + n + ", %s: " + wide,
                                     "%a = stablehlo.negate %x : " + n + "\n%b = stablehlo.negate %y : " + wide + "\n%h = stablehlo.exponential %a : " + n +
                                         "\n%d = stablehlo.exponential %b : " + wide + "\n%e = stablehlo.abs %h : " + n + "\n%f = stablehlo.abs %d : " + wide +
                                         "\n%r = stablehlo.add %e, %a : " + n + "\n%s = stablehlo.add %f, %b : " + wide);
  for (int64_t size : {1, 2, 15, 16, 17, 100}) {
    PassCheck check;
    check.binding = {{"n", size}};
    check_same(plan_memory, {text}, check);
    // Planned once, run at this size: a, h and e are live together, and so are b, d and f.
    const auto module = planned(text, {{"n", 8}});
    const auto at = places(*module, {{"n", size}});
    const std::vector<std::pair<std::string, std::string>> together = {{"a", "b"}, {"a", "h"}, {"b", "h"}, {"b", "d"}, {"a", "d"}, {"a", "e"}, {"h", "d"}, {"h", "e"}, {"d", "e"}, {"d", "f"}, {"b", "f"}, {"e", "f"}, {"a", "f"}};
    for (const auto& [one, other] : together) {
      INFO(one << " and " << other << " at n = " << size);
      CHECK((at.at(one).second <= at.at(other).first || at.at(other).second <= at.at(one).first));
    }
    for (const auto& [name, place] : at) CHECK(place.second <= arena_of(*module).evaluate({{"n", size}}));
  }
}

TEST_CASE("plan-memory shares a slot between sizes that cannot be compared", "[plan_memory]") {
  const std::string m = "tensor<?xf32, #stele.dims<m>>";
  const std::string text = main_text("%x: " + n + ", %y: " + m, "%r: " + n + ", %s: " + m,
                                     "%a = stablehlo.negate %x : " + n + "\n%r = stablehlo.abs %a : " + n + "\n%b = stablehlo.negate %y : " + m + "\n%s = stablehlo.abs %b : " + m);
  for (const auto& [first, second] : {std::pair<int64_t, int64_t>{5, 50}, {50, 5}}) {
    PassCheck check;
    check.binding = {{"n", first}, {"m", second}};
    check_same(plan_memory, {text}, check);
    const auto module = planned(text);
    CHECK(arena_of(*module).evaluate({{"n", 5}, {"m", 50}}) < 64 + 64 + 256 + 256);
  }
}

}  // namespace stele::test
