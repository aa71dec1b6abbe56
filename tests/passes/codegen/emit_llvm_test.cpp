#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "core/ops/build.h"
#include "passes/codegen/executable.h"
#include "passes/codegen/jit.h"
#include "passes/codegen/passes.h"
#include "passes/lower/passes.h"
#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

std::unique_ptr<Module> compiled(std::unique_ptr<Module> module, std::initializer_list<const Pass*> passes) {
  for (const Pass* pass : passes) {
    Rewriter rewriter(*module);
    PassContext context{*module, rewriter, {}};
    pass->run(context);
    verify(*module);
  }
  return module;
}

// All of f32's exponents with random fractions, both signs, and what is special.
Tensor every_magnitude() {
  std::vector<double> values = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e-45, -1e-45, 88.72, 88.73, -87.4, -103.9, -104.0};
  std::mt19937 random(1);
  for (uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (int i = 0; i < 40; ++i) {
      const uint32_t bits = (random() & 0x807fffffu) | (exponent << 23);
      float value = 0;
      std::memcpy(&value, &bits, 4);
      values.push_back(value);
    }
  }
  for (int i = 0; i < 40000; ++i) values.push_back(-20 + i * 1e-3);
  return Tensor::of_doubles(DType::f32, {static_cast<int64_t>(values.size())}, values);
}

// Distance in units in the last place of f32 at the exact result.
double ulps(double exact, double got) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : INFINITY;
  const double rounded = static_cast<float>(exact);
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : INFINITY;
  const int exponent = std::max(exact == 0 ? -126 : std::ilogb(exact), -126);
  return std::fabs(exact - got) / std::ldexp(1.0, exponent - 23);
}

}  // namespace

TEST_CASE("emit-llvm: approximated functions are within 2 ulp", "[emit-llvm]") {
  const std::pair<const char*, double (*)(double)> functions[] = {
      {"stablehlo.exponential", std::exp}, {"stablehlo.log", std::log}, {"stablehlo.tanh", std::tanh}, {"chlo.erf", std::erf},
      {"stablehlo.logistic", [](double x) { return 1 / (1 + std::exp(-x)); }}, {"stablehlo.rsqrt", [](double x) { return 1 / std::sqrt(x); }}};
  const Tensor x = every_magnitude();
  for (const auto& [name, exact] : functions) {
    auto module = module_of({x.type()}, [name = name](Builder& b, const auto& v) { return std::vector<Value*>{build::unary(b, name, v[0])}; });
    const std::shared_ptr<Module> code = compiled(std::move(module), {&lower_to_loops, &vectorize, &emit_llvm, &optimize_llvm, &emit_assembly});
    const Tensor y = Executable::compile(code)->run({x}).at(0);
    double worst = 0, at = 0;
    for (int64_t i = 0; i < x.elements(); ++i) {
      const double error = ulps(exact(x.get(i)), y.get(i));
      if (error > worst) {
        worst = error;
        at = x.get(i);
      }
    }
    INFO(name << " is " << worst << " ulp off at " << at);
    CHECK(worst <= 2);
    CHECK(worst > 0);  // it is an approximation that was measured
  }
}

TEST_CASE("emit-llvm: equal kernels are one", "[emit-llvm]") {
  const Type type = Type::tensor(DType::f32, {40});
  auto module = module_of({type, type}, [](Builder& b, const auto& x) {
    return std::vector<Value*>{build::add(b, x[0], x[1]), build::add(b, x[1], x[1]), build::add(b, x[1], x[0]), build::multiply(b, x[0], x[1])};
  });
  module = compiled(std::move(module), {&lower_to_loops, &vectorize, &emit_llvm});
  std::vector<std::string> symbols, codes;
  for (const Operation& op : module->main().body()) {
    if (!op.is("llvm.kernel")) continue;
    symbols.push_back(op.get<std::string>("symbol"));
    codes.push_back(op.get<BlobRef>("bitcode")->hash());
  }
  REQUIRE(symbols.size() == 4);
  CHECK(symbols[0] == symbols[2]);
  CHECK(codes[0] == codes[2]);
  CHECK(symbols[0] != symbols[1]);  // reads one buffer
  CHECK(symbols[0] != symbols[3]);
}

TEST_CASE("executable: compiled once, run at several sizes, with threads", "[executable]") {
  const Dim n = Dim::symbol("n");
  auto module = module_of({Type::tensor(DType::f32, {n, 96}), Type::tensor(DType::f32, {96, 80})},
                          [](Builder& b, const auto& x) { return std::vector<Value*>{build::tanh(b, build::matmul(b, x[0], x[1]))}; });
  const auto original = module->clone();
  const std::shared_ptr<Module> code = compiled(std::move(module), {&lower_to_loops, &vectorize, &parallelize, &emit_llvm, &optimize_llvm, &emit_assembly});
  const auto executable = Executable::compile(code, 3);
  CHECK(executable->launches() == 2);
  for (int64_t rows : {1, 7, 32, 3}) {
    Tensor x(DType::f32, {rows, 96}), w(DType::f32, {96, 80});
    for (int64_t i = 0; i < x.elements(); ++i) x.set(i, std::sin(static_cast<double>(i)));
    for (int64_t i = 0; i < w.elements(); ++i) w.set(i, std::cos(3.0 * static_cast<double>(i)) / 9);
    const Tensor expected = run(*original, {x, w}).at(0);
    for (int again = 0; again < 3; ++again) {
      const Tensor y = executable->run({x, w}).at(0);
      REQUIRE(y.sizes() == expected.sizes());
      double worst = 0;
      for (int64_t i = 0; i < y.elements(); ++i) worst = std::max(worst, std::fabs(y.get(i) - expected.get(i)));
      CHECK(worst < 1e-5);
    }
  }
}

TEST_CASE("executable: names an op that is not lowered", "[executable]") {
  std::shared_ptr<Module> module = module_of({Type::tensor(DType::f32, {4})}, [](Builder& b, const auto& x) { return std::vector<Value*>{build::negate(b, x[0])}; });
  CHECK(error_of([&] { Executable::compile(module); }).find("stablehlo.negate") != std::string::npos);
}

TEST_CASE("jit: a swapped operand changes the result", "[jit]") {
  const Type type = Type::tensor(DType::f32, {5});
  auto module = compiled(module_of({type, type}, [](Builder& b, const auto& x) { return std::vector<Value*>{build::subtract(b, x[0], x[1])}; }),
                         {&lower_to_loops, &emit_llvm});
  const Operation* kernel = module->main().body().first();
  const BlobRef swapped = swap_operands_in_bitcode(kernel->get<BlobRef>("bitcode"));
  REQUIRE(swapped);
  CHECK(swapped->hash() != kernel->get<BlobRef>("bitcode")->hash());
  CHECK(llvm_text(swapped).find("fsub") != std::string::npos);
}
