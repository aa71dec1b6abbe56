// The StableHLO project's programs, each with its inputs and a check of its result.
#include <catch2/catch.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/eval/interpreter.h"
#include "core/ir/text.h"
#include "core/ops/checks.h"
#include "tests/support/paths.h"

using namespace stele;
using namespace stele::test;

namespace {

enum class Outcome { held, verified, refused, failed };

// held: the checks hold. verified: parses and verifies, but main wants inputs that the collection does not have.
// refused: something is not supported, and a clear error says so. failed: a check does not hold.
Outcome outcome_of(const std::string& text, std::string& why) {
  try {
    const auto module = parse(text);
    verify(*module);
    if (module->main().body().argument_count() > 0) return Outcome::verified;
    run(*module, {});
    return Outcome::held;
  } catch (const CheckFailed& error) {
    why = error.what();
    return Outcome::failed;
  } catch (const Error& error) {
    why = error.what();
    return Outcome::refused;
  }
}

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("conformance programs hold by the evaluator", "[conformance]") {
  const auto folder = shared("conformance/stablehlo_testdata");
  if (!folder) return skip("conformance programs hold by the evaluator", "shared/conformance is not there");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  // Every tenth in the short form.
  const size_t step = long_mode() ? 1 : 10;
  int counts[4] = {};
  std::string failures;
  for (size_t i = 0; i < files.size(); i += step) {
    std::string why;
    const Outcome outcome = outcome_of(content(files[i]), why);
    ++counts[static_cast<int>(outcome)];
    if (outcome == Outcome::failed) failures += files[i].filename().string() + ": " + why + "\n";
  }
  const int total = counts[0] + counts[1] + counts[2] + counts[3];
  WARN(counts[0] << " held, " << counts[1] << " verified only, " << counts[2] << " refused, " << counts[3] << " failed, of " << total << "\n" << failures);
  // What fails are checks at 3 units in the last place where sums cancel (f32 dots, transforms), and of f32 cosh: the
  // programs' expected values carry the errors of another order of summation, or of f32.
  CHECK(counts[3] * 50 <= total);
  CHECK((counts[0] + counts[1]) * 100 >= total * 88);
}
