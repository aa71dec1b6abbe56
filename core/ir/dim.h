// Dimensions: integers or expressions over named symbols, kept in a canonical form so that == is equality of values
// for polynomials (a*b + 2*a is one form whatever the order it was built in).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stele {

// Values of the symbols, e.g. {"batch": 32}.
using Binding = std::map<std::string, int64_t>;

struct DimPolynomial;

// A size or an offset, in elements. Cheap to copy. Arithmetic throws Error where a constant overflows 63 bits.
class Dim {
 public:
  Dim(int64_t value = 0) : constant_(value) {}  // NOLINT: an integer is a dimension
  Dim(int value) : constant_(value) {}          // NOLINT
  static Dim symbol(const std::string& name);

  bool is_static() const { return expression_ == nullptr; }
  int64_t value() const;  // requires is_static()
  bool is(int64_t value) const { return is_static() && constant_ == value; }

  // Value under a binding. Throws Error on a symbol without a value, on overflow, on division by zero.
  int64_t evaluate(const Binding& binding) const;
  Dim substitute(const std::map<std::string, Dim>& replacements) const;
  void collect_symbols(std::set<std::string>& symbols) const;

  std::string str() const;                  // "4", "batch", "2*batch + 1", "batch floordiv 2", "max(a, b)"
  static Dim parse(std::string_view text);  // the inverse of str(); throws Error

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  friend bool operator==(const Dim& a, const Dim& b);
  friend bool operator!=(const Dim& a, const Dim& b) { return !(a == b); }
  friend bool operator<(const Dim& a, const Dim& b);  // an order for containers, not of values

  static Dim floor_div(const Dim& a, const Dim& b);
  static Dim ceil_div(const Dim& a, const Dim& b);
  static Dim mod(const Dim& a, const Dim& b);
  static Dim max(const Dim& a, const Dim& b);
  static Dim min(const Dim& a, const Dim& b);
  // a / b where b divides a as polynomials (a coefficient or a symbol cancels); nullopt where it does not.
  static std::optional<Dim> exact_div(const Dim& a, const Dim& b);

 private:
  friend struct DimPolynomial;
  int64_t constant_ = 0;
  std::shared_ptr<const DimPolynomial> expression_;  // null: static
};

using Shape = std::vector<Dim>;

bool is_static(const Shape& shape);
Dim element_count(const Shape& shape);
std::vector<int64_t> evaluate(const Shape& shape, const Binding& binding);
std::vector<int64_t> static_sizes(const Shape& shape);  // requires is_static(shape)
Shape make_shape(const std::vector<int64_t>& sizes);

}  // namespace stele
