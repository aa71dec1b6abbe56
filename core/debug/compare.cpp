#include "core/debug/compare.h"

#include <fmt/format.h>

#include <cmath>

namespace stele {
namespace {

std::vector<int64_t> subscripts_of(int64_t linear, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> at(sizes.size());
  for (size_t axis = sizes.size(); axis-- > 0;) {
    at[axis] = linear % sizes[axis];
    linear /= sizes[axis];
  }
  return at;
}

double largest_finite(const Tensor& tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const double magnitude = std::abs(tensor.get(i));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest;
}

// The largest magnitude of the outputs' element type decides what rounding means: judged in the type of `got`.
Verdict judge_float(double got, double expected, double allowed, bool exact) {
  if (std::isnan(got) != std::isnan(expected)) return Verdict::nan_moved;
  if (std::isnan(got)) return Verdict::equal;
  if (got == expected) {
    if (std::signbit(got) == std::signbit(expected)) return Verdict::equal;
    return exact ? Verdict::sign_of_zero : Verdict::rounding;
  }
  if (std::isinf(got) || std::isinf(expected)) return Verdict::inf_moved;
  return !exact && std::abs(got - expected) <= allowed ? Verdict::rounding : Verdict::wrong;
}

Comparison bad_type(const Tensor& got, const Tensor& expected, const Tolerance& tolerance) {
  Comparison result;
  result.verdict = Verdict::bad_type;
  result.tolerance = tolerance;
  result.note = fmt::format("{}, expected {}", got.present() ? got.type().str() : "nothing", expected.type().str());
  return result;
}

bool comparable(const Tensor& got, const Tensor& expected) {
  if (!got.present() || got.sizes() != expected.sizes()) return false;
  return got.dtype() == expected.dtype() || (is_float(got.dtype()) && is_float(expected.dtype()));
}

void note_element(Comparison& result, int64_t i, const Tensor& got, double expected) {
  result.element = subscripts_of(i, got.sizes());
  result.got = got.get(i);
  result.expected = expected;
}

void compare_ints(Comparison& result, const Tensor& got, const Tensor& expected) {
  for (int64_t i = 0; i < got.elements(); ++i) {
    if (got.get_int(i) == expected.get_int(i)) continue;
    if (result.beyond++ == 0) note_element(result, i, got, expected.get(i));
    result.verdict = Verdict::wrong;
  }
  result.different = result.beyond;
}

// NaN and infinities that the narrow types bring about by themselves are no fault of the one judged.
double reference_at(int64_t i, const Tensor& expected, const Tensor* excused) {
  const double value = expected.get(i);
  if (!excused || !excused->present() || excused->sizes() != expected.sizes()) return value;
  const double narrow = excused->get(i);
  return std::isfinite(value) == std::isfinite(narrow) && std::isnan(value) == std::isnan(narrow) ? value : narrow;
}

void compare_floats(Comparison& result, const Tensor& got, const Tensor& expected, const Tensor* excused) {
  const double allowed = result.tolerance.relative * result.scale;
  double furthest = -1;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const double value = got.get(i), wanted = reference_at(i, expected, excused);
    const Verdict verdict = judge_float(value, wanted, allowed, result.tolerance.exact);
    if (verdict == Verdict::equal) continue;
    ++result.different;
    const double distance = std::isfinite(value) && std::isfinite(wanted) ? std::abs(value - wanted) : 0;
    result.error = std::max(result.error, result.scale > 0 ? distance / result.scale : distance);
    if (is_mismatch(verdict)) {
      if (result.beyond++ == 0) note_element(result, i, got, wanted);
    } else if (result.beyond == 0 && distance > furthest) {
      furthest = distance;
      note_element(result, i, got, wanted);
    }
    result.verdict = std::max(result.verdict, verdict);
  }
}

}  // namespace

std::string_view name(Verdict verdict) {
  constexpr std::string_view names[] = {"equal", "rounding", "sign-of-zero", "wrong", "inf-moved", "nan-moved", "bad-type", "invalid"};
  return names[static_cast<size_t>(verdict)];
}

std::string Tolerance::str() const {
  if (exact) return derivation;
  return fmt::format("{:.2g} of the largest reference value ({})", relative, derivation);
}

std::string element_text(const std::vector<int64_t>& element) { return fmt::format("[{}]", fmt::join(element, ", ")); }

std::string value_text(double value) { return fmt::format("{}", value); }

Comparison compare(const Tensor& got, const Tensor& expected, const Tolerance& tolerance, const Tensor* excused) {
  if (!comparable(got, expected)) return bad_type(got, expected, tolerance);
  Comparison result;
  result.tolerance = tolerance;
  if (!is_float(got.dtype())) {
    compare_ints(result, got, expected);
    return result;
  }
  if (got.dtype() == expected.dtype() && got.bitwise_equal(expected)) return result;
  const Tensor rounded = expected.dtype() == got.dtype() ? expected : expected.converted(got.dtype());
  result.scale = largest_finite(rounded);
  compare_floats(result, got, rounded, excused);
  return result;
}

Comparison compare_all(const std::vector<Tensor>& got, const std::vector<Tensor>& expected, const Tolerance& tolerance,
                       const std::vector<Tensor>* excused) {
  Comparison gravest;
  gravest.tolerance = tolerance;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!expected[i].present()) continue;
    const Tensor* other = excused && i < excused->size() ? &(*excused)[i] : nullptr;
    Comparison one = compare(i < got.size() ? got[i] : Tensor(), expected[i], tolerance, other);
    one.output = i;
    if (one.verdict > gravest.verdict || (one.verdict == gravest.verdict && one.error > gravest.error)) gravest = std::move(one);
  }
  return gravest;
}

std::string Comparison::str() const {
  switch (verdict) {
    case Verdict::equal: return "equal, bit for bit";
    case Verdict::bad_type: return fmt::format("output {}: {}", output, note);
    case Verdict::invalid: return note;
    case Verdict::rounding: return fmt::format("largest difference {:.2g} of the largest value {:.4g}; bound {}", error, scale, tolerance.str());
    default: break;
  }
  return fmt::format("{}: output {} element {} is {}, expected {}; {} wrong; bound {}", name(verdict), output, element_text(element),
                     value_text(got), value_text(expected), beyond, tolerance.str());
}

}  // namespace stele
