#include "core/ops/shape_values.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/ops/op_def.h"

namespace stele {
namespace {

using Known = std::optional<Shape>;

constexpr int64_t max_elements = 1024;
constexpr int max_depth = 256;
constexpr size_t max_text = 2000;  // of one dim: x*x*x… would double at every op

bool is_small(const Dim& dim) { return dim.is_static() || dim.str().size() <= max_text; }

Known of_tensor(const Tensor& tensor) {
  if (is_float(tensor.dtype()) || is_complex(tensor.dtype()) || tensor.elements() > max_elements) return std::nullopt;
  Shape dims;
  for (int64_t i = 0; i < tensor.elements(); ++i) dims.push_back(Dim(tensor.get_int(i)));
  return dims;
}

// What evaluates small ops without a run: no symbols, no regions.
class NoContext : public EvalContext {
 public:
  const Binding& binding() const override { return none_; }
  bool wide() const override { return false; }
  std::vector<Tensor> run_region(const Region&, const std::vector<Tensor>&) override { fail("no region runs here"); }
  std::vector<Tensor> call(std::string_view, const std::vector<Tensor>&) override { fail("no call runs here"); }
  std::vector<Tensor> run_kernel(const Operation&, const std::vector<Tensor>&) override { fail("no kernel runs here"); }
  void count_bytes(const Operation&, int64_t, int64_t) override {}

 private:
  Binding none_;
};

// Values that constants alone decide, by the ops' own evaluators: however an exporter wrote them, floats included.
class Fixed {
 public:
  // Null where an operand is not fixed, the op has an effect or a region, or something is too large.
  const Tensor* of(const Value* value, int depth) {
    if (const Tensor* constant = constant_of(value)) return constant;
    const Operation* op = value->definition();
    if (!op || depth > max_depth) return nullptr;
    if (!seen_.count(op)) seen_[op] = compute(*op, depth);
    const std::vector<Tensor>& results = seen_[op];
    return value->index() < results.size() ? &results[value->index()] : nullptr;
  }

 private:
  std::vector<Tensor> compute(const Operation& op, int depth) {
    const OpDef* def = find_op(op.name());
    if (!def || def->level != Level::framework || !has(def->traits, Trait::pure) || !def->evaluate || op.region_count() > 0) return {};
    for (const Value* result : op.results()) {
      if (!result->type().is_tensor() || !is_static(result->shape()) || result->type().elements().value() > max_elements) return {};
    }
    std::vector<Tensor> operands;
    for (const Value* operand : op.operands()) {
      const Tensor* tensor = operand->type().is_none() ? nullptr : of(operand, depth + 1);
      if (!operand->type().is_none() && (!tensor || tensor->elements() > max_elements)) return {};
      operands.push_back(tensor ? *tensor : Tensor());
    }
    NoContext context;
    try {
      return def->evaluate(op, operands, context);
    } catch (const Error&) {
      return {};  // the run will say so, if it comes to it
    }
  }

  std::map<const Operation*, std::vector<Tensor>> seen_;
};

// Follows a chain of ops backwards, each value once.
class Follower {
 public:
  Known of(const Value* value, int depth = 0) {
    if (!value || depth > max_depth) return std::nullopt;
    if (auto found = seen_.find(value); found != seen_.end()) return found->second;
    Known known = compute(value, depth);
    if (known && (static_cast<int64_t>(known->size()) > max_elements || !std::all_of(known->begin(), known->end(), is_small))) {
      known.reset();
    }
    seen_[value] = known;
    return known;
  }

 private:
  using Compute = Known (Follower::*)(const Operation& op, int depth);

  Known compute(const Value* value, int depth) {
    if (const Tensor* constant = constant_of(value)) return of_tensor(*constant);
    const Operation* op = value->definition();
    if (!op) return std::nullopt;
    if (const Tensor* fixed = fixed_.of(value, depth)) return of_tensor(*fixed);
    if (op->is("onnx.Split")) return split(*op, value->index(), depth);
    static const std::map<std::string, Compute, std::less<>> table = {
        {"onnx.Shape", &Follower::shape},         {"onnx.Size", &Follower::size},
        {"onnx.Identity", &Follower::same},       {"onnx.Cast", &Follower::cast},
        {"onnx.Unsqueeze", &Follower::same},      {"onnx.Squeeze", &Follower::same},
        {"onnx.Reshape", &Follower::same},        {"onnx.Flatten", &Follower::same},
        {"onnx.Concat", &Follower::concat},       {"onnx.Gather", &Follower::gather},
        {"onnx.Slice", &Follower::slice},         {"onnx.Where", &Follower::where},
        {"onnx.ConstantOfShape", &Follower::fill}, {"onnx.Range", &Follower::range},
        {"onnx.Expand", &Follower::expand},       {"onnx.ReduceProd", &Follower::product},
        {"onnx.Equal", &Follower::arithmetic},    {"onnx.Add", &Follower::arithmetic},
        {"onnx.Sub", &Follower::arithmetic},      {"onnx.Mul", &Follower::arithmetic},
        {"onnx.Div", &Follower::arithmetic},      {"onnx.Mod", &Follower::arithmetic},
        {"onnx.Max", &Follower::arithmetic},      {"onnx.Min", &Follower::arithmetic},
        {"onnx.Neg", &Follower::negate},
    };
    const auto found = table.find(op->name());
    return found == table.end() ? std::nullopt : (this->*found->second)(*op, depth + 1);
  }

