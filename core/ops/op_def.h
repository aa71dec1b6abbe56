// An op is one record in one place: name, operands, attributes, verifier, shape inference, reference semantics, gradient,
// decomposition, cost. Every record stands in core/ops/<family>.cpp and has one line in core/ops/all_ops.cpp.
#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ir/builder.h"
#include "core/ir/ir.h"
#include "core/ir/tensor.h"

namespace stele {

// The ladder of design.md. A module may mix levels.
enum class Level : uint8_t { framework, tensor, kernel, loop, llvm, machine };
std::string_view name(Level level);

enum class Trait : uint32_t {
  none = 0,
  pure = 1 << 0,          // no effect but its results: may be merged, removed, reordered
  elementwise = 1 << 1,   // result element i depends on operand elements i alone; also valid on scalars and vectors
  commutative = 1 << 2,   // op(a, b) is bit for bit op(b, a)
  movement = 1 << 3,      // moves or repeats elements, computes none
  view = 1 << 4,          // a reshape or bitcast: no kernel, no bytes
  reduction = 1 << 5,
  contraction = 1 << 6,   // dot_general, convolution
  terminator = 1 << 7,
  constant = 1 << 8,
  isolated = 1 << 9,      // its regions use no value from outside but their arguments
};
constexpr Trait operator|(Trait a, Trait b) { return static_cast<Trait>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b)); }
constexpr bool has(Trait set, Trait bit) { return (static_cast<uint32_t>(set) & static_cast<uint32_t>(bit)) != 0; }

struct OperandDef {
  std::string_view name;
  enum Kind { one, optional, variadic } kind = one;  // variadic: only the last
};

struct AttributeDef {
  std::string_view name;
  std::string_view meaning;  // kind and default, for people: "i64, default 1"
  bool required = false;
};

// A function, or the stated reason why there is none.
template <typename Function>
class Aspect {
 public:
  Aspect() = default;  // unset: a test over the registry refuses it
  Aspect(Function* function) : value_(function) {}  // NOLINT
  static Aspect absent(std::string_view reason) {
    Aspect aspect;
    aspect.value_ = reason;
    return aspect;
  }
  Function* function() const {
    auto found = std::get_if<Function*>(&value_);
    return found ? *found : nullptr;
  }
  std::string_view reason() const {
    auto found = std::get_if<std::string_view>(&value_);
    return found ? *found : std::string_view();
  }
  bool set() const { return value_.index() != 0; }

 private:
  std::variant<std::monostate, Function*, std::string_view> value_;
};

// What an op asks of whoever evaluates it (core/eval/interpreter.h implements it).
class EvalContext {
 public:
  virtual ~EvalContext() = default;
  virtual const Binding& binding() const = 0;  // values of the symbolic dims
  // True: every float is evaluated as f64 (the float64 reference), whatever the types say.
  virtual bool wide() const = 0;
  virtual std::vector<Tensor> run_region(const Region& region, const std::vector<Tensor>& arguments) = 0;
  virtual std::vector<Tensor> call(std::string_view function, const std::vector<Tensor>& arguments) = 0;
  // Runs an op that is machine code or LLVM IR. Throws Unavailable where no runner is there.
  virtual std::vector<Tensor> run_kernel(const Operation& op, const std::vector<Tensor>& operands) = 0;
  // Bytes a loop-level op moved from and to memory outside its kernel, distinct bytes once each.
  virtual void count_bytes(const Operation& kernel, int64_t read, int64_t written) = 0;

  // The dtype results of `dtype` have here: f64 for floats when wide.
  DType widened(DType dtype) const { return wide() && is_float(dtype) ? DType::f64 : dtype; }
  // Sizes of result i of op under the binding; requires a tensor type.
  std::vector<int64_t> sizes(const Operation& op, unsigned i = 0) const { return evaluate(op.result(i)->shape(), binding()); }
  // A zeroed tensor for result i.
  Tensor make_result(const Operation& op, unsigned i = 0) const { return Tensor(widened(op.result(i)->dtype()), sizes(op, i)); }
};

// What one run of the op costs if it is lowered as it stands (design.md, "The scoreboard"). Symbolic where dims are.
struct Cost {
  Dim kernels = 1;
  Dim flops = 0;
  Dim bytes_read = 0;     // distinct bytes, off chip
  Dim bytes_written = 0;
};

using VerifyFunction = void(const Operation& op);                    // throws Error with the constraint's label
using InferFunction = std::vector<Type>(const Operation& op);        // result types from operands and attributes; throws Error
using EvaluateFunction = std::vector<Tensor>(const Operation& op, const std::vector<Tensor>& operands, EvalContext& context);
using GradientFunction = std::vector<Value*>(const Operation& op, const std::vector<Value*>& result_gradients, Builder& builder);
using DecomposeFunction = std::vector<Value*>(const Operation& op, Builder& builder);  // values replacing the results
using CostFunction = Cost(const Operation& op);
// An elementwise op on `count` registers: doubles for a float dtype, else int64 (sign- or zero-extended); y is null for a
// unary op. The result is not rounded or wrapped to the dtype yet. Throws Error where the dtype has no meaning.
using LaneFunction = void(DType dtype, int count, const void* x, const void* y, void* result);

struct OpDef {
  std::string_view name;
  std::string_view summary;
  Level level = Level::tensor;
  std::vector<OperandDef> operands = {};
  std::vector<AttributeDef> attributes = {};
  Trait traits = Trait::pure;
  VerifyFunction* verify = nullptr;
  InferFunction* infer = nullptr;
  EvaluateFunction* evaluate = nullptr;
  Aspect<GradientFunction> gradient = {};
  Aspect<DecomposeFunction> decompose = {};
  CostFunction* cost = nullptr;
  LaneFunction* lanes = nullptr;  // unary and binary elementwise ops: what loops compute with; the same function as evaluate
};

// Null where no such op is known.
const OpDef* find_op(std::string_view name);
// Throws Error naming the op, its node and domain where it is not known.
const OpDef& op_def(const Operation& op);
std::span<const OpDef* const> all_ops();  // sorted by name

bool has_trait(const Operation& op, Trait trait);  // false for an unknown op
// By definition, or by the prefix of the name where the op is unknown (framework).
Level level_of(const Operation& op);
// The level of a module: the lowest rung any op of its functions' own bodies stands on (mixed modules: the lowest).
Level level_of(const Module& module);

// Creates an op and gives its results the inferred types.
Operation* create_inferred(Builder& builder, std::string_view name, std::vector<Value*> operands, unsigned results,
                           Attributes attributes = {}, unsigned regions = 0);
Value* infer_value(Builder& builder, std::string_view name, std::vector<Value*> operands, Attributes attributes = {});

// The tensor of a value defined by a constant op (stablehlo.constant, onnx.Constant: attribute "value"); null otherwise.
const Tensor* constant_of(const Value* value);

// Structure (dominance, uses, terminators), then each op's own constraints. Throws Error naming the op; unknown framework
// ops pass, unknown ops of other levels do not.
void verify(const Module& module);

}  // namespace stele
