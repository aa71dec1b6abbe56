#include "core/ir/attribute.h"

#include <bit>

namespace stele {
namespace {

template <typename T>
bool same(const T& a, const T& b) {
  return a == b;
}
bool same(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }  // NaN equals itself, -0 differs from 0
bool same(const Attribute::Doubles& a, const Attribute::Doubles& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}
bool same(const Tensor& a, const Tensor& b) { return a.bitwise_equal(b); }
bool same(const BlobRef& a, const BlobRef& b) { return a == b || (a && b && a->size() == b->size() && a->hash() == b->hash()); }

}  // namespace

Attribute::Attribute(Attributes v) : value_(std::move(v)) {}

bool operator==(const Attribute& a, const Attribute& b) {
  if (a.value_.index() != b.value_.index()) return false;
  return std::visit([&](const auto& x) { return same(x, *std::get_if<std::decay_t<decltype(x)>>(&b.value_)); }, a.value_);
}

}  // namespace stele
