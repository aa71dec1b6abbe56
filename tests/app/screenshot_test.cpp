#include <catch2/catch.hpp>
#include <filesystem>

#include "app/gui/window.h"
#include "tests/app/fixture.h"
#include "tests/support/paths.h"

using namespace stele::app;

namespace {

constexpr const char* walk = R"(
wait
screenshot opened
select-pass fuse-elementwise
screenshot fused
fit-all
screenshot whole
select-op after:10005
focus
zoom 1
screenshot selected
show rewrites
screenshot rewrites
select-pass 3
next-change
next-change
show ir
screenshot change
show rosetta
rosetta-select xla
screenshot rosetta
show graphs
theme light
constants inside
wait
select-pass 6
screenshot light
palette
screenshot palette
)";

}  // namespace

TEST_CASE("a script replays commands and leaves pictures", "[app][screenshot]") {
  const std::filesystem::path pictures = std::filesystem::temp_directory_path() / "stele-screenshot-test";
  std::filesystem::remove_all(pictures);
  App app([](const std::string&) { return testing::transformer_document(3); },
          [](const std::string& path, Progress&) { return path; });
  app.show(testing::transformer_document(3));
  WindowOptions options;
  options.pictures = pictures;
  try {
    run_in_memory(app, options, ScriptRunner("walk", parse_script("walk", walk)));
  } catch (const NoWindow& reason) {
    return stele::test::skip("a script replays commands and leaves pictures", reason.what());
  }
  for (const char* name : {"opened", "fused", "selected", "rewrites", "change", "rosetta", "light", "palette"}) {
    CHECK(std::filesystem::file_size(pictures / (std::string(name) + ".png")) > 10000);
  }
  CHECK(app.state.message == "");
}
