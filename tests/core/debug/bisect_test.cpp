// The tester on a small pipeline of its own, with passes that can be made to lie.

#include "core/debug/bisect.h"

#include <catch2/catch.hpp>

#include "core/debug/stops.h"
#include "core/ir/text.h"

using namespace stele;

namespace {

// add(x, x) -> multiply(x, 2): exact. With `lie`, the third time it multiplies by 3.
bool lie = false;

void run_product(PassContext& context) {
  int times = 0;
  for (Operation* op : context.module.main().body().ops()) {
    if (!op->is("stablehlo.add") || op->operand(0) != op->operand(1)) continue;
    const double factor = lie && ++times == 3 ? 3 : 2;
    const bool applied = context.rewriter.apply("double-to-product", {op}, [&](Rewrite& rewrite) {
      Tensor value(op->result()->dtype(), static_sizes(op->result()->shape()));
      for (int64_t i = 0; i < value.elements(); ++i) value.set(i, factor);
      Value* constant = rewrite.create_value("stablehlo.constant", {}, value.type(), {{"value", value}});
      rewrite.replace(op, rewrite.create_value("stablehlo.multiply", {op->operand(0), constant}, op->result()->type()));
    });
    if (!applied) return;
  }
}

void do_nothing(PassContext&) {}

const Pass product = {.name = "double-to-product",
                      .summary = "doubling as a product",
                      .stage = Stage::optimize,
                      .accepts = {},
                      .produces = {},
                      .contract = {Contract::exact},
                      .rules = {{"double-to-product", "x + x -> x * 2"}},
                      .run = run_product};
const Pass nothing = {.name = "nothing",
                      .summary = "",
                      .stage = Stage::optimize,
                      .accepts = {},
                      .produces = {},
                      .contract = {Contract::exact},
                      .rules = {},
                      .run = do_nothing};

const Pipeline pipeline = {{&nothing, ""}, {&product, ""}, {&nothing, ""}};

std::shared_ptr<const Module> chain(int doublings) {
  // Each doubling is halved again, so that nothing grows and no difference is lost on the way.
  std::string text =
      "func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {\n  %v0 = stablehlo.tanh %x : tensor<4xf32>\n"
      "  %half = stablehlo.constant dense<0.5> : tensor<4xf32>\n";
  for (int i = 0; i < doublings; ++i) {
    text += fmt::format("  %d{0} = stablehlo.add %v{0}, %v{0} : tensor<4xf32>\n  %v{1} = stablehlo.multiply %d{0}, %half : tensor<4xf32>\n", i, i + 1);
  }
  return parse(text + fmt::format("  return %v{} : tensor<4xf32>\n}}\n", doublings));
}

Subject make_subject(const std::shared_ptr<const Module>& module) {
  return Subject(module, pipeline, {}, {Tensor::of_doubles(DType::f32, {4}, {0.25, -1, 0.5, 2})});
}

struct Lie {
  Lie() { lie = true; }
  ~Lie() { lie = false; }
};

std::vector<FaultSite> factor_sites(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  walk(rewrite.module(), [&](Operation& op) {
    if (op.id() != event.created[0]) return;
    sites.push_back([&rewrite, constant = &op] {
      Tensor value = constant->get<Tensor>("value");
      value.set(1, 2.5);
      rewrite.set_attribute(constant, "value", value);
    });
  });
  return sites;
}

const Fault wrong_factor = {"wrong-factor", "double-to-product", "element 1 is multiplied by 2.5", factor_sites};

}  // namespace

TEST_CASE("bisect/a pipeline that keeps its contracts is equal", "[debug]") {
  Subject subject = make_subject(chain(6));
  const BisectReport report = bisect(subject, {});
  CHECK(report.verdict == Verdict::equal);
  CHECK(report.pass.empty());
  CHECK(report.deterministic);
  CHECK(report.repro.empty());
  CHECK(report.executions < 10);
}

TEST_CASE("bisect/pins a pass that lies on its rewrite, and makes the graph small", "[debug]") {
  const Lie lying;
  Subject subject = make_subject(chain(20));
  const BisectReport report = bisect(subject, {});
  CHECK(report.verdict == Verdict::wrong);
  CHECK(report.pass == "double-to-product");
  CHECK(report.snapshot == 2);
  CHECK(report.rule == "double-to-product");
  CHECK(report.number == 3);
  CHECK(report.comparison.element == std::vector<int64_t>{0});
  CHECK(report.ops_before == 41);
  // It lies the third time only: three doublings must stay.
  CHECK(report.ops_reduced >= 3);
  CHECK(report.ops_reduced <= 5);
}

