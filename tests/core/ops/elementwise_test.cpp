#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr int64_t int_min = std::numeric_limits<int32_t>::min(), int_max = std::numeric_limits<int32_t>::max();

// Equal bits but for NaNs, of which one is as good as another.
bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b); }

void check_unary(std::string_view name, double x, double expected) {
  const Tensor y = evaluate_one({f32({1}, {x})}, [&](Builder& b, auto& in) { return build::unary(b, name, in[0]); });
  INFO(name << "(" << x << ") is " << y.get(0) << ", expected " << expected);
  CHECK(same(y.get(0), static_cast<float>(expected)));
}

void check_binary(std::string_view name, double x, double y, double expected) {
  const Tensor z = evaluate_one({f32({1}, {x}), f32({1}, {y})}, [&](Builder& b, auto& in) { return build::binary(b, name, in[0], in[1]); });
  INFO(name << "(" << x << ", " << y << ") is " << z.get(0) << ", expected " << expected);
  CHECK(same(z.get(0), static_cast<float>(expected)));
}

void check_ints(DType dtype, std::string_view name, int64_t x, int64_t y, int64_t expected) {
  const auto of = [&](int64_t v) { return Tensor::of_ints(dtype, {1}, {v}); };
  const Tensor z = evaluate_one({of(x), of(y)}, [&](Builder& b, auto& in) { return build::binary(b, name, in[0], in[1]); });
  INFO(name << "(" << x << ", " << y << ") of " << stele::name(dtype) << " is " << z.get_int(0) << ", expected " << expected);
  CHECK(z.get_int(0) == of(expected).get_int(0));
}

void check_int(DType dtype, std::string_view name, int64_t x, int64_t expected) {
  const Tensor y = evaluate_one({Tensor::of_ints(dtype, {1}, {x})}, [&](Builder& b, auto& in) { return build::unary(b, name, in[0]); });
  INFO(name << "(" << x << ") of " << stele::name(dtype) << " is " << y.get_int(0) << ", expected " << expected);
  CHECK(y.get_int(0) == expected);
}

std::vector<double> compared(std::string_view direction, const Tensor& x, const Tensor& y) {
  return values(evaluate_one({x, y}, [&](Builder& b, auto& in) { return build::compare(b, direction, in[0], in[1]); }));
}

}  // namespace

TEST_CASE("unary ops on zeros, infinities and NaN", "[elementwise]") {
  check_unary("stablehlo.abs", -0.0, 0.0);
  check_unary("stablehlo.negate", 0.0, -0.0);
  check_unary("stablehlo.sign", -0.0, -0.0);
  check_unary("stablehlo.sign", NAN, NAN);
  check_unary("stablehlo.sign", -inf, -1);
  check_unary("stablehlo.sqrt", -0.0, -0.0);
  check_unary("stablehlo.sqrt", -1, NAN);
  check_unary("stablehlo.rsqrt", 0.0, inf);
  check_unary("stablehlo.rsqrt", inf, 0);
  check_unary("stablehlo.log", 0.0, -inf);
  check_unary("stablehlo.log_plus_one", -1, -inf);
  check_unary("stablehlo.exponential", -inf, 0);
  check_unary("stablehlo.exponential", 100, inf);  // beyond f32
  check_unary("stablehlo.exponential_minus_one", -0.0, -0.0);
  check_unary("stablehlo.logistic", -inf, 0);
  check_unary("stablehlo.logistic", inf, 1);
  check_unary("stablehlo.tanh", -inf, -1);
  check_unary("stablehlo.floor", -0.5, -1);
  check_unary("stablehlo.ceil", -0.5, -0.0);
  check_unary("stablehlo.round_nearest_even", 2.5, 2);
  check_unary("stablehlo.round_nearest_even", -0.5, -0.0);
  check_unary("stablehlo.round_nearest_afz", 2.5, 3);
  check_unary("stablehlo.round_nearest_afz", -0.5, -1);
  check_unary("stablehlo.cbrt", -8, -2);
  check_unary("chlo.erf", inf, 1);
  check_unary("chlo.erfc", inf, 0);
  check_unary("chlo.square", -3, 9);
}

