#include "core/ir/dim.h"

#include <catch2/catch.hpp>

#include "core/ir/error.h"

using namespace stele;

TEST_CASE("a dimension has one form whatever the order it was built in", "[dim]") {
  const Dim a = Dim::symbol("a"), b = Dim::symbol("b");
  CHECK(a * b + 2 * a == a * (Dim(2) + b));
  CHECK((a + b) * (a - b) == a * a - b * b);
  CHECK((a + 1 - a) == Dim(1));
  CHECK((a - a).is(0));
  CHECK((2 * a + 1).str() == "2*a + 1");
  CHECK((1 - a).str() == "-a + 1");
  CHECK(a != b);
}

TEST_CASE("division and bounds of dimensions", "[dim]") {
  const Dim n = Dim::symbol("n");
  CHECK(Dim::floor_div(4 * n, 2) == 2 * n);
  CHECK(Dim::floor_div(-7, 2).is(-4));
  CHECK(Dim::mod(-7, 2).is(1));
  CHECK(Dim::mod(6 * n, 3).is(0));
  CHECK(Dim::ceil_div(n, 4).evaluate({{"n", 9}}) == 3);
  CHECK(*Dim::exact_div(6 * n * n, 3 * n) == 2 * n);
  CHECK_FALSE(Dim::exact_div(n + 1, 2).has_value());
  CHECK(Dim::max(n + 2, n + 1) == n + 2);
  CHECK(Dim::max(n, 3).evaluate({{"n", 2}}) == 3);
  CHECK(Dim::min(n, Dim::symbol("m")) == Dim::min(Dim::symbol("m"), n));
}

TEST_CASE("a dimension's text parses back to it", "[dim]") {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m.0");
  for (const Dim& dim : {Dim(7), n, 2 * n * m + 3, Dim(0) - n, Dim::floor_div(n + 1, 4) * 3, Dim::mod(n, m), Dim::max(n, m * 2) + 1, Dim::min(n - m, 5)}) {
    INFO(dim.str());
    CHECK(Dim::parse(dim.str()) == dim);
  }
  for (const char* text : {"", "2*", "a b", "max(a", "9999999999999999999", "(((", "3a"}) {
    INFO(text);
    CHECK_THROWS_AS(Dim::parse(text), Error);
  }
}

TEST_CASE("dimensions refuse what does not fit 63 bits, and symbols without a value", "[dim]") {
  const Dim large = int64_t{1} << 62;
  CHECK_THROWS_AS(large * 2, Error);
  CHECK_THROWS_AS((large * Dim::symbol("n")).evaluate({{"n", 4}}), Error);
  CHECK_THROWS_AS(Dim::floor_div(1, 0), Error);
  CHECK_THROWS_WITH(Dim::symbol("batch").evaluate({}), Catch::Contains("--dim batch=N"));
  CHECK(Dim::symbol("n").substitute({{"n", 3}}).is(3));
}
