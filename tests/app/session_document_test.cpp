#include "app/gui/session_document.h"

#include <catch2/catch.hpp>
#include <thread>

#include "app/gui/app.h"

using namespace stele::app;

TEST_CASE("identity is cut off the text and kept beside it", "[app][session]") {
  const auto lines = ir_lines(
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = stablehlo.tanh %x : tensor<4xf32> loc(#stele<id = 7, from = [3]>)\n"
      "  %1 = kernel.fusion(%0) ({\n"
      "  ^bb0(%a: tensor<4xf32>):\n"
      "    %2 = stablehlo.add %a, %a : tensor<4xf32> loc(#stele<id = 8>)\n"
      "  }) {kind = \"loop\"} loc(#stele<id = 9>)\n"
      "}\n");
  REQUIRE(lines.size() == 7);
  CHECK(lines[0].op == 0);
  CHECK(lines[1].op == 7);
  CHECK(lines[1].text == "  %0 = stablehlo.tanh %x : tensor<4xf32>");
  CHECK(lines[2].op == 9);  // the op that the last line of its region names
  CHECK(lines[4].op == 8);
  CHECK(lines[5].op == 9);
  CHECK(lines[6].op == 0);
}

namespace {

// One op that holds code, as a snapshot of the codegen levels does.
class KernelSource : public SnapshotSource {
 public:
  Snapshot snapshot(std::size_t) override {
    Snapshot result;
    stele::viz::Node kernel;
    kernel.id = kernel.order = 5;
    kernel.title = "kernel";
    kernel.role = stele::viz::Role::machine;
    kernel.attributes = {{"assembly", "#stele.blob<1f2e>"}, {"symbol", "\"kernel_1\""}};
    result.graph.nodes = {kernel};
    return result;
  }
  std::vector<RewriteRow> rewrites(std::size_t) override { return {}; }
  std::string code(const stele::viz::Node&) override { return "kernel_1:\n\tret\n"; }
};

}  // namespace

TEST_CASE("the code of the selected kernel is read beside the window", "[app][session]") {
  App app([](const std::string&) { return Document{}; }, [](const std::string& path, Progress&) { return path; });
  Document document;
  document.passes.resize(1);
  document.passes[0].name = "emit-assembly";
  document.source = std::make_shared<KernelSource>();
  app.show(document);
  const auto settle = [&] {
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      app.update();
    } while (!app.idle());
    app.update();
  };
  settle();
  app.run("select-op", "5");
  app.run("show-code", "");
  app.update();
  settle();
  REQUIRE(app.state.code);
  CHECK(app.state.code->title == "kernel_1   assembly, after emit-assembly");
  CHECK(app.state.code->lines == std::vector<std::string>{"kernel_1:", "        ret"});
}

TEST_CASE("an op over several lines owns all of them up to its region", "[app][session]") {
  const auto lines = ir_lines(
      "  %1 = stablehlo.negate %x : tensor<4xf32> loc(#stele<id = 3>)\n"
      "  %2 = stablehlo.reduce(%1 init: %0) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
      "   reducer(%a: tensor<f32>, %b: tensor<f32>) {\n"
      "    %3 = stablehlo.add %a, %b : tensor<f32> loc(#stele<id = 5>)\n"
      "  } loc(#stele<id = 4>)\n");
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].op == 3);
  CHECK(lines[1].op == 4);
  CHECK(lines[2].op == 4);
  CHECK(lines[3].op == 5);
}