TEST_CASE("unary ops on values", "[elementwise]") {
  check_unary("stablehlo.exponential", 1, std::exp(1.0));
  check_unary("stablehlo.tanh", 0.5, std::tanh(0.5));
  check_unary("stablehlo.sine", 2, std::sin(2.0));
  check_unary("stablehlo.cosine", 2, std::cos(2.0));
  check_unary("stablehlo.tan", 2, std::tan(2.0));
  check_unary("chlo.erf", 0.375, std::erf(0.375));
}

TEST_CASE("binary ops on zeros, infinities and NaN", "[elementwise]") {
  check_binary("stablehlo.add", 0.0, -0.0, 0.0);
  check_binary("stablehlo.add", -0.0, -0.0, -0.0);
  check_binary("stablehlo.subtract", inf, inf, NAN);
  check_binary("stablehlo.multiply", 0, inf, NAN);
  check_binary("stablehlo.divide", 1, -0.0, -inf);
  check_binary("stablehlo.divide", 0, 0, NAN);
  check_binary("stablehlo.remainder", -5, 3, -2);
  check_binary("stablehlo.remainder", 5, inf, 5);
  check_binary("stablehlo.power", 0, 0, 1);
  check_binary("stablehlo.power", -8, 1.0 / 3, NAN);
  check_binary("stablehlo.maximum", -0.0, 0.0, 0.0);
  check_binary("stablehlo.maximum", 1, NAN, NAN);
  check_binary("stablehlo.minimum", 0.0, -0.0, -0.0);
  check_binary("stablehlo.minimum", NAN, 1, NAN);
  check_binary("stablehlo.atan2", 0.0, -1, M_PI);
  check_binary("stablehlo.atan2", -0.0, -1, -M_PI);
}

TEST_CASE("an elementwise op rounds once", "[elementwise]") {
  const double third = 1.0f / 3.0f;
  check_binary("stablehlo.add", 1.0f, third, 1.0f + static_cast<float>(third));
  const Tensor big = Tensor::of_doubles(DType::f16, {1}, {60000});
  const Tensor sum = evaluate_one({big, big}, [](Builder& b, auto& in) { return build::add(b, in[0], in[1]); });
  CHECK(sum.get(0) == inf);
}

TEST_CASE("integer arithmetic at its edges", "[elementwise]") {
  check_ints(DType::i32, "stablehlo.add", int_max, 1, int_min);
  check_ints(DType::i32, "stablehlo.divide", 7, 0, -1);
  check_ints(DType::i32, "stablehlo.divide", int_min, -1, int_min);
  check_ints(DType::i32, "stablehlo.divide", -7, 2, -3);
  check_ints(DType::u32, "stablehlo.divide", 7, 0, 0xffffffff);
  check_ints(DType::u64, "stablehlo.divide", -1, 2, int64_t{0x7fffffffffffffff});
  check_ints(DType::i64, "stablehlo.divide", std::numeric_limits<int64_t>::min(), -1, std::numeric_limits<int64_t>::min());
  check_ints(DType::i32, "stablehlo.remainder", -7, 3, -1);
  check_ints(DType::i32, "stablehlo.remainder", 7, 0, 7);
  check_ints(DType::i32, "stablehlo.remainder", int_min, -1, 0);
  check_ints(DType::i32, "stablehlo.power", 3, 4, 81);
  check_ints(DType::i32, "stablehlo.power", 2, -1, 0);
  check_ints(DType::i32, "stablehlo.power", -1, -3, -1);
  check_ints(DType::u64, "stablehlo.maximum", -1, 1, -1);
  check_ints(DType::i8, "stablehlo.multiply", 16, 16, 0);
}

