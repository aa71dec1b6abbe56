// Special functions (chlo.*) that the C library does not have: erf_inv, digamma, bessel_i1e, next_after.
#include <cmath>
#include <cstring>

#include "core/ops/all_ops.h"
#include "core/ops/elementwise.h"

namespace stele {
namespace {

using elementwise::none;
using Tensors = std::vector<Tensor>;

// Winitzki's estimate, then Newton's steps on erf or, in the tail, where 1 - erf would cancel, on erfc.
double erf_inv(double x) {
  if (std::isnan(x) || std::fabs(x) > 1) return NAN;
  if (x == 0) return x;
  if (std::fabs(x) == 1) return std::copysign(INFINITY, x);
  const double target = std::fabs(x), a = 0.147, l = std::log((1 - target) * (1 + target));
  const double t = 2 / (M_PI * a) + l / 2;
  double y = std::sqrt(std::sqrt(t * t - l / a) - t);
  for (int step = 0; step < 4; ++step) {
    const double error = target < 0.5 ? std::erf(y) - target : (1 - target) - std::erfc(y);
    y -= error / (M_2_SQRTPI * std::exp(-y * y));
  }
  return std::copysign(y, x);
}

// Reflection below 0.5, recurrence up to 10, then the asymptotic series.
double digamma(double x) {
  if (x == 0) return std::copysign(INFINITY, -x);
  if (x < 0 && x == std::floor(x)) return NAN;
  if (x < 0.5) {
    const double fraction = x - std::floor(x);
    return digamma(1 - x) - M_PI / std::tan(M_PI * fraction);
  }
  double sum = 0;
  for (; x < 10; x += 1) sum -= 1 / x;
  const double r = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x -
         r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r / 12))))));
}

// exp(-|x|) I1(x): the power series (all terms of one sign), beyond 30 the asymptotic one.
double bessel_i1e(double x) {
  const double z = std::fabs(x);
  double term = 1, sum = 1;
  if (z <= 30) {
    for (int k = 1; term > 1e-18 * sum; ++k) sum += term *= z * z / 4 / (k * (k + 1.0));
    return std::exp(-z) * x / 2 * sum;
  }
  if (std::isinf(z)) return std::copysign(0.0, x);
  for (int k = 1; k < 20; ++k) {
    term *= -(4.0 - (2 * k - 1.0) * (2 * k - 1.0)) / (8 * z * k);
    sum += term;
  }
  return std::copysign(sum / std::sqrt(2 * M_PI * z), x);
}

// next_after(x, y): the next value of the format from x towards y.
//   c1, c2: as of every binary op
Tensors evaluate_next_after(const Operation& op, const Tensors& operands, EvalContext&) {
  const Tensor &x = operands[0], &y = operands[1];
  elementwise::check_sizes(op, x, y);
  if (!is_float(x.dtype())) elementwise::unsupported(op, x.dtype());
  Tensor result = own_copy(x);
  std::byte* data = result.mutable_data();
  const auto width = static_cast<size_t>(size_bytes(x.dtype()));
  for (int64_t i = 0; i < x.elements(); ++i) {
    const double from = x.get(i), to = y.get(i);
    if (std::isnan(from) || std::isnan(to) || from == to) {
      result.set(i, std::isnan(from) ? from : to);
      continue;
    }
    // Neighbours of one sign are neighbours as integers (little-endian bytes).
    uint64_t bits = 0;
    std::memcpy(&bits, data + static_cast<size_t>(i) * width, width);
    if (from == 0) {
      bits = (uint64_t{std::signbit(to)} << (8 * width - 1)) + 1;
    } else {
      bits += (to > from) == (from > 0) ? 1 : -1;
    }
    std::memcpy(data + static_cast<size_t>(i) * width, &bits, width);
  }
  return {result};
}

OpDef next_after() {
  OpDef def = elementwise::binary<[](double a, double) { return a; }, none>("chlo.next_after", "the next value of the format towards y", no_gradient("not differentiable"));
  def.evaluate = evaluate_next_after;
  return def;
}

}  // namespace

std::span<const OpDef> special_ops() {
  const auto without = no_gradient("not provided");
  static const OpDef table[] = {
      elementwise::unary<erf_inv, none>("chlo.erf_inv", "inverse of the error function", without),
      elementwise::unary<digamma, none>("chlo.digamma", "derivative of lgamma", without),
      elementwise::unary<bessel_i1e, none>("chlo.bessel_i1e", "exponentially scaled modified Bessel function of order 1", without),
      next_after(),
  };
  return table;
}

}  // namespace stele
