#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "core/session/session.h"
#include "tests/support/scratch.h"

using namespace stele;
using stele::test::Scratch;

namespace {

Session::NewSnapshot snapshot(int index, int ops, BlobRef blob = nullptr) {
  Session::NewSnapshot made;
  made.row = {index, "pass-" + std::to_string(index), "optimize", "tensor", "exact", true, -1, 1.5, 1, {}};
  made.row.score.kernels = ops;
  made.row.score.kernels_expression = "batch";
  made.text = "module of " + std::to_string(ops) + " ops";
  for (int i = 1; i <= ops; ++i) {
    made.ops.push_back({static_cast<OpId>(i), 0, "stablehlo.add", "/layer/" + std::to_string(i), "tensor<4xf32>", "a = 1", {7, 8}, 1, 32, 4});
    made.edges.push_back({static_cast<OpId>(i - 1), 0, static_cast<OpId>(i), 0, "tensor<4xf32>"});
  }
  made.edges.push_back({static_cast<OpId>(ops), 0, 0, 0, "tensor<4xf32>"});
  made.rewrites.push_back({1, "some-rule", {1, 2}, {3}, {}});
  if (blob) made.blobs.push_back(blob);
  return made;
}

Session::NewSnapshot unchanged(int index, int same_as) {
  Session::NewSnapshot made;
  made.row = {index, "nothing", "optimize", "tensor", "exact", false, same_as, 0.5, 0, {}};
  return made;
}

BlobRef ramp(size_t bytes) {
  std::string text(bytes, '\0');
  uint64_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 6364136223846793005u + 1442695040888963407u) >> 56);
  return Blob::from_string(text);
}

std::string message_of_open(const std::string& path) {
  try {
    Session::open(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

std::string slurp(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void spill(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// Reads everything a session holds; whatever the file, this ends in values or in Error.
void read_all(const Session& session) {
  for (const SnapshotRow& row : session.snapshots()) {
    session.ops(row.index);
    session.edges(row.index);
    session.rewrites(row.index);
    session.text(row.index);
  }
}

}  // namespace

TEST_CASE("session/what was written is read back", "[session]") {
  Scratch scratch;
  const std::string path = scratch.path("a.stele");
  const BlobRef blob = ramp(100000);
  {
    auto session = Session::create(path, "a model", "stele");
    session->set_meta("binding", "batch=32");
    session->add(snapshot(0, 3, blob));
    session->add(unchanged(1, 0));
    session->add(unchanged(2, 1));
    session->add(snapshot(3, 2, blob));
    session->finish();
  }
  auto session = Session::open(path);
  CHECK(session->title() == "a model");
  CHECK(session->stack() == "stele");
  CHECK(session->complete());
  CHECK(session->meta("binding") == "batch=32");
  CHECK(session->meta("created")->size() == 20);
  CHECK(!session->meta("nothing"));
  const auto rows = session->snapshots();
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].name == "pass-0");
  CHECK(rows[0].score.kernels == 3);
  CHECK(rows[0].score.kernels_expression == "batch");
  CHECK(rows[0].score.hbm_bytes == -1);
  CHECK(!rows[2].changed);
  CHECK(rows[2].same_as == 1);
  REQUIRE(session->ops(2).size() == 3);  // follows 2 -> 1 -> 0
  CHECK(session->text(2) == "module of 3 ops");
  const auto ops = session->ops(3);
  REQUIRE(ops.size() == 2);
  CHECK(ops[1].id == 2);
  CHECK(ops[1].label == "/layer/2");
  CHECK(ops[1].derived_from == std::vector<OpId>{7, 8});
  CHECK(ops[1].hbm_bytes == 32);
  const auto edges = session->edges(3);
  REQUIRE(edges.size() == 3);
  CHECK(edges[0].from == 0);
  CHECK(edges[0].to == 1);
  CHECK(edges[2].from == 2);
  CHECK(edges[2].to == 0);
  REQUIRE(session->rewrites(3).size() == 1);
  CHECK(session->rewrites(3)[0].matched == std::vector<OpId>{1, 2});
  CHECK(session->rewrites(3)[0].erased.empty());
  REQUIRE(session->blob(blob->hash()));
  CHECK(session->blob(blob->hash())->hash() == blob->hash());
  CHECK(!session->blob("0000"));
  CHECK_THROWS_WITH(session->ops(9), Catch::Contains("no snapshot 9"));
}

TEST_CASE("session/ops and blobs that stay are written once", "[session]") {
  Scratch scratch;
  const BlobRef blob = ramp(1 << 20);
  auto size_of = [&](int snapshots) {
    const std::string path = scratch.path("s" + std::to_string(snapshots));
    {
      auto session = Session::create(path, "m", "stele");
      for (int i = 0; i < snapshots; ++i) session->add(snapshot(i, 500 + i, blob));
      session->finish();
    }
    return std::filesystem::file_size(path);
  };
  const auto one = size_of(1), twenty = size_of(20);
  CHECK(one >= blob->size());
  CHECK(one < blob->size() + (size_t{200} << 10));
  // 19 snapshots of 500 ops: what a list of rows takes, and no second copy of ops, edges or weights.
  CHECK(twenty - one < size_t{19} * 500 * 16 + (64 << 10));
}

TEST_CASE("session/an unchanged snapshot costs a row", "[session]") {
  Scratch scratch;
  const std::string path = scratch.path("a.stele");
  {
    auto session = Session::create(path, "m", "stele");
    session->add(snapshot(0, 2000));
    for (int i = 1; i <= 100; ++i) session->add(unchanged(i, i - 1));
    session->finish();
  }
  auto session = Session::open(path);
  CHECK(session->ops(100).size() == 2000);
  CHECK(std::filesystem::file_size(path) < (size_t{600} << 10));
}

TEST_CASE("session/the old file stays until the new one is whole", "[session]") {
  Scratch scratch;
  const std::string path = scratch.path("a.stele");
  {
    auto old = Session::create(path, "old", "stele");
    old->add(snapshot(0, 1));
    old->finish();
  }
  {
    auto fresh = Session::create(path, "new", "stele");
    CHECK(Session::open(path)->title() == "old");
  }  // given up before anything was written
  CHECK(Session::open(path)->title() == "old");
  CHECK(scratch.files() == std::vector<std::string>{"a.stele"});
  {
    auto fresh = Session::create(path, "new", "stele");
    fresh->add(snapshot(0, 1));
    CHECK(Session::open(path)->title() == "old");
  }  // given up half-way
  CHECK(Session::open(path)->title() == "old");
  CHECK(scratch.files() == std::vector<std::string>{"a.stele"});
  {
    auto fresh = Session::create(path, "new", "stele");
    fresh->add(snapshot(0, 1));
    fresh->finish();
  }
  CHECK(Session::open(path)->title() == "new");
  CHECK(scratch.files() == std::vector<std::string>{"a.stele"});
}

TEST_CASE("session/where no file was, the new one stands from its first snapshot on", "[session]") {
  Scratch scratch;
  const std::string path = scratch.path("a.stele");
  auto fresh = Session::create(path, "new", "stele");
  CHECK(scratch.files() != std::vector<std::string>{"a.stele"});
  fresh->add(snapshot(0, 1));
  CHECK(Session::open(path)->title() == "new");
  CHECK(!Session::open(path)->complete());
}

TEST_CASE("session/a writer that is killed leaves a file that opens", "[session]") {
  Scratch scratch;
  const std::string path = scratch.path("a.stele");
  for (const int patience_us : {2000, 8000, 20000}) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto session = Session::create(path, "m", "stele");
      for (int i = 0;; ++i) {
        session->add(snapshot(i, 300 + i, ramp(static_cast<size_t>(10000 + i))));
        if (i == 0 && ::write(ready[1], "x", 1) != 1) ::_exit(1);
      }
    }
    char byte;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    ::usleep(static_cast<useconds_t>(patience_us));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ready[0]);
    ::close(ready[1]);
    auto session = Session::open(path);
    CHECK(!session->complete());
    const auto rows = session->snapshots();
    REQUIRE(!rows.empty());
    for (size_t i = 0; i < rows.size(); ++i) {
      CHECK(rows[i].index == static_cast<int>(i));
      CHECK(session->ops(rows[i].index).size() == 300 + i);
    }
    CHECK(session->blob(ramp(10000 + rows.size() - 1)->hash()));
  }
}

