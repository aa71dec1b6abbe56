#include "core/debug/generate.h"

#include <algorithm>

#include "core/ops/build.h"

namespace stele {
namespace {

class Generator {
 public:
  explicit Generator(const GenerateOptions& options)
      : options_(options), random_(options.seed), module_(std::make_unique<Module>()), builder_(*module_) {}

  std::unique_ptr<Module> run() {
    module_->name = fmt::format("random_{}", options_.seed);
    if (options_.symbolic) module_->symbols["n"] = {1, 64};
    Function& main = builder_.add_function("main");
    builder_.at_end(main.body());
    const int64_t arguments = 1 + random_.below(3);
    for (int64_t i = 0; i < arguments; ++i) {
      values_.push_back(builder_.add_argument(main.body(), Type::tensor(DType::f32, random_shape()), fmt::format("x{}", i)));
    }
    values_.push_back(random_constant());
    for (int i = 0; i < options_.ops; ++i) values_.push_back(bounded(next()));
    return finish(main);
  }

 private:
  using Ints = Attribute::Ints;

  std::unique_ptr<Module> finish(Function& main) {
    std::vector<Value*> results;
    std::vector<Type> types;
    for (Value* value : values_) {
      if (value->unused() && !value->is_argument() && results.size() < 3) results.push_back(value);
    }
    if (results.empty()) results.push_back(values_.back());
    for (const Value* result : results) types.push_back(result->type());
    builder_.set_results(main, types);
    builder_.create("func.return", results, {});
    return std::move(module_);
  }

  Dim random_dim() {
    constexpr int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 17};
    if (options_.symbolic && random_.below(4) == 0) return Dim::symbol("n");
    return sizes[random_.below(std::size(sizes))];
  }

  Shape random_shape() {
    Shape shape;
    for (int64_t rank = 1 + random_.below(3); rank > 0; --rank) shape.push_back(random_dim());
    return shape;
  }

  Value* random_constant() {
    std::vector<int64_t> sizes;
    for (int64_t rank = random_.below(3); rank > 0; --rank) sizes.push_back(1 + random_.below(8));
    Tensor tensor(DType::f32, sizes);
    for (int64_t i = 0; i < tensor.elements(); ++i) tensor.set(i, random_.normal());
    return build::constant(builder_, tensor);
  }

  // Recent values more often, so that the graph gets deep.
  Value* pick() {
    const auto count = static_cast<int64_t>(values_.size());
    const int64_t back = std::min(random_.below(count), random_.below(count));
    return values_[static_cast<size_t>(count - 1 - back)];
  }

  Value* of_type(const Type& type) {
    std::vector<Value*> same;
    for (Value* value : values_) {
      if (value->type() == type) same.push_back(value);
    }
    return same[static_cast<size_t>(random_.below(static_cast<int64_t>(same.size())))];
  }

  // Values that grow from op to op are brought back.
  Value* bounded(Value* value) { return random_.below(3) == 0 && value->dtype() == DType::f32 ? build::tanh(builder_, value) : value; }

  Value* next() {
    Value* x = pick();
    switch (random_.below(11)) {
      case 0:
      case 1: return unary(x);
      case 2:
      case 3: return binary(x, of_type(x->type()));
      case 4: return with_constant(x);
      case 5: return transposed(x);
      case 6: return reduced(x);
      case 7: return contracted(x);
      case 8: return sliced(x);
      case 9: return repeated(x);
      default: return selected(x, of_type(x->type()));
    }
  }

  Value* unary(Value* x) {
    constexpr std::string_view names[] = {"stablehlo.negate", "stablehlo.abs", "stablehlo.tanh", "stablehlo.logistic", "stablehlo.sine"};
    return build::unary(builder_, names[random_.below(std::size(names))], x);
  }

  Value* binary(Value* x, Value* y) {
    constexpr std::string_view names[] = {"stablehlo.add", "stablehlo.subtract", "stablehlo.multiply", "stablehlo.maximum", "stablehlo.minimum"};
    return build::binary(builder_, names[random_.below(std::size(names))], x, y);
  }

  // What canonicalization likes: adding 0, multiplying by 1, and other numbers that are no identity.
  Value* with_constant(Value* x) {
    constexpr double values[] = {0, 1, -1, 2, 0.5, 3};
    return binary(x, build::splat_like(builder_, x, values[random_.below(std::size(values))]));
  }

  Value* transposed(Value* x) {
    Ints permutation;
    for (int i = 0; i < x->rank(); ++i) permutation.push_back(i);
    for (size_t i = permutation.size(); i > 1; --i) std::swap(permutation[i - 1], permutation[static_cast<size_t>(random_.below(static_cast<int64_t>(i)))]);
    return build::transpose(builder_, x, permutation);
  }

  Value* reduced(Value* x) {
    if (x->rank() == 0) return unary(x);
    constexpr std::string_view kinds[] = {"add", "maximum"};
    const int64_t axis = random_.below(x->rank());
    Value* sum = build::reduce(builder_, x, kinds[random_.below(2)], {axis});
    return random_.below(2) == 0 ? sum : back_to(sum, x, axis);
  }

  // The reduced value repeated to the shape it came from, as softmax and normalizations do.
  Value* back_to(Value* sum, Value* x, int64_t axis) {
    Ints dims;
    for (int64_t i = 0; i < x->rank(); ++i) {
      if (i != axis) dims.push_back(i);
    }
    return build::subtract(builder_, x, build::broadcast_in_dim(builder_, sum, x->type(), dims));
  }

  Value* contracted(Value* x) {
    if (x->rank() != 2) return unary(x);
    const Dim inner = x->shape()[1];
    if (!inner.is_static()) return unary(x);
    Tensor weights(DType::f32, {inner.value(), 1 + random_.below(9)});
    for (int64_t i = 0; i < weights.elements(); ++i) weights.set(i, random_.normal());
    return build::matmul(builder_, x, build::constant(builder_, weights));
  }

  Value* sliced(Value* x) {
    if (x->rank() == 0) return unary(x);
    const int64_t axis = random_.below(x->rank());
    const Dim size = x->shape()[static_cast<size_t>(axis)];
    if (!size.is_static() || size.value() < 2) return unary(x);
    const int64_t start = random_.below(size.value() - 1);
    Value* part = build::slice_axis(builder_, x, axis, start, size);
    return random_.below(2) == 0 ? part : build::concatenate(builder_, {part, x}, axis);
  }

  Value* repeated(Value* x) {
    if (x->rank() > 2) return unary(x);
    Shape shape = x->shape();
    shape.insert(shape.begin(), 1 + random_.below(4));
    Ints dims;
    for (int64_t i = 0; i < x->rank(); ++i) dims.push_back(i + 1);
    return build::broadcast_in_dim(builder_, x, x->type().with_shape(shape), dims);
  }

  Value* selected(Value* x, Value* y) { return build::select(builder_, build::compare(builder_, "GT", x, y), x, y); }

  GenerateOptions options_;
  Random random_;
  std::unique_ptr<Module> module_;
  Builder builder_;
  std::vector<Value*> values_;
};

}  // namespace

std::unique_ptr<Module> generate(const GenerateOptions& options) { return Generator(options).run(); }

}  // namespace stele
