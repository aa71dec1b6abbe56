// The command line as a user meets it: the program itself is run.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/app/cli/program.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"

using stele::test::Ran;
using stele::test::run_stele;
using stele::test::Scratch;
using Json = nlohmann::json;

namespace {

std::string sample(const std::string& name) { return (stele::test::source_dir() / "samples" / name).string(); }
std::string capstone() { return sample("capstone/model.onnx"); }
std::string capstone_data() { return sample("capstone/test_data_set_0"); }

// One line on stderr and nothing on stdout.
void check_refused(const Ran& ran, int status, const std::string& says) {
  CHECK(ran.status == status);
  CHECK(ran.out.empty());
  CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  CHECK_THAT(ran.err, Catch::Contains(says));
}

Json json_of(const Ran& ran) {
  INFO(ran.err);
  REQUIRE(!ran.out.empty());
  return Json::parse(ran.out);
}

}  // namespace

TEST_CASE("cli/bad usage and bad input: status 2, one line", "[cli]") {
  check_refused(run_stele({}), 2, "subcommand");
  check_refused(run_stele({"frobnicate"}), 2, "frobnicate");
  check_refused(run_stele({"compile"}), 2, "MODEL");
  check_refused(run_stele({"compile", "/nowhere/model.onnx"}), 2, "/nowhere/model.onnx");
  check_refused(run_stele({"compile", capstone(), "--dim", "batch"}), 2, "batch");
  check_refused(run_stele({"compile", capstone(), "--dim", "nonesuch=3"}), 2, "nonesuch");
  check_refused(run_stele({"compile", capstone(), "--stack", "xla"}), 2, "xla");
  check_refused(run_stele({"compile", capstone(), "--grad"}), 2, "--grad");
  check_refused(run_stele({"run", capstone(), "--at", "999"}), 2, "999");
  check_refused(run_stele({"run", capstone(), "--through", "sideways"}), 2, "sideways");
  check_refused(run_stele({"bisect", capstone(), "--inject", "nonesuch"}), 2, "nonesuch");
  check_refused(run_stele({"import", "x.hlo", "-o", "y.stele"}), 2, "import");
  check_refused(run_stele({"show", capstone()}), 2, "not a session");
  check_refused(run_stele({"test", "/nowhere"}), 2, "/nowhere");
}

TEST_CASE("cli/what is absent: status 3, one line", "[cli]") {
  check_refused(run_stele({"compile", capstone(), "--target", "cuda"}), 3, "cuda");
  check_refused(run_stele({"run", capstone(), "--through", "cuda"}), 3, "cuda");
}

TEST_CASE("cli/compile writes a session that show reads", "[cli]") {
  const Scratch scratch;
  const std::string session = scratch.path("a.stele");
  const Ran text = run_stele({"compile", capstone(), "-o", session, "--dim", "batch=7"});
  INFO(text.err);
  REQUIRE(text.status == 0);
  CHECK_THAT(text.out, Catch::Contains("capture") && Catch::Contains("decompose") && Catch::Contains("kernels") && Catch::Contains("batch"));
  CHECK(text.err.empty());
  CHECK(scratch.files() == std::vector<std::string>{"a.stele"});
  const Json shown = json_of(run_stele({"show", session, "--json"}));
  CHECK(shown["complete"] == true);
  CHECK(shown["binding"] == "batch=7");
  REQUIRE(shown["snapshots"].size() > 3);
  int index = 0;
  for (const Json& row : shown["snapshots"]) {
    for (const char* key : {"index", "name", "stage", "level", "changed", "kernels", "hbm_bytes", "peak_bytes", "flops", "ms"}) CHECK(row.contains(key));
    CHECK(row["index"] == index++);
  }
  CHECK(shown["snapshots"][0]["name"] == "capture");
  const Json compiled = json_of(run_stele({"compile", capstone(), "--dim", "batch=7", "--json"}));
  for (size_t i = 0; i < compiled["snapshots"].size(); ++i) {
    CHECK(compiled["snapshots"][i]["kernels"] == shown["snapshots"][i]["kernels"]);
    CHECK(compiled["snapshots"][i]["hbm_bytes"] == shown["snapshots"][i]["hbm_bytes"]);
  }
  CHECK_THAT(run_stele({"show", session, "decompose"}).out, Catch::Contains("stablehlo.dot_general"));
  CHECK_THAT(run_stele({"show", session, "decompose", "--format", "stablehlo"}).out, Catch::Contains("func.func"));
  CHECK_THAT(run_stele({"show", session, "0", "--format", "dot"}).out, Catch::StartsWith("digraph"));
  CHECK(json_of(run_stele({"show", session, "0", "--json"}))["ops"].size() > 0);
  check_refused(run_stele({"show", session, "0", "--format", "stablehlo"}), 2, "framework");
  check_refused(run_stele({"show", session, "99"}), 2, "99");
  check_refused(run_stele({"show", session, "0", "--format", "nonesuch"}), 2, "nonesuch");
  const Json diff = json_of(run_stele({"diff", session, "0", "decompose", "--json"}));
  CHECK(!diff["added"].empty());
}