  // Of rank 1 or 0, where the order of elements is the whole story.
  static bool flat(const Value* value) { return value->type().is_tensor() && value->rank() <= 1; }

  Known shape(const Operation& op, int) {
    const Type& type = op.operand(0)->type();
    if (!type.is_tensor()) return std::nullopt;
    const int64_t rank = type.rank();
    auto bound = [&](std::string_view name, int64_t otherwise) {
      const int64_t at = op.get_or<int64_t>(name, otherwise);
      return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const int64_t start = bound("start", 0), end = std::max(start, bound("end", rank));
    return Shape(type.shape.begin() + start, type.shape.begin() + end);
  }

  Known size(const Operation& op, int) {
    if (!op.operand(0)->type().is_tensor()) return std::nullopt;
    return Shape{op.operand(0)->type().elements()};
  }

  Known same(const Operation& op, int depth) { return of(op.operand(0), depth); }

  Known cast(const Operation& op, int depth) {
    const Type& type = op.result()->type();
    // A cast to a float ends the chain, one to a boolean or a narrow integer may change the value.
    if (type.is_tensor() && type.dtype != DType::i64 && type.dtype != DType::i32) return std::nullopt;
    return type.is_tensor() ? of(op.operand(0), depth) : std::nullopt;
  }

  Known concat(const Operation& op, int depth) {
    Shape all;
    for (const Value* part : op.operands()) {
      const Known known = of(part, depth);
      if (!known || !flat(part)) return std::nullopt;
      all.insert(all.end(), known->begin(), known->end());
      if (static_cast<int64_t>(all.size()) > max_elements) return std::nullopt;
    }
    return all;
  }

  Known gather(const Operation& op, int depth) {
    const Known from = of(op.operand(0), depth), indices = of(op.operand(1), depth);
    if (!from || !indices || !flat(op.operand(0))) return std::nullopt;
    Shape picked;
    for (const Dim& index : *indices) {
      if (!index.is_static()) return std::nullopt;
      const int64_t size = static_cast<int64_t>(from->size());
      const int64_t at = index.value() < 0 ? index.value() + size : index.value();
      if (at < 0 || at >= size) return std::nullopt;
      picked.push_back((*from)[static_cast<size_t>(at)]);
    }
    return picked;
  }

  Known slice(const Operation& op, int depth) {
    if (op.operand_count() < 3 || !flat(op.operand(0))) return std::nullopt;
    const Known from = of(op.operand(0), depth), start = of(op.operand(1), depth), end = of(op.operand(2), depth);
    Known step = Shape{1};
    if (op.operand_count() > 4 && !op.operand(4)->type().is_none()) step = of(op.operand(4), depth);
    for (const Known& known : {start, end, step}) {
      if (!known || known->size() != 1 || !known->front().is_static()) return std::nullopt;
    }
    if (!from || step->front().value() != 1) return std::nullopt;
    const int64_t size = static_cast<int64_t>(from->size());
    auto clamp = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size); };
    const int64_t first = clamp(start->front().value()), last = std::max(first, clamp(end->front().value()));
    return Shape(from->begin() + first, from->begin() + last);
  }

  Known split(const Operation& op, unsigned part, int depth) {
    const Known from = of(op.operand(0), depth);
    if (!from || !flat(op.operand(0))) return std::nullopt;
    size_t begin = 0;
    for (unsigned i = 0; i <= part; ++i) {
      const Type& type = op.result(i)->type();
      if (!type.is_tensor() || type.rank() != 1 || !type.shape[0].is_static()) return std::nullopt;
      const size_t length = static_cast<size_t>(type.shape[0].value());
      if (begin + length > from->size()) return std::nullopt;
      if (i == part) return Shape(from->begin() + static_cast<long>(begin), from->begin() + static_cast<long>(begin + length));
      begin += length;
    }
    return std::nullopt;
  }

  Known where(const Operation& op, int depth) {
    const Known condition = of(op.operand(0), depth), yes = of(op.operand(1), depth), no = of(op.operand(2), depth);
    if (!condition || !yes || !no) return std::nullopt;
    const size_t count = std::max({condition->size(), yes->size(), no->size()});
    Shape result;
    for (size_t i = 0; i < count; ++i) {
      const Dim* c = at(*condition, i, count);
      const Dim* value = !c || !c->is_static() ? nullptr : at(c->value() != 0 ? *yes : *no, i, count);
      if (!value) return std::nullopt;
      result.push_back(*value);
    }
    return result;
  }

