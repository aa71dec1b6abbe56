#include "core/session/record.h"

#include <catch2/catch.hpp>

#include "core/ir/text.h"
#include "core/session/session_writer.h"
#include "tests/support/scratch.h"

using namespace stele;
using stele::test::Scratch;

namespace {

std::shared_ptr<const Module> fused() {
  return parse(R"(
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %c = stablehlo.constant dense<2.0> : tensor<4xf32>
  %f = kernel.fusion(%x, %c) ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %m = stablehlo.multiply %a, %b : tensor<4xf32>
    kernel.yield(%m) : (tensor<4xf32>) -> ()
  }) {kind = "loop"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %f : tensor<4xf32>
})");
}

std::string edges_text(const std::vector<EdgeRow>& edges) {
  std::string text;
  for (const EdgeRow& edge : edges) text += fmt::format("{}.{}->{}.{} ", edge.from, edge.result, edge.to, edge.operand);
  return text;
}

}  // namespace

TEST_CASE("record/ops of bodies and of fusions, constants too, terminators not", "[session]") {
  const auto module = fused();
  const std::vector<OpRow> ops = op_rows(*module, {{2, {1, 48, 4}}});
  REQUIRE(ops.size() == 3);
  CHECK(ops[0].name == "stablehlo.constant");
  CHECK(ops[1].name == "kernel.fusion");
  CHECK(ops[1].attributes == "kind = \"loop\"");
  CHECK(ops[1].type == "tensor<4xf32>");
  CHECK(ops[2].name == "stablehlo.multiply");
  CHECK(ops[2].parent == ops[1].id);
  CHECK(ops[0].kernels == -1);
}

TEST_CASE("record/edges see through the arguments of a fusion", "[session]") {
  const auto module = fused();
  const std::vector<OpRow> ops = op_rows(*module);
  const OpId c = ops[0].id, f = ops[1].id, m = ops[2].id;
  CHECK(edges_text(edge_rows(*module)) ==
        fmt::format("0.0->{}.0 {}.0->{}.1 0.0->{}.0 {}.0->{}.1 {}.0->0.0 ", f, c, f, m, c, m, f));
}

TEST_CASE("record/a module comes back from its session as it was", "[session]") {
  Scratch scratch;
  const auto module = fused();
  {
    SessionWriter writer(Session::create(scratch.path("a.stele"), "m", "stele"));
    writer.add(module, {0, "capture", "capture", "", "exact", true, -1, 0, 0, {}}, {}, [](const Module&, SnapshotRow& row) {
      row.level = "kernel";
      row.score.kernels = 1;
      return OpShares{};
    });
    writer.add(nullptr, {1, "nothing", "optimize", "", "exact", false, 0, 0, 0, {}}, {});
    writer.finish();
  }
  const auto session = Session::open(scratch.path("a.stele"));
  PrintOptions all;
  all.identity = true;
  CHECK(print(*session->module(1), all) == print(*module, all));
  CHECK(session->complete());
  CHECK(session->snapshots()[1].score.kernels == 1);
  CHECK(session->snapshots()[1].level == "kernel");
}

TEST_CASE("session-writer/an error surfaces in finish, and the file stays incomplete", "[session]") {
  Scratch scratch;
  {
    SessionWriter writer(Session::create(scratch.path("a.stele"), "m", "stele"));
    writer.add(fused(), {0, "capture", "capture", "", "exact", true, -1, 0, 0, {}}, {});
    writer.add(fused(), {1, "bad", "optimize", "", "exact", true, -1, 0, 0, {}}, {},
               [](const Module&, SnapshotRow&) -> OpShares { fail("no score for this"); });
    writer.add(fused(), {2, "after", "optimize", "", "exact", true, -1, 0, 0, {}}, {});
    CHECK_THROWS_WITH(writer.finish(), "no score for this");
  }
  const auto session = Session::open(scratch.path("a.stele"));
  CHECK(!session->complete());
  CHECK(session->snapshots().size() == 1);
}

TEST_CASE("session-writer/what is queued is written even without finish", "[session]") {
  Scratch scratch;
  {
    SessionWriter writer(Session::create(scratch.path("a.stele"), "m", "stele"));
    for (int i = 0; i < 20; ++i) writer.add(fused(), {i, "p", "optimize", "", "exact", true, -1, 0, 0, {}}, {});
  }
  const auto session = Session::open(scratch.path("a.stele"));
  CHECK(session->snapshots().size() == 20);
  CHECK(!session->complete());
}