TEST_CASE("cli/compile that fails leaves nothing, and an old file as it was", "[cli]") {
  const Scratch scratch;
  const std::string session = scratch.path("a.stele"), bad = scratch.path("bad.onnx");
  std::ofstream(bad) << "not a model at all";
  check_refused(run_stele({"compile", bad, "-o", session}), 2, "bad.onnx");
  CHECK(scratch.files() == std::vector<std::string>{"bad.onnx"});
  std::ofstream(session) << "old";
  check_refused(run_stele({"compile", bad, "-o", session}), 2, "bad.onnx");
  std::string kept;
  std::ifstream(session) >> kept;
  CHECK(kept == "old");
  check_refused(run_stele({"compile", capstone(), "-o", scratch.path("no/such/folder/a.stele")}), 2, "no/such/folder");
}

TEST_CASE("cli/run compares with what is expected", "[cli]") {
  const std::vector<std::string> base = {"run", capstone(), "--inputs", capstone_data(), "--expect", capstone_data(), "--json"};
  const Json captured = json_of(run_stele(base));
  CHECK(captured["matches"] == true);
  CHECK(captured["comparisons"].size() == 2);
  for (const char* at : {"0", "1", "3", "3.1", "3.2"}) {
    std::vector<std::string> arguments = base;
    arguments.insert(arguments.end(), {"--at", at});
    INFO(at);
    const Ran ran = run_stele(arguments);
    CHECK(ran.status == 0);
    CHECK(json_of(ran)["matches"] == true);
  }
  const Ran text = run_stele({"run", capstone(), "--inputs", capstone_data(), "--expect", capstone_data()});
  CHECK_THAT(text.out, Catch::Contains("against reference") && Catch::Contains("bound"));
}

TEST_CASE("cli/run that does not match: status 1", "[cli]") {
  const Scratch scratch;
  // What the model gives for other inputs is not what is expected.
  const Ran made = run_stele({"run", capstone(), "--dim", "batch=4", "--seed", "5", "--save", scratch.path("out")});
  REQUIRE(made.status == 0);
  const Json saved = json_of(run_stele({"run", capstone(), "--dim", "batch=4", "--seed", "5", "--json"}));
  CHECK(saved["matches"].is_null());
  const Ran ran = run_stele({"run", capstone(), "--inputs", capstone_data(), "--expect", scratch.path("out"), "--json"});
  CHECK(ran.status == 1);
  CHECK(json_of(ran)["matches"] == false);
}

