#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

double of(std::string_view name, double x) {
  return evaluate_one({Tensor::of_doubles(DType::f64, {1}, {x})}, [&](Builder& b, auto& in) { return build::unary(b, name, in[0]); }).get(0);
}

double after(DType dtype, double x, double y) {
  return evaluate_one({Tensor::of_doubles(dtype, {1}, {x}), Tensor::of_doubles(dtype, {1}, {y})},
                      [](Builder& b, auto& in) { return build::binary(b, "chlo.next_after", in[0], in[1]); }).get(0);
}

Tensor complex64(const std::vector<double>& real, const std::vector<double>& imag, const std::function<Value*(Builder&, Value*)>& make) {
  const auto n = static_cast<int64_t>(real.size());
  return evaluate_one({f32({n}, real), f32({n}, imag)}, [&](Builder& b, auto& in) {
    return make(b, infer_value(b, "stablehlo.complex", {in[0], in[1]}));
  });
}

}  // namespace

TEST_CASE("erf_inv is the inverse of erf", "[special]") {
  for (double y : {-3.0, -0.7, 1e-9, 0.4, 2.0}) CHECK(of("chlo.erf_inv", std::erf(y)) == Approx(y).epsilon(1e-9));
  CHECK(of("chlo.erf_inv", 1) == INFINITY);
  CHECK(std::isnan(of("chlo.erf_inv", 1.5)));
  CHECK(std::signbit(of("chlo.erf_inv", -0.0)));
}

TEST_CASE("digamma at known values", "[special]") {
  constexpr double euler = 0.57721566490153286;
  CHECK(of("chlo.digamma", 1) == Approx(-euler).epsilon(1e-14));
  CHECK(of("chlo.digamma", 0.5) == Approx(-euler - 2 * std::log(2.0)).epsilon(1e-14));
  CHECK(of("chlo.digamma", -0.5) == Approx(2 - euler - 2 * std::log(2.0)).epsilon(1e-13));
  CHECK(of("chlo.digamma", 0.0) == -INFINITY);
  CHECK(std::isnan(of("chlo.digamma", -2)));
}

TEST_CASE("bessel_i1e agrees with the library and is continuous", "[special]") {
  for (double x : {0.1, 1.0, 10.0, 29.9, 30.1, 100.0}) {
    CHECK(of("chlo.bessel_i1e", x) == Approx(std::exp(-x) * std::cyl_bessel_i(1, x)).epsilon(1e-12));
    CHECK(of("chlo.bessel_i1e", -x) == -of("chlo.bessel_i1e", x));
  }
}

TEST_CASE("next_after walks a format", "[special]") {
  CHECK(after(DType::f32, 1, 2) == std::nextafter(1.0f, 2.0f));
  CHECK(after(DType::f32, -1, 2) == std::nextafter(-1.0f, 2.0f));
  CHECK(after(DType::f32, 0, -1) == std::nextafter(0.0f, -1.0f));
  CHECK(after(DType::bf16, 1, 2) == 1.0078125);
  CHECK(after(DType::f16, 65504, INFINITY) == INFINITY);
  CHECK(after(DType::f64, 3, 3) == 3);
  CHECK(std::isnan(after(DType::f32, NAN, 1)));
}

TEST_CASE("complex numbers: parts, arithmetic, modulus", "[special]") {
  const auto square = [](Builder& b, Value* z) { return build::multiply(b, z, z); };
  CHECK(values(complex64({1, 0}, {2, 1}, [&](Builder& b, Value* z) { return build::unary(b, "stablehlo.real", square(b, z)); })) == std::vector<double>{-3, -1});
  CHECK(values(complex64({1, 0}, {2, 1}, [&](Builder& b, Value* z) { return build::unary(b, "stablehlo.imag", square(b, z)); })) == std::vector<double>{4, 0});
  CHECK(values(complex64({3}, {4}, [](Builder& b, Value* z) { return build::abs(b, z); })) == std::vector<double>{5});
  CHECK(values(complex64({1, 1}, {2, 3}, [](Builder& b, Value* z) { return build::compare(b, "EQ", z, build::reverse(b, z, {0})); })) == std::vector<double>{0, 0});
  CHECK(error_of([] { complex64({1}, {2}, [](Builder& b, Value* z) { return build::floor(b, z); }); }).find("complex<f32> is not supported") != std::string::npos);
}

TEST_CASE("complex contraction and reduction", "[special]") {
  const Tensor y = complex64({1, 2}, {1, -1}, [](Builder& b, Value* z) {
    Value* product = build::dot_general(b, z, z, {.lhs_contracting = {0}, .rhs_contracting = {0}});
    Operation* sum = create_inferred(b, "stablehlo.reduce", {z, infer_value(b, "stablehlo.complex", {build::scalar_constant(b, DType::f32, 0), build::scalar_constant(b, DType::f32, 0)})}, 1, {{"dimensions", Ints{0}}}, 1);
    Builder inner(b.module());
    inner.at_end(sum->region());
    Value* p = inner.add_argument(sum->region(), Type::tensor(DType::c64, {}));
    Value* q = inner.add_argument(sum->region(), Type::tensor(DType::c64, {}));
    inner.create("stablehlo.return", {build::add(inner, p, q)}, {});
    return build::unary(b, "stablehlo.imag", build::add(b, product, sum->result()));
  });
  CHECK(y.get(0) == 2 - 4 + 0);
}
