#include "core/debug/generate.h"

#include <catch2/catch.hpp>

#include "core/eval/interpreter.h"
#include "core/ir/text.h"

using namespace stele;

TEST_CASE("generate/graphs verify, run, and are the same for the same seed", "[debug]") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    GenerateOptions options;
    options.seed = seed;
    options.symbolic = seed % 2 == 0;
    const auto module = generate(options);
    INFO("seed " << seed << "\n" << print(*module));
    verify(*module);
    CHECK(print(*module) == print(*generate(options)));
    const Binding binding = {{"n", 3}};
    const auto inputs = make_inputs(module->main(), binding, {});
    CHECK_NOTHROW(run(*module, module->main(), inputs, binding, EvalOptions()));
  }
}