TEST_CASE("cli/bisect finds nothing in a sound model, and what is injected", "[cli]") {
  const Scratch scratch;
  const Ran sound = run_stele({"bisect", capstone(), "--inputs", capstone_data(), "--json"});
  CHECK(sound.status == 0);
  CHECK(json_of(sound)["verdict"] == "equal");
  const std::string repro = scratch.path("r.stele.txt");
  const Ran found = run_stele({"bisect", capstone(), "--inputs", capstone_data(), "--inject", "wrong-cast", "-o", repro, "--json"});
  CHECK(found.status == 1);
  const Json json = json_of(found);
  CHECK(json["applied"] == true);
  CHECK(json["pass"] == "decompose");
  CHECK(json["rewrite"]["number"].is_number());
  CHECK(json["rewrite"]["rule"].is_string());
  CHECK(json["repro"] == repro);
  CHECK(json["executions"].get<int>() > 0);
  CHECK(json["element"]["index"].is_array());
  const Ran replayed = run_stele({"run", repro, "--json"});
  CHECK(replayed.status == 1);
  CHECK(json_of(replayed)["pass"] == "decompose");
}

TEST_CASE("cli/bisect lists at least twelve faults of all five stages' passes", "[cli]") {
  const Json faults = json_of(run_stele({"bisect", "--list-faults", "--json"}))["faults"];
  CHECK(faults.size() >= 12);
  const Json passes = json_of(run_stele({"passes", "--json"}))["passes"];
  for (const Json& fault : faults) {
    CHECK(!fault["summary"].get<std::string>().empty());
    const auto known = std::any_of(passes.begin(), passes.end(), [&](const Json& pass) { return pass["name"] == fault["pass"]; });
    INFO(fault["pass"]);
    CHECK(known);
  }
}

TEST_CASE("cli/test counts, says why, and fails when a case fails", "[cli]") {
  const Scratch scratch;
  const Ran text = run_stele({"test", sample("capstone")});
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Catch::EndsWith("1 passed, 0 failed, 0 skipped\n"));
  namespace fs = std::filesystem;
  fs::copy(sample("capstone"), scratch.path("broken"), fs::copy_options::recursive);
  fs::resize_file(scratch.path("broken/model.onnx"), 1000);
  fs::copy(sample("capstone"), scratch.path("wrong"), fs::copy_options::recursive);
  run_stele({"run", capstone(), "--dim", "batch=4", "--save", scratch.path("wrong/test_data_set_0")});
  const Ran failed = run_stele({"test", scratch.path(""), sample("capstone"), "--json"});
  CHECK(failed.status == 1);
  const Json json = json_of(failed);
  CHECK(json["passed"] == 1);
  CHECK(json["failed"] == 2);
  CHECK(json["cases"].size() == 3);
  for (const Json& one : json["cases"]) CHECK(!one["why"].get<std::string>().empty());
  const Ran every = run_stele({"test", sample("capstone"), "--through", "every"});
  CHECK(every.status == 0);
  const Ran rewrites = run_stele({"test", sample("capstone"), "--through", "rewrites", "--samples", "2"});
  INFO(rewrites.out);
  CHECK(rewrites.status == 0);
}

TEST_CASE("cli/looking about: passes, ops, rosetta, doctor, fuzz", "[cli]") {
  for (const char* command : {"passes", "ops", "rosetta", "doctor"}) {
    INFO(command);
    const Ran text = run_stele({command}), json = run_stele({command, "--json"});
    CHECK(text.status == 0);
    CHECK(!text.out.empty());
    CHECK(json.status == 0);
    CHECK_NOTHROW(Json::parse(json.out));
  }
  CHECK(json_of(run_stele({"rosetta", "--json"}))["stacks"].size() == 5);
  CHECK(run_stele({"--help"}).status == 0);
  CHECK(run_stele({"compile", "--help"}).status == 0);
  CHECK(run_stele({"--version"}).status == 0);
  const Scratch scratch;
  const Ran fuzz = run_stele({"fuzz", "--count", "20", "--seed", "3", "-o", scratch.path("found"), "--json"});
  INFO(fuzz.out);
  CHECK(fuzz.status == 0);
  CHECK(json_of(fuzz)["graphs"] == 20);
}
