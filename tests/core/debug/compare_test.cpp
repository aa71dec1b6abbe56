#include "core/debug/compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/debug/bound.h"
#include "core/debug/inputs.h"
#include "core/ir/text.h"

using namespace stele;

namespace {

Tensor floats(const std::vector<double>& values) {
  return Tensor::of_doubles(DType::f32, {static_cast<int64_t>(values.size())}, values);
}

const Tolerance loose = {false, 1e-3, "a thousandth"};

RoundingModel model_of(const std::string& body, const std::string& result) {
  const std::string type = "tensor<4xf32>";
  return rounding_model(*parse(fmt::format("func.func @main(%x: {0}) -> ({0}) {{\n{1}  return {2} : {0}\n}}", type, body, result)), {});
}

}  // namespace

TEST_CASE("compare/verdicts", "[debug]") {
  const Tensor a = floats({1, -2, 0});
  CHECK(compare(a, a, Tolerance::bitwise()).verdict == Verdict::equal);
  CHECK(compare(floats({1.0005, -2, 0}), a, loose).verdict == Verdict::rounding);
  CHECK(compare(floats({1.0005, -2, 0}), a, Tolerance::bitwise()).verdict == Verdict::wrong);
  CHECK(compare(floats({1, -2, -0.0}), a, Tolerance::bitwise()).verdict == Verdict::sign_of_zero);
  CHECK(compare(floats({1, -2, -0.0}), a, loose).verdict == Verdict::rounding);
  CHECK(compare(floats({1, NAN, 0}), a, loose).verdict == Verdict::nan_moved);
  CHECK(compare(a, floats({1, NAN, 0}), loose).verdict == Verdict::nan_moved);
  CHECK(compare(floats({1, INFINITY, 0}), a, loose).verdict == Verdict::inf_moved);
  CHECK(compare(floats({1, INFINITY}), floats({1, -INFINITY}), loose).verdict == Verdict::inf_moved);
  CHECK(compare(floats({1, NAN}), floats({1, -NAN}), Tolerance::bitwise()).verdict == Verdict::equal);
  CHECK(compare(floats({1}), a, loose).verdict == Verdict::bad_type);
  CHECK(compare(Tensor(), a, loose).verdict == Verdict::bad_type);
}

TEST_CASE("compare/the bound is relative to the largest reference value", "[debug]") {
  const Tensor small = floats({1e-9, 1e-10});
  CHECK(compare(floats({1e-9, 1.005e-10}), small, loose).ok());
  CHECK(!compare(floats({1e-9, 1.2e-10}), small, loose).ok());
}

TEST_CASE("compare/the first wrong element, with both values and the bound", "[debug]") {
  Tensor expected(DType::f32, {2, 3}), got(DType::f32, {2, 3});
  expected.set(0, 1);
  got.set(0, 1);
  got.set(4, 0.5);
  got.set(5, 7);
  const Comparison c = compare(got, expected, loose);
  CHECK(c.element == std::vector<int64_t>{1, 1});
  CHECK(c.got == 0.5);
  CHECK(c.expected == 0);
  CHECK(c.beyond == 2);
  CHECK_THAT(c.str(), Catch::Contains("[1, 1]") && Catch::Contains("0.5") && Catch::Contains("a thousandth"));
}

TEST_CASE("compare/integers are equal or wrong", "[debug]") {
  const Tensor a = Tensor::of_ints(DType::i64, {2}, {1, std::numeric_limits<int64_t>::max()});
  CHECK(compare(a, a, loose).verdict == Verdict::equal);
  const Tensor b = Tensor::of_ints(DType::i64, {2}, {1, std::numeric_limits<int64_t>::max() - 1});
  CHECK(compare(b, a, {false, 10, ""}).verdict == Verdict::wrong);
}

TEST_CASE("compare/a float64 reference is rounded to the type that is judged", "[debug]") {
  const Tensor wide = Tensor::of_doubles(DType::f64, {2}, {0.1, 1e300});
  CHECK(compare(floats({0.1F, INFINITY}), wide, Tolerance::bitwise()).verdict == Verdict::equal);
}

TEST_CASE("compare/what the narrow types overflow by themselves is excused", "[debug]") {
  const Tensor reference = Tensor::of_doubles(DType::f64, {2}, {1, 2});
  const Tensor narrow = floats({1, INFINITY});
  CHECK(compare(narrow, reference, loose, &narrow).ok());
  CHECK(compare(narrow, reference, loose).verdict == Verdict::inf_moved);
}

TEST_CASE("compare/the gravest output is the one reported", "[debug]") {
  const std::vector<Tensor> expected = {floats({1}), floats({1}), Tensor()};
  const Comparison c = compare_all({floats({1.0001}), floats({3}), floats({9})}, expected, loose);
  CHECK(c.verdict == Verdict::wrong);
  CHECK(c.output == 1);
}

TEST_CASE("bound/grows along the chain and with passes that reassociate", "[debug]") {
  const RoundingModel one = model_of("  %y = stablehlo.add %x, %x : tensor<4xf32>\n", "%y");
  const RoundingModel two =
      model_of("  %y = stablehlo.add %x, %x : tensor<4xf32>\n  %z = stablehlo.add %y, %x : tensor<4xf32>\n", "%z");
  CHECK(one.epsilon == epsilon(DType::f32));
  CHECK(one.chain == Approx(2));
  CHECK(two.chain == Approx(std::sqrt(8.0)));
  CHECK(rounding_tolerance(two, 0).relative > rounding_tolerance(one, 0).relative);
  CHECK(rounding_tolerance(one, 3).relative == Approx(2 * rounding_tolerance(one, 0).relative));
  CHECK(contract_tolerance({Contract::exact, 0}, one).exact);
  CHECK(!contract_tolerance({Contract::reassociates, 0}, one).exact);
}

TEST_CASE("inputs/the same seed gives the same values, edge values on request", "[debug]") {
  const auto module = parse(
      "func.func @main(%x: tensor<?x8xf32, #stele.dims<n>>, %i: tensor<5xi64>, %b: tensor<3xi1>) -> (tensor<5xi64>) {\n"
      "  return %i : tensor<5xi64>\n}");
  const Binding binding = {{"n", 40}};
  InputOptions options;
  const auto a = make_inputs(module->main(), binding, options), b = make_inputs(module->main(), binding, options);
  REQUIRE(a.size() == 3);
  CHECK(a[0].sizes() == std::vector<int64_t>{40, 8});
  CHECK(a[0].bitwise_equal(b[0]));
  options.seed = 2;
  CHECK(!make_inputs(module->main(), binding, options)[0].bitwise_equal(a[0]));
  int finite = 0, nan = 0, infinite = 0;
  for (int64_t i = 0; i < a[0].elements(); ++i) finite += std::isfinite(a[0].get(i));
  CHECK(finite == 320);
  options.edge_values = true;
  const Tensor edgy = make_inputs(module->main(), binding, options)[0];
  for (int64_t i = 0; i < edgy.elements(); ++i) {
    nan += std::isnan(edgy.get(i));
    infinite += std::isinf(edgy.get(i));
  }
  CHECK(nan > 0);
  CHECK(infinite > 0);
}