  Known fill(const Operation& op, int depth) {
    const Known sizes = of(op.operand(0), depth);
    if (!sizes || sizes->size() > 1 || !is_static(*sizes)) return std::nullopt;
    const int64_t count = sizes->empty() ? 1 : sizes->front().value();
    if (count < 0 || count > max_elements) return std::nullopt;
    const Attribute* value = op.attribute("value");
    const Tensor* tensor = value ? value->get<Tensor>() : nullptr;
    if (!tensor || tensor->elements() != 1 || is_float(tensor->dtype())) return std::nullopt;
    return Shape(static_cast<size_t>(count), Dim(tensor->get_int(0)));
  }

  Known range(const Operation& op, int depth) {
    int64_t limits[3];
    for (unsigned i = 0; i < 3; ++i) {
      const Known known = of(op.operand(i), depth);
      if (!known || known->size() != 1 || !known->front().is_static()) return std::nullopt;
      limits[i] = known->front().value();
    }
    const auto [start, end, step] = limits;
    if (step == 0 || std::abs(start) > (1 << 30) || std::abs(end) > (1 << 30)) return std::nullopt;
    Shape result;
    for (int64_t at = start; (step > 0 ? at < end : at > end) && static_cast<int64_t>(result.size()) <= max_elements; at += step) {
      result.push_back(Dim(at));
    }
    return result;
  }

  Known expand(const Operation& op, int depth) {
    const Known from = of(op.operand(0), depth), sizes = of(op.operand(1), depth);
    if (!from || from->size() != 1 || !sizes || sizes->size() > 1 || !is_static(*sizes)) return std::nullopt;
    const int64_t count = sizes->empty() ? 1 : sizes->front().value();
    if (count < 0 || count > max_elements) return std::nullopt;
    return Shape(static_cast<size_t>(count), from->front());
  }

  Known product(const Operation& op, int depth) {
    const Known from = of(op.operand(0), depth);
    if (!from || !flat(op.operand(0))) return std::nullopt;
    return Shape{element_count(*from)};
  }

  Known negate(const Operation& op, int depth) {
    Known known = of(op.operand(0), depth);
    if (!known) return std::nullopt;
    for (Dim& dim : *known) dim = Dim(0) - dim;
    return known;
  }

  Known arithmetic(const Operation& op, int depth) {
    if (op.operand_count() != 2) return std::nullopt;
    const Known a = of(op.operand(0), depth), b = of(op.operand(1), depth);
    if (!a || !b) return std::nullopt;
    const size_t count = a->size() == 1 ? b->size() : a->size();
    Shape result;
    for (size_t i = 0; i < count; ++i) {
      const Dim* x = at(*a, i, count);
      const Dim* y = at(*b, i, count);
      const std::optional<Dim> value = x && y ? combine(op.name(), *x, *y) : std::nullopt;
      if (!value) return std::nullopt;
      result.push_back(*value);
    }
    return result;
  }

  static const Dim* at(const Shape& dims, size_t i, size_t count) {
    if (dims.size() == count) return &dims[i];
    return dims.size() == 1 ? &dims[0] : nullptr;
  }

  static std::optional<Dim> combine(const std::string& name, const Dim& a, const Dim& b) {
    if (name == "onnx.Add") return a + b;
    if (name == "onnx.Sub") return a - b;
    if (name == "onnx.Mul") return a * b;
    if (name == "onnx.Max") return Dim::max(a, b);
    if (name == "onnx.Min") return Dim::min(a, b);
    if (name == "onnx.Equal") return equal(a, b);
    // Rounding differs below zero (ONNX truncates), and only sizes are sure to be above it.
    if (!b.is_static() || b.value() <= 0 || (a.is_static() && a.value() < 0)) {
      return name == "onnx.Div" && !b.is(0) ? Dim::exact_div(a, b) : std::nullopt;
    }
    return name == "onnx.Div" ? Dim::floor_div(a, b) : Dim::mod(a, b);
  }

  // A size is never negative, so an expression of sizes without a minus never equals a negative number.
  static bool not_negative(const Dim& dim) { return dim.is_static() ? dim.value() >= 0 : dim.str().find('-') == std::string::npos; }

  static std::optional<Dim> equal(const Dim& a, const Dim& b) {
    if (a == b) return Dim(1);
    if (a.is_static() && b.is_static()) return Dim(0);
    if (a.is_static() && a.value() < 0 && not_negative(b)) return Dim(0);
    if (b.is_static() && b.value() < 0 && not_negative(a)) return Dim(0);
    return std::nullopt;
  }

  std::map<const Value*, Known> seen_;
  Fixed fixed_;
};

}  // namespace

std::optional<Shape> known_dims(const Value* value) { return Follower().of(value); }

}  // namespace stele