TEST_CASE("shifts by the width or more", "[elementwise]") {
  check_ints(DType::i32, "stablehlo.shift_left", 1, 31, int_min);
  check_ints(DType::i32, "stablehlo.shift_left", 1, 32, 0);
  check_ints(DType::i8, "stablehlo.shift_right_logical", -1, 4, 15);
  check_ints(DType::i32, "stablehlo.shift_right_logical", -1, 33, 0);
  check_ints(DType::i32, "stablehlo.shift_right_arithmetic", -8, 1, -4);
  check_ints(DType::i32, "stablehlo.shift_right_arithmetic", -8, 32, -1);
  check_ints(DType::u8, "stablehlo.shift_right_arithmetic", 0x80, 7, 0xff);
  check_ints(DType::i32, "stablehlo.shift_right_arithmetic", 8, -1, 0);
}

TEST_CASE("bits of integers and booleans", "[elementwise]") {
  check_int(DType::i32, "stablehlo.abs", int_min, int_min);
  check_int(DType::u8, "stablehlo.sign", 255, 1);
  check_int(DType::i8, "stablehlo.not", 0, -1);
  check_int(DType::u8, "stablehlo.not", 1, 254);
  check_int(DType::boolean, "stablehlo.not", 1, 0);
  check_int(DType::i8, "stablehlo.popcnt", -1, 8);
  check_int(DType::i8, "stablehlo.count_leading_zeros", 1, 7);
  check_int(DType::u64, "stablehlo.count_leading_zeros", 0, 64);
  check_ints(DType::boolean, "stablehlo.add", 1, 1, 1);
  check_ints(DType::boolean, "stablehlo.multiply", 1, 0, 0);
  check_ints(DType::boolean, "stablehlo.xor", 1, 1, 0);
}

TEST_CASE("compare: NaN, zeros, unsigned", "[elementwise]") {
  const Tensor x = f32({3}, {NAN, 0.0, 1}), y = f32({3}, {NAN, -0.0, 2});
  CHECK(compared("EQ", x, y) == std::vector<double>{0, 1, 0});
  CHECK(compared("NE", x, y) == std::vector<double>{1, 0, 1});
  CHECK(compared("LT", x, y) == std::vector<double>{0, 0, 1});
  CHECK(compared("GE", x, y) == std::vector<double>{0, 1, 0});
  const auto u64 = [](int64_t v) { return Tensor::of_ints(DType::u64, {1}, {v}); };
  CHECK(compared("GT", u64(-1), u64(1)) == std::vector<double>{1});
}

TEST_CASE("compare in total order", "[elementwise]") {
  const Tensor z = evaluate_one({f32({3}, {-0.0, -NAN, 1}), f32({3}, {0.0, -inf, NAN})}, [](Builder& b, auto& in) {
    return infer_value(b, "stablehlo.compare", {in[0], in[1]}, {{"comparison_direction", "LT"}, {"compare_type", "TOTALORDER"}});
  });
  CHECK(values(z) == std::vector<double>{1, 1, 1});
}

TEST_CASE("select and clamp with scalars", "[elementwise]") {
  const Tensor yes = Tensor::of_ints(DType::boolean, {}, {1}), some = Tensor::of_ints(DType::boolean, {2}, {0, 1});
  const Tensor x = f32({2}, {1, 2}), y = f32({2}, {3, 4});
  const auto select = [](Builder& b, auto& in) { return build::select(b, in[0], in[1], in[2]); };
  CHECK(values(evaluate_one({yes, x, y}, select)) == std::vector<double>{1, 2});
  CHECK(values(evaluate_one({some, x, y}, select)) == std::vector<double>{3, 2});
  const auto clamp = [](Builder& b, auto& in) { return build::clamp(b, in[0], in[1], in[2]); };
  CHECK(values(evaluate_one({f32({}, {0}), f32({4}, {-5, 0.5, 7, inf}), f32({}, {1})}, clamp)) == std::vector<double>{0, 0.5, 1, 1});
  CHECK(std::isnan(evaluate_one({f32({}, {0}), f32({1}, {NAN}), f32({}, {1})}, clamp).get(0)));
}

