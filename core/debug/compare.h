// Compares results: are they equal, do they differ by rounding, or are they wrong — and where first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/tensor.h"

namespace stele {

// From the mildest to the gravest.
enum class Verdict : uint8_t {
  equal,         // the same bits; NaN equals NaN whatever its payload
  rounding,      // within the bound
  sign_of_zero,  // 0 and -0 where bits must be the same
  wrong,         // a finite element beyond the bound, or integers that are not equal
  inf_moved,     // an infinity where the other has none, or of the other sign
  nan_moved,     // a NaN where the other has none, or the reverse
  bad_type,      // another shape or element type
  invalid,       // the module does not verify, or cannot be executed
};
std::string_view name(Verdict verdict);
inline bool is_mismatch(Verdict verdict) { return verdict > Verdict::rounding; }

// How far apart floats may be. Integers and booleans must always be equal.
struct Tolerance {
  bool exact = false;       // bit for bit
  double relative = 0;      // of the largest magnitude among the reference's finite elements
  std::string derivation;   // where the number comes from, for people

  static Tolerance bitwise() { return {true, 0, "exact: bit for bit"}; }
  std::string str() const;  // "3.6e-05 of the largest reference value (…)"
};

struct Comparison {
  Verdict verdict = Verdict::equal;
  size_t output = 0;              // which output the rest is about: the first of the gravest verdict
  std::vector<int64_t> element;   // of the first element that is wrong, or where nothing is, of the one that differs most
  double got = 0, expected = 0;   // there
  double error = 0;               // the largest difference of finite elements relative to `scale`
  double scale = 0;               // the largest magnitude of the reference
  int64_t different = 0;          // elements that are not the same bits
  int64_t beyond = 0;             // elements that are wrong
  Tolerance tolerance;
  std::string note;               // for bad_type and invalid: what is the matter

  bool ok() const { return !is_mismatch(verdict); }
  std::string str() const;        // one line
};

// The expected tensor may be of another float type than the one to be judged (a float64 reference): it is rounded to the
// type of `got` first. `excused` (may be null) is what another run of the reference in the narrow types gives: where it has a
// NaN or an infinity that the reference has not, the element is judged against it instead.
Comparison compare(const Tensor& got, const Tensor& expected, const Tolerance& tolerance, const Tensor* excused = nullptr);

// All outputs; absent expected ones are passed over. The gravest comparison, with `output` set.
Comparison compare_all(const std::vector<Tensor>& got, const std::vector<Tensor>& expected, const Tolerance& tolerance,
                       const std::vector<Tensor>* excused = nullptr);

// "[0, 3]" and numbers with as many digits as they need.
std::string element_text(const std::vector<int64_t>& element);
std::string value_text(double value);

}  // namespace stele
