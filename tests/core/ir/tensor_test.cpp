#include "core/ir/tensor.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/ir/error.h"
#include "core/ir/numerics.h"

using namespace stele;

TEST_CASE("every 16-bit float survives the way through double", "[tensor]") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const double a = f16_to_double(half), b = bf16_to_double(half);
    if (!std::isnan(a) && double_to_f16(a) != half) FAIL("f16 " << bits);
    if (!std::isnan(b) && double_to_bf16(b) != half) FAIL("bf16 " << bits);
    if (std::isnan(a) && !std::isnan(f16_to_double(double_to_f16(a)))) FAIL("f16 NaN " << bits);
  }
}

TEST_CASE("16-bit floats round once, to nearest even", "[tensor]") {
  CHECK(double_to_f16(1 + 0x1p-11) == 0x3c00);            // a tie: to even
  CHECK(double_to_f16(1 + 0x1p-11 + 0x1p-40) == 0x3c01);  // through f32 it would tie, and round down
  CHECK(double_to_f16(65519.99) == 0x7bff);
  CHECK(double_to_f16(65520) == 0x7c00);
  CHECK(double_to_f16(0x1p-25) == 0);
  CHECK(double_to_f16(0x1.8p-25) == 1);
  CHECK(double_to_f16(-0.0) == 0x8000);
  CHECK(double_to_bf16(std::numeric_limits<double>::max()) == 0x7f80);
}

TEST_CASE("conversions saturate, truncate and wrap as stated", "[tensor]") {
  const Tensor x = Tensor::of_doubles(DType::f32, {5}, {-1.9, 300, NAN, INFINITY, 1e30});
  const Tensor u8 = x.converted(DType::u8), i64 = x.converted(DType::i64);
  CHECK(u8.get_int(0) == 0);
  CHECK(u8.get_int(1) == 255);
  CHECK(u8.get_int(2) == 0);
  CHECK(i64.get_int(0) == -1);
  CHECK(i64.get_int(3) == std::numeric_limits<int64_t>::max());
  CHECK(Tensor::of_ints(DType::i32, {1}, {300}).converted(DType::i8).get_int(0) == 44);
  CHECK(Tensor::of_ints(DType::u64, {1}, {-1}).converted(DType::f64).get(0) == 0x1p64);
  CHECK(Tensor::of_doubles(DType::f32, {2}, {0.5, NAN}).converted(DType::boolean).get_int(1) == 1);
}

TEST_CASE("tensors copy on write and refuse sizes that cannot be", "[tensor]") {
  Tensor a = Tensor::of_ints(DType::i32, {2}, {1, 2});
  Tensor b = a;
  b.set_int(0, 9);
  CHECK(a.get_int(0) == 1);
  CHECK(b.get_int(0) == 9);
  CHECK_THROWS_AS(Tensor(DType::f32, {-1}), Error);
  CHECK_THROWS_AS(Tensor(DType::f32, {int64_t{1} << 40, int64_t{1} << 40}), Error);
  CHECK_THROWS_AS(Tensor(DType::f64, {int64_t{1} << 39}), Error);
  CHECK(Tensor(DType::f32, {0, int64_t{1} << 40}).elements() == 0);
  CHECK_THROWS_AS(Tensor(DType::f32, {3}, Blob::from_bytes(std::vector<std::byte>(8))), Error);
}

TEST_CASE("Subscripts counts in row-major order", "[tensor]") {
  std::vector<std::vector<int64_t>> seen;
  for (Subscripts s({2, 2}); !s.done(); s.next()) seen.push_back(s.at());
  CHECK(seen == std::vector<std::vector<int64_t>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  CHECK(Subscripts({3, 0}).done());
  CHECK_FALSE(Subscripts({}).done());
}

TEST_CASE("a blob is found by its content", "[tensor]") {
  CHECK(Blob::from_string("abc")->hash() == Blob::from_string("abc")->hash());
  CHECK(Blob::from_string("abc")->hash() != Blob::from_string("abd")->hash());
  CHECK_THROWS_WITH(Blob::map_file("/no/such/file", 0, 1), Catch::Contains("/no/such/file"));
}