TEST_CASE("bisect/pins an injected fault, and its repro replays", "[debug]") {
  Subject subject = make_subject(chain(20));
  BisectOptions options;
  options.fault = &wrong_factor;
  const BisectReport report = bisect(subject, options);
  CHECK(report.applied);
  CHECK(report.pass == "double-to-product");
  CHECK(report.number == 1);
  CHECK(report.comparison.element == std::vector<int64_t>{1});
  CHECK(report.ops_reduced == 1);
  REQUIRE(is_repro(report.repro));
  const Repro repro = read_repro(report.repro, "a.stele.txt");
  CHECK(repro.fault == "wrong-factor");
  CHECK(repro.number == 1);
  REQUIRE(repro.inputs.size() == 1);
  const Replay broken = replay(repro, pipeline, std::span(&wrong_factor, 1), nullptr);
  CHECK(broken.before.verdict == Verdict::equal);
  CHECK(broken.after.verdict == Verdict::wrong);
  CHECK(broken.fault_applied);
  REQUIRE(broken.culprit);
  CHECK(broken.culprit->number == 1);
  Repro mended = repro;
  mended.fault.clear();
  CHECK(replay(mended, pipeline, {}, nullptr).after.ok());
  CHECK_THROWS_WITH(replay(repro, pipeline, {}, nullptr), Catch::Contains("wrong-factor"));
  CHECK_THROWS_WITH(replay(repro, {}, std::span(&wrong_factor, 1), nullptr), Catch::Contains("double-to-product"));
}

TEST_CASE("bisect/a fault without a place to act says so", "[debug]") {
  Subject subject = make_subject(chain(0));
  BisectOptions options;
  options.fault = &wrong_factor;
  const BisectReport report = bisect(subject, options);
  CHECK(!report.applied);
  CHECK(report.verdict == Verdict::equal);
}

TEST_CASE("bisect/expected outputs that the model does not give blame the capture", "[debug]") {
  Subject subject = make_subject(chain(2));
  subject.set_reference({Tensor::of_doubles(DType::f32, {4}, {1, 2, 3, 4})});
  const BisectReport report = bisect(subject, {});
  CHECK(report.pass == "capture");
  CHECK(report.snapshot == 0);
  CHECK(report.rule.empty());
  CHECK(report.against == "reference");
}

TEST_CASE("bisect/executions grow with the logarithm of the rewrites", "[debug]") {
  BisectOptions options;
  options.fault = &wrong_factor;
  options.reduce = false;
  Subject few = make_subject(chain(4)), many = make_subject(chain(256));
  const int64_t a = bisect(few, options).executions, b = bisect(many, options).executions;
  CHECK(b <= a + 6);
}

TEST_CASE("repro/damaged files are refused by name", "[debug]") {
  for (const char* text : {"// stele repro 1\n", "// stele repro 1\nfunc.func @main() {\n return\n}\n", "// stele repro 1\n// bound: x\n@", ""}) {
    CHECK_THROWS_WITH(read_repro(text, "bad.stele.txt"), Catch::Contains("bad.stele.txt"));
  }
}

TEST_CASE("stops/every snapshot and prefixes within passes", "[debug]") {
  Subject subject = make_subject(chain(20));
  const auto stops_of = [&](Through through) {
    std::vector<std::string> stops;
    StopOptions options;
    options.through = through;
    options.samples = 5;
    for_each_stop(subject, options, [&](const Stop& stop, const Module&) { stops.push_back(stop.str()); });
    return stops;
  };
  CHECK(stops_of(Through::eval) == std::vector<std::string>{"0 capture"});
  CHECK(stops_of(Through::every) == std::vector<std::string>{"0 capture", "2 double-to-product"});
  CHECK(stops_of(Through::rewrites).size() == 7);
  CHECK(draw_prefixes(5, 8, 1) == std::vector<uint64_t>{1, 2, 3, 4});
  CHECK(draw_prefixes(1, 8, 1).empty());
  CHECK(draw_prefixes(1000, 8, 1).size() == 8);
  CHECK(draw_prefixes(1000, 8, 1) == draw_prefixes(1000, 8, 1));
  CHECK(draw_prefixes(1000, 8, 1) != draw_prefixes(1000, 8, 2));
}

TEST_CASE("stops/N and N.K", "[debug]") {
  CHECK(parse_stop("2", pipeline).name == "double-to-product");
  const Stop stop = parse_stop("2.5", pipeline);
  CHECK(stop.within);
  CHECK(stop.rewrites == 5);
  for (const char* bad : {"", "x", "9", "0.1", "1.", "1.x", "-1"}) CHECK_THROWS_AS(parse_stop(bad, pipeline), Error);
  const auto module = chain(8);
  int products = 0;
  walk(*module_at(*module, pipeline, {}, stop), [&](const Operation& op) { products += op.is("stablehlo.multiply"); });
  CHECK(products == 8 + 5);
}
