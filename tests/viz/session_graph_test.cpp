#include "viz/session_graph.h"

#include <catch2/catch.hpp>

using namespace stele;
using namespace stele::viz;

namespace {

OpRow op(OpId id, const char* name, OpId parent = 0, std::vector<OpId> derived_from = {}) {
  OpRow row;
  row.id = id;
  row.name = name;
  row.parent = parent;
  row.type = "tensor<4x8xf32>";
  row.derived_from = std::move(derived_from);
  return row;
}

}  // namespace

TEST_CASE("types are written short", "[viz][session]") {
  CHECK(short_type("tensor<4x8xf32>") == "f32[4,8]");
  CHECK(short_type("tensor<f32>") == "f32[]");
  CHECK(short_type("tensor<?x8xf32, #stele.dims<batch>>") == "f32[batch,8]");
  CHECK(short_type("tensor<4xf32>, tensor<4xi64>") == "f32[4], i64[4]");
  CHECK(short_type("memref<4xf32>") == "buffer f32[4]");
  CHECK(short_type("!stele.none") == "!stele.none");
  CHECK(short_type("") == "");
}

TEST_CASE("attributes split at commas outside brackets and quotes", "[viz][session]") {
  const auto parts = split_attributes("dims = [0, 1], name = \"a, b\", flag, map = (d0) -> (d0)");
  REQUIRE(parts.size() == 4);
  CHECK(parts[0].name == "dims");
  CHECK(parts[0].text == "[0, 1]");
  CHECK(parts[1].text == "\"a, b\"");
  CHECK(parts[2].name == "flag");
  CHECK(parts[2].text == "");
  CHECK(parts[3].text == "(d0) -> (d0)");
}

TEST_CASE("argument names come from main's signature", "[viz][session]") {
  const std::string text =
      "module {\n  func.func public @main(%ids: tensor<4xi64>, %mask: tensor<(2)xi1>) -> tensor<4xf32> {";
  CHECK(argument_names(text) == std::vector<std::string>{"ids", "mask"});
  CHECK(argument_names("no main").empty());
}

TEST_CASE("a fusion stands for its body", "[viz][session]") {
  SnapshotRows rows;
  rows.ops = {op(9, "kernel.fusion"), op(3, "stablehlo.add", 9, {1}), op(4, "stablehlo.add", 9),
              op(5, "stablehlo.tanh", 9)};
  rows.edges = {{0, 0, 9, 0, "tensor<4x8xf32>"}, {0, 0, 3, 0, "tensor<4x8xf32>"}, {9, 0, 0, 0, "tensor<4x8xf32>"}};
  rows.argument_names = {"x"};
  Births births;
  births.add(rows.ops);
  const Graph graph = session_graph(rows, births);
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.edges.size() == 2);
  const Node& fusion = graph.nodes[find_node(graph, 9)];
  CHECK(fusion.role == Role::fusion);
  CHECK(fusion.title == "fusion");
  CHECK(fusion.lines == std::vector<std::string>{"add ×2", "tanh"});
  CHECK(fusion.derived_from == std::vector<OpId>{3, 1, 4, 5});
  CHECK(fusion.order == 1);
  CHECK(graph.nodes[graph.edges[0].from].title == "x");
  CHECK(graph.nodes[graph.edges[1].to].role == Role::result);
}

TEST_CASE("constants show short values", "[viz][session]") {
  SnapshotRows rows;
  rows.ops = {op(1, "stablehlo.constant"), op(2, "stablehlo.constant"), op(3, "onnx.Constant")};
  rows.ops[0].attributes = "value = dense<1.000000e-06> : tensor<f32>";
  rows.ops[1].attributes = "value = dense_resource<abc> : tensor<4x8xf32>";
  rows.ops[2].attributes = "value = dense<[-1]> : tensor<1xi64>";
  const Graph graph = session_graph(rows, {});
  CHECK(graph.nodes[0].title == "1e-06");
  CHECK(graph.nodes[1].title == "constant");
  CHECK(graph.nodes[2].title == "[-1]");
  CHECK(graph.nodes[2].role == Role::constant);
}

TEST_CASE("an op takes the place of its oldest ancestor", "[viz][session]") {
  Births births;
  births.add({op(5, "a")});
  births.add({op(20, "b", 0, {5})});
  births.add({op(31, "c", 0, {20, 25})});
  CHECK(births.order(31) == 5);
  CHECK(births.order(99) == 99);
}

TEST_CASE("attributes are shown without their wrappers", "[viz][session]") {
  CHECK(plain_attribute("\"loop\"") == "loop");
  CHECK(plain_attribute("#stele.dim<[48, n]>") == "[48, n]");
  CHECK(plain_attribute("#stele.blob<9fb4e2e15193b868>") == "blob 9fb4e2e1…");
  CHECK(plain_attribute("[0, 1]") == "[0, 1]");
  CHECK(plain_attribute("array<i64: 1, 0>") == "[1, 0]");
  CHECK(plain_attribute("array<i64>") == "[]");
}