TEST_CASE("session/what is no session is refused by name", "[session]") {
  Scratch scratch;
  const std::string path = scratch.path("a.stele");
  CHECK_THAT(message_of_open(path), Catch::Contains("a.stele") && Catch::Contains("No such file"));
  spill(path, "");
  CHECK_THAT(message_of_open(path), Catch::Contains("a.stele: empty"));
  spill(path, std::string(5000, 'x'));
  CHECK_THAT(message_of_open(path), Catch::Contains("not a session"));
  CHECK_THAT(message_of_open(scratch.path("")), Catch::Contains("not a file"));
  sqlite3* foreign = nullptr;
  const std::string other = scratch.path("other.db");
  REQUIRE(sqlite3_open(other.c_str(), &foreign) == SQLITE_OK);
  sqlite3_exec(foreign, "CREATE TABLE t(a)", nullptr, nullptr, nullptr);
  sqlite3_close(foreign);
  CHECK_THAT(message_of_open(other), Catch::Contains("an SQLite database, but not a session"));
}

TEST_CASE("session/newer versions and damaged files are refused or read, never misread", "[session]") {
  Scratch scratch;
  const std::string path = scratch.path("a.stele"), bad = scratch.path("bad.stele");
  {
    auto session = Session::create(path, "m", "stele");
    session->add(snapshot(0, 40, ramp(30000)));
    session->finish();
  }
  const std::string good = slurp(path);
  std::string newer = good;
  newer[63] = 9;
  spill(bad, newer);
  CHECK_THAT(message_of_open(bad), Catch::Contains("version 9, this program reads up to version 1"));
  for (const size_t length : {size_t{10}, size_t{50}, size_t{99}, size_t{100}, size_t{4096}, good.size() / 2, good.size() - 1}) {
    spill(bad, good.substr(0, length));
    CHECK_THAT(message_of_open(bad), Catch::Contains("bad.stele"));
  }
  uint64_t state = 7;
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    std::string flipped = good;
    for (int k = 0; k < 8; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      flipped[(state >> 20) % flipped.size()] ^= static_cast<char>(1 << (state >> 60) % 8);
    }
    spill(bad, flipped);
    try {
      auto session = Session::open(bad);
      read_all(*session);
      session->blob(ramp(30000)->hash());
    } catch (const Error&) {
      ++refused;
    }
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(bad + suffix);
  }
  CHECK(refused > 50);
}
