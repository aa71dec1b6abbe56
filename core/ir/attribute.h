// Attributes: compile-time facts of an op.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ir/tensor.h"
#include "core/ir/type.h"

namespace stele {

struct Unit {  // present, and that is all: `unique_indices`
  friend bool operator==(Unit, Unit) { return true; }
};

class Attribute;
using Attributes = std::map<std::string, Attribute, std::less<>>;  // sorted by name, so text is canonical

// Text: unit, true, 4, 1.5 : f64, "text", array<i64: 1, 2>, array<f64: 1.0>, ["a", "b"], tensor<4xf32>, #stele.dim<[2*batch, 4]>,
// dense<…> : tensor<…> (a constant), [attr, …], {name = attr, …}, @symbol.
class Attribute {
 public:
  using Ints = std::vector<int64_t>;
  using Doubles = std::vector<double>;
  using Strings = std::vector<std::string>;
  using Array = std::vector<Attribute>;
  struct Symbol {  // a reference to a function by name
    std::string name;
    friend bool operator==(const Symbol&, const Symbol&) = default;
  };
  using Value = std::variant<Unit, bool, int64_t, double, std::string, Ints, Doubles, Strings, Type, Shape, Tensor, BlobRef,
                             Symbol, Array, Attributes>;

  Attribute() = default;
  Attribute(Unit v) : value_(v) {}            // NOLINT: a value is an attribute
  Attribute(bool v) : value_(v) {}            // NOLINT
  Attribute(int64_t v) : value_(v) {}         // NOLINT
  Attribute(int v) : value_(int64_t{v}) {}    // NOLINT
  Attribute(double v) : value_(v) {}          // NOLINT
  Attribute(const char* v) : value_(std::string(v)) {}   // NOLINT
  Attribute(std::string v) : value_(std::move(v)) {}     // NOLINT
  Attribute(Ints v) : value_(std::move(v)) {}            // NOLINT
  Attribute(Doubles v) : value_(std::move(v)) {}         // NOLINT
  Attribute(Strings v) : value_(std::move(v)) {}         // NOLINT
  Attribute(Type v) : value_(std::move(v)) {}            // NOLINT
  Attribute(Shape v) : value_(std::move(v)) {}           // NOLINT: dims, maybe symbolic
  Attribute(Tensor v) : value_(std::move(v)) {}          // NOLINT: a constant
  Attribute(BlobRef v) : value_(std::move(v)) {}         // NOLINT: opaque bytes, e.g. bitcode
  Attribute(Symbol v) : value_(std::move(v)) {}          // NOLINT
  Attribute(Array v) : value_(std::move(v)) {}           // NOLINT
  Attribute(Attributes v);                               // NOLINT

  template <typename T>
  const T* get() const {
    return std::get_if<T>(&value_);
  }
  const Value& value() const { return value_; }
  friend bool operator==(const Attribute& a, const Attribute& b);
  friend bool operator!=(const Attribute& a, const Attribute& b) { return !(a == b); }

 private:
  Value value_;
};

}  // namespace stele
