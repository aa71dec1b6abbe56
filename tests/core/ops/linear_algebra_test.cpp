#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

Tensor f64(std::vector<int64_t> sizes, const std::vector<double>& values) { return Tensor::of_doubles(DType::f64, std::move(sizes), values); }

Tensor solved(bool left, bool lower, const char* transpose, const Tensor& a, const Tensor& b) {
  return evaluate_one({a, b}, [&](Builder& builder, auto& in) {
    return infer_value(builder, "stablehlo.triangular_solve", {in[0], in[1]}, {{"left_side", left}, {"lower", lower}, {"transpose_a", transpose}});
  });
}

Value* fft(Builder& b, Value* x, const char* kind, int64_t length) {
  return infer_value(b, "stablehlo.fft", {x}, {{"fft_type", kind}, {"fft_length", Ints{length}}});
}

void check_close(const Tensor& x, const std::vector<double>& expected) {
  REQUIRE(x.elements() == static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < x.elements(); ++i) CHECK(x.get(i) == Approx(expected[i]).margin(1e-12));
}

}  // namespace

TEST_CASE("fft: a real signal forth and back", "[linear-algebra]") {
  for (int64_t n : {4, 5}) {
    std::vector<double> signal;
    for (int64_t i = 0; i < n; ++i) signal.push_back(static_cast<double>(i * i) - 2);
    check_close(evaluate_one({f64({n}, signal)}, [&](Builder& b, auto& in) { return fft(b, fft(b, in[0], "RFFT", n), "IRFFT", n); }), signal);
  }
  check_close(evaluate_one({f64({4}, {1, 2, 3, 4})}, [](Builder& b, auto& in) { return build::unary(b, "stablehlo.imag", fft(b, in[0], "RFFT", 4)); }), {0, 2, 0});
  check_close(evaluate_one({f64({4}, {1, 2, 3, 4})}, [](Builder& b, auto& in) { return build::unary(b, "stablehlo.real", fft(b, in[0], "RFFT", 4)); }), {10, -2, -2});
}

TEST_CASE("fft of two axes is the product of transforms", "[linear-algebra]") {
  const Tensor x = f64({2, 2}, {1, 2, 3, 4});
  const Tensor y = evaluate_one({x}, [](Builder& b, auto& in) {
    Value* z = infer_value(b, "stablehlo.complex", {in[0], build::splat_like(b, in[0], 0)});
    return build::unary(b, "stablehlo.real", infer_value(b, "stablehlo.fft", {z}, {{"fft_type", "FFT"}, {"fft_length", Ints{2, 2}}}));
  });
  check_close(y, {10, -2, -4, 0});
}

TEST_CASE("cholesky of a positive matrix, and of another", "[linear-algebra]") {
  const auto factor = [](const Tensor& a, bool lower) {
    return evaluate_one({a}, [&](Builder& b, auto& in) { return infer_value(b, "stablehlo.cholesky", {in[0]}, {{"lower", lower}}); });
  };
  check_close(factor(f64({2, 2}, {4, 2, 2, 5}), true), {2, 0, 1, 2});
  check_close(factor(f64({2, 2}, {4, 2, 2, 5}), false), {2, 1, 0, 2});
  CHECK(std::isnan(factor(f64({1, 1}, {-1}), true).get(0)));
}

TEST_CASE("triangular_solve on each side, of each transpose", "[linear-algebra]") {
  const Tensor lower = f64({2, 2}, {2, 0, 1, 4}), upper = f64({2, 2}, {2, 1, 0, 4});
  check_close(solved(true, true, "NO_TRANSPOSE", lower, f64({2, 1}, {2, 9})), {1, 2});
  check_close(solved(true, true, "TRANSPOSE", lower, f64({2, 1}, {4, 8})), {1, 2});
  check_close(solved(true, false, "NO_TRANSPOSE", upper, f64({2, 1}, {4, 8})), {1, 2});
  check_close(solved(false, true, "NO_TRANSPOSE", lower, f64({1, 2}, {4, 8})), {1, 2});
  check_close(solved(false, false, "NO_TRANSPOSE", upper, f64({1, 2}, {2, 9})), {1, 2});
}

TEST_CASE("top_k: largest first, the earlier of equals first", "[linear-algebra]") {
  const auto results = evaluate_module({f32({2, 4}, {1, 3, 3, -NAN, 5, NAN, 4, 0})}, [](Builder& b, const std::vector<Value*>& x) {
    return create_inferred(b, "chlo.top_k", {x[0]}, 2, {{"k", 2}})->results();
  });
  CHECK(values(results[1]) == std::vector<double>{1, 2, 1, 0});
  CHECK(results[0].get(3) == 5);
}

TEST_CASE("linear algebra constraints", "[linear-algebra]") {
  const auto error = [](const Tensor& x, std::string_view name, Attributes attributes) {
    return error_of([&] { evaluate_one({x}, [&](Builder& b, auto& in) { return infer_value(b, name, {in[0]}, attributes); }); });
  };
  const Tensor x = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(error(x, "stablehlo.fft", {{"fft_type", "FFT"}, {"fft_length", Ints{3}}}).find("fft_c1:") != std::string::npos);
  CHECK(error(x, "stablehlo.fft", {{"fft_type", "RFFT"}, {"fft_length", Ints{}}}).find("fft_c2:") != std::string::npos);
  CHECK(error(x, "stablehlo.fft", {{"fft_type", "RFFT"}, {"fft_length", Ints{4}}}).find("fft_c3:") != std::string::npos);
  CHECK(error(x, "stablehlo.cholesky", {}).find("cholesky_c1:") != std::string::npos);
  CHECK(error_of([&] { solved(true, true, "NO_TRANSPOSE", x, x); }).find("triangular_solve_c1:") != std::string::npos);
  CHECK(error_of([&] { solved(true, true, "SOMEHOW", f64({1, 1}, {1}), f64({1, 1}, {1})); }).find("triangular_solve_c2:") != std::string::npos);
  CHECK(error_of([&] {
          evaluate_module({x}, [](Builder& b, const std::vector<Value*>& in) { return create_inferred(b, "chlo.top_k", {in[0]}, 2, {{"k", 4}})->results(); });
        }).find("top_k_c1:") != std::string::npos);
}
