#include "core/debug/inputs.h"

#include <cmath>
#include <limits>

namespace stele {
namespace {

constexpr double edge_floats[] = {0.0, -0.0, 1e-310, -1e-40, INFINITY, -INFINITY, NAN, 1.0, -1.0, 65504.0, 3.4e38};
// One element in this many is an edge value.
constexpr int64_t edge_rarity = 8;

void fill_floats(Tensor& tensor, Random& random, const InputOptions& options) {
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const bool edge = options.edge_values && random.below(edge_rarity) == 0;
    const double drawn = edge ? edge_floats[random.below(std::size(edge_floats))] : random.normal() * options.scale;
    tensor.set(i, drawn);
  }
}

int64_t edge_int(DType dtype, Random& random) {
  const int bits = size_bytes(dtype) * 8;
  const bool is_signed = is_signed_int(dtype);
  const int64_t largest = bits == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const int64_t values[] = {0, 1, largest, is_signed ? -largest - 1 : 0, is_signed ? -1 : 1};
  return values[random.below(std::size(values))];
}

void fill_ints(Tensor& tensor, Random& random, const InputOptions& options) {
  const bool boolean = tensor.dtype() == DType::boolean;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const bool edge = options.edge_values && !boolean && random.below(edge_rarity) == 0;
    tensor.set_int(i, edge ? edge_int(tensor.dtype(), random) : random.below(boolean ? 2 : options.largest_int + 1));
  }
}

}  // namespace

uint64_t Random::bits() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * 3.14159265358979323846 * uniform());
}

int64_t Random::below(int64_t bound) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(bound)); }

std::vector<Tensor> make_inputs(const Function& function, const Binding& binding, const InputOptions& options) {
  Random random(options.seed);
  std::vector<Tensor> inputs;
  for (const Value* argument : function.body().arguments()) {
    const Type& type = argument->type();
    if (!type.is_tensor() || is_complex(type.dtype)) {
      fail("input '{}' is of type {}: no values can be made up for it", argument->name(), type.str());
    }
    Tensor tensor(type.dtype, evaluate(type.shape, binding));
    if (is_float(type.dtype)) {
      fill_floats(tensor, random, options);
    } else {
      fill_ints(tensor, random, options);
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace stele