TEST_CASE("convert rounds, truncates, saturates", "[elementwise]") {
  const auto convert = [](const Tensor& x, DType to) {
    return evaluate_one({x}, [&](Builder& b, auto& in) { return build::convert(b, in[0], to); });
  };
  const Tensor x = f32({5}, {-1.9, 3e9, NAN, 0.5, -3e9});
  const Tensor y = convert(x, DType::i32);
  CHECK((y.get_int(0) == -1 && y.get_int(1) == int_max && y.get_int(2) == 0 && y.get_int(3) == 0 && y.get_int(4) == int_min));
  CHECK(values(convert(f32({3}, {0.0, 0.25, NAN}), DType::boolean)) == std::vector<double>{0, 1, 1});
  CHECK(convert(i32({1}, {-1}), DType::u8).get_int(0) == 255);
  CHECK(convert(f32({1}, {1.00390625}), DType::bf16).get(0) == 1);  // a tie goes to even
}

TEST_CASE("reduce_precision rounds to the format", "[elementwise]") {
  const Tensor x = f32({4}, {1.00390625, 1.01171875, 1e6, -1e-6});
  const Tensor y = evaluate_one({x}, [](Builder& b, auto& in) {
    return infer_value(b, "stablehlo.reduce_precision", {in[0]}, {{"exponent_bits", 5}, {"mantissa_bits", 7}});
  });
  CHECK(same(y.get(0), 1));
  CHECK(same(y.get(1), 1.015625));
  CHECK(same(y.get(2), inf));
  CHECK(same(y.get(3), -0.0));
}

TEST_CASE("elementwise ops of nothing give nothing", "[elementwise]") {
  const Tensor y = evaluate_one({f32({0, 3}, {})}, [](Builder& b, auto& in) { return build::tanh(b, in[0]); });
  CHECK(y.sizes() == std::vector<int64_t>{0, 3});
}

TEST_CASE("elementwise constraints are named", "[elementwise]") {
  const auto verify_add = [](Type x, Type y) {
    return error_of([&] {
      verify(*module_of({x, y}, [&](Builder& b, const std::vector<Value*>& in) {
        return std::vector<Value*>{b.create_value("stablehlo.add", {in[0], in[1]}, x)};
      }));
    });
  };
  const Type row = Type::tensor(DType::f32, {2}), batch = Type::tensor(DType::f32, {Dim::symbol("batch")});
  CHECK(verify_add(row, row) == "no error");
  CHECK(verify_add(row, Type::tensor(DType::f32, {3})).find("add_c1") != std::string::npos);
  CHECK(verify_add(row, Type::tensor(DType::f64, {2})).find("add_c1") != std::string::npos);
  CHECK(verify_add(batch, batch) == "no error");
  CHECK(verify_add(batch, row).find("add_c1") != std::string::npos);
  CHECK(error_of([] { evaluate_one({i32({1}, {1})}, [](Builder& b, auto& in) { return build::tanh(b, in[0]); }); }).find("tanh_c2") != std::string::npos);
  CHECK(error_of([] { evaluate_one({f32({1}, {1}), f32({1}, {1})}, [](Builder& b, auto& in) { return build::logical_and(b, in[0], in[1]); }); }).find("and_c2") != std::string::npos);
  CHECK(error_of([] { evaluate_one({f32({1}, {1}), f32({1}, {1})}, [](Builder& b, auto& in) { return build::compare(b, "LESS", in[0], in[1]); }); }).find("compare_c2") != std::string::npos);
  CHECK(error_of([] { evaluate_one({f32({2}, {1, 1}), f32({2}, {1, 1}), f32({2}, {1, 1})}, [](Builder& b, auto& in) { return build::select(b, in[0], in[1], in[2]); }); }).find("select_c1") != std::string::npos);
}
