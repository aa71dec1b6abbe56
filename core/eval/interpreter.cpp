#include "core/eval/interpreter.h"

#include <unistd.h>

#include <cstring>
#include <new>
#include <set>
#include <unordered_map>

#include "core/ops/checks.h"
#include "core/eval/loop_evaluator.h"
#include "core/ops/rules.h"

namespace stele {
namespace {

constexpr int max_call_depth = 100;

// Binds the symbols of `type` to `sizes` where a dim is a symbol, or a linear expression of one that is not bound yet.
bool bind_dim(const Dim& dim, int64_t size, Binding& binding) {
  if (is_unknown_size(dim)) return true;
  std::set<std::string> symbols;
  dim.collect_symbols(symbols);
  std::erase_if(symbols, [&](const std::string& s) { return binding.count(s) > 0; });
  if (symbols.size() != 1) return symbols.empty();
  const std::string& symbol = *symbols.begin();
  const auto at = [&](int64_t value) {
    Binding trial = binding;
    trial[symbol] = value;
    return dim.evaluate(trial);
  };
  int64_t value = size;
  if (dim != Dim::symbol(symbol)) {
    const int64_t base = at(0), slope = at(1) - base;
    if (slope == 0) return false;
    value = (size - base) / slope;
    if (at(value) != size) return false;
  }
  binding[symbol] = value;
  return true;
}

std::string argument_name(const Function& function, unsigned i) {
  const std::string& name = function.body().argument(i)->name();
  return name.empty() ? fmt::format("input {}", i) : fmt::format("input '{}'", name);
}

void check_input(const Function& function, unsigned i, const Tensor& input) {
  const Type& type = function.body().argument(i)->type();
  if (!type.is_tensor()) return;
  const bool fits = input.dtype() == type.dtype || (is_float(type.dtype) && input.dtype() == DType::f64);
  if (!input.present() || input.rank() != type.rank() || !fits) {
    fail("{} has type {}, expected {}", argument_name(function, i), input.present() ? input.type().str() : "none", type.str());
  }
}

class Interpreter : public EvalContext {
 public:
  Interpreter(const Module& module, const EvalOptions& options) : module_(module), options_(options) {}

  std::vector<Tensor> run_function(const Function& function, const std::vector<Tensor>& inputs, Binding binding);

  const Binding& binding() const override { return frame_->binding; }
  bool wide() const override { return options_.wide; }
  std::vector<Tensor> run_region(const Region& region, const std::vector<Tensor>& arguments) override;
  std::vector<Tensor> call(std::string_view function, const std::vector<Tensor>& arguments) override;
  std::vector<Tensor> run_kernel(const Operation& op, const std::vector<Tensor>& operands) override;
  void count_bytes(const Operation& kernel, int64_t read, int64_t written) override;

 private:
  // One activation of a function.
  struct Frame {
    Binding binding;
    std::unordered_map<const Value*, Tensor> values;
    std::vector<std::byte> arena;
  };

  // Values of a function's body that no op after a given one uses.
  using LastUses = std::unordered_map<const Operation*, std::vector<const Value*>>;

  const OpDef& definition(const Operation& op);
  const LastUses& last_uses(const Region& body);
  std::vector<Tensor> execute(const Operation& op);
  std::vector<Tensor> evaluate_op(const Operation& op, const std::vector<Tensor>& operands);
  void check_memory(const Operation& op) const;
  void check_result(const Operation& op, unsigned i, const Tensor& result);
  void place(const Operation& op, std::vector<Tensor>& results);
  bool in_arena(const Tensor& tensor) const;

  const Module& module_;
  const EvalOptions& options_;
  Frame* frame_ = nullptr;
  int depth_ = 0;
  std::unordered_map<const Operation*, const OpDef*> definitions_;
  std::unordered_map<const Region*, LastUses> last_uses_;
};

const OpDef& Interpreter::definition(const Operation& op) {
  const OpDef*& found = definitions_[&op];
  if (!found) found = &op_def(op);
  if (!found->evaluate) fail("{}: has no reference semantics", op.describe());
  return *found;
}

const Interpreter::LastUses& Interpreter::last_uses(const Region& body) {
  auto [entry, fresh] = last_uses_.try_emplace(&body);
  if (!fresh) return entry->second;
  std::unordered_map<const Value*, const Operation*> last;
  for (const Operation& op : body) {
    const auto note = [&](const Operation& user) {
      for (const Value* operand : user.operands()) last[operand] = &op;
    };
    note(op);
    for (unsigned i = 0; i < op.region_count(); ++i) walk(op.region(i), note);
    for (const Value* result : op.results()) last.try_emplace(result, &op);
  }
  for (const auto& [value, op] : last) {
    if (value->definition() ? value->definition()->parent() == &body : value->argument_of() == &body) {
      entry->second[op].push_back(value);
    }
  }
  return entry->second;
}

std::vector<Tensor> Interpreter::run_function(const Function& function, const std::vector<Tensor>& inputs, Binding binding) {
  if (depth_ >= max_call_depth) fail("function '@{}': calls are nested deeper than {}", function.name(), max_call_depth);
  Frame frame;
  frame.binding = std::move(binding);
  // The reference has wider elements than the plan was made for: it lives outside the arena.
  const auto arena = function.attributes().find("arena");
  if (arena != function.attributes().end() && !wide()) {
    const Shape* size = arena->second.get<Shape>();
    if (!size || size->size() != 1) fail("function '@{}': attribute 'arena' is not one size", function.name());
    const Tensor bytes(DType::u8, {(*size)[0].evaluate(frame.binding)});  // refuses absurd sizes
    frame.arena.resize(bytes.size_bytes());
  }
  Frame* const caller = std::exchange(frame_, &frame);
  ++depth_;
  const bool is_top = depth_ == 1;
  std::vector<Tensor> results;
  try {
    const Region& body = function.body();
    for (unsigned i = 0; i < inputs.size(); ++i) {
      const Type& type = body.argument(i)->type();
      frame.values[body.argument(i)] = inputs[i].present() ? inputs[i].converted(widened(type.dtype)) : inputs[i];
    }
    const LastUses& last = last_uses(body);
    for (const Operation& op : body) {
      results = execute(op);
      if (is_top && options_.on_op) options_.on_op(op, results);
      if (auto dead = last.find(&op); dead != last.end()) {
        for (const Value* value : dead->second) frame.values.erase(value);
      }
    }
    for (Tensor& result : results) {
      if (in_arena(result)) result = own_copy(result);
    }
  } catch (...) {
    frame_ = caller;
    --depth_;
    throw;
  }
  frame_ = caller;
  --depth_;
  return results;
}

std::vector<Tensor> Interpreter::run_region(const Region& region, const std::vector<Tensor>& arguments) {
  if (arguments.size() != region.argument_count()) {
    fail("region is given {} arguments, expected {}", arguments.size(), region.argument_count());
  }
  for (unsigned i = 0; i < arguments.size(); ++i) frame_->values[region.argument(i)] = arguments[i];
  std::vector<Tensor> results;
  for (const Operation& op : region) results = execute(op);
  return results;
}

std::vector<Tensor> Interpreter::call(std::string_view name, const std::vector<Tensor>& arguments) {
  const Function* function = module_.function(name);
  if (!function) fail("function '@{}' is not in the module", name);
  // The callee's symbols are what its arguments say; those it shares with the caller alone stay.
  Binding binding = frame_->binding;
  for (const auto& [symbol, value] : bind(*function, arguments)) binding[symbol] = value;
  return run_function(*function, arguments, std::move(binding));
}

std::vector<Tensor> Interpreter::execute(const Operation& op) {
  std::vector<Tensor> operands;
  operands.reserve(op.operand_count());
  for (const Value* operand : op.operands()) {
    if (operand->type().is_none()) {
      operands.emplace_back();
      continue;
    }
    auto found = frame_->values.find(operand);
    if (found == frame_->values.end()) fail("{}: an operand has no value", op.describe());
    operands.push_back(found->second);
  }
  std::vector<Tensor> results = evaluate_op(op, operands);
  if (op.result_count() == 0) return results;  // a terminator's are its operands
  if (results.size() != op.result_count()) {
    fail("{}: gives {} results, expected {}", op.describe(), results.size(), op.result_count());
  }
  for (unsigned i = 0; i < results.size(); ++i) check_result(op, i, results[i]);
  if (!frame_->arena.empty()) place(op, results);
  for (unsigned i = 0; i < results.size(); ++i) frame_->values[op.result(i)] = results[i];
  return results;
}

std::vector<Tensor> Interpreter::evaluate_op(const Operation& op, const std::vector<Tensor>& operands) {
  const auto named = [&](const std::string& message) {
    return message.starts_with(op.name()) ? message : op.describe() + ": " + message;
  };
  check_memory(op);
  try {
    return definition(op).evaluate(op, operands, *this);
  } catch (const CheckFailed&) {
    throw;
  } catch (const Unavailable& error) {
    throw Unavailable(named(error.what()));
  } catch (const std::bad_alloc&) {
    throw Error(op.describe() + ": there is not enough memory for its results");
  } catch (const Error& error) {
    // The innermost op names itself; those around it only pass the message on.
    if (op.region_count() > 0 && std::string(error.what()).find(": ") != std::string::npos) throw;
    throw Error(named(error.what()));
  }
}

// Refuses what this machine could not hold before it is asked for: a size is a few digits in a file.
void Interpreter::check_memory(const Operation& op) const {
  static const double most = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  for (unsigned i = 0; i < op.result_count(); ++i) {
    const Type& type = op.result(i)->type();
    if (!type.is_tensor() || type.shape.empty()) continue;
    double bytes = size_bytes(widened(type.dtype));
    for (const Dim& dim : type.shape) bytes *= dim.is_static() ? static_cast<double>(dim.value()) : 1.0;
    if (bytes > most) fail("{}: result {} of type {} is more than this machine's memory", op.describe(), i, type.str());
  }
}

void Interpreter::check_result(const Operation& op, unsigned i, const Tensor& result) {
  const Type& type = op.result(i)->type();
  if (!type.is_tensor()) return;
  bool fits = result.present() && result.rank() == type.rank() && result.dtype() == widened(type.dtype);
  for (int axis = 0; fits && axis < type.rank(); ++axis) {
    const Dim& dim = type.shape[axis];
    // A symbol without a value is a size that only the run tells: this one, from here on.
    if (!dim.is_static() && dim == Dim::symbol(dim.str())) frame_->binding.try_emplace(dim.str(), result.sizes()[axis]);
    fits = is_unknown_size(dim) || dim.evaluate(frame_->binding) == result.sizes()[axis];
  }
  if (!fits) fail("{}: result {} has type {}, expected {}", op.describe(), i, result.present() ? result.type().str() : "none", type.str());
}

bool Interpreter::in_arena(const Tensor& tensor) const {
  const auto& arena = frame_->arena;
  return !arena.empty() && tensor.present() && tensor.data() >= arena.data() && tensor.data() < arena.data() + arena.size();
}

// Puts results where the plan has them. What is not placed has memory of its own, unless it is a view.
void Interpreter::place(const Operation& op, std::vector<Tensor>& results) {
  if (!op.parent() || op.parent()->parent_op()) return;
  const Shape offsets = op.get_or<Shape>("placement", {});
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor& result = results[i];
    const int64_t offset = i < offsets.size() ? offsets[i].evaluate(frame_->binding) : -1;
    if (offset < 0) {
      if (in_arena(result) && !has(definition(op).traits, Trait::view)) result = own_copy(result);
      continue;
    }
    const uint64_t size = frame_->arena.size(), bytes = result.size_bytes();
    if (static_cast<uint64_t>(offset) > size || bytes > size - static_cast<uint64_t>(offset)) {
      fail("{}: placed at {} with {} bytes, outside the arena of {}", op.describe(), offset, bytes, size);
    }
    Tensor placed = Tensor::view(result.dtype(), result.sizes(), frame_->arena.data() + offset);
    if (bytes > 0) std::memmove(placed.mutable_data(), result.data(), bytes);
    result = std::move(placed);
  }
}

std::vector<Tensor> Interpreter::run_kernel(const Operation& op, const std::vector<Tensor>& operands) {
  std::vector<Tensor> results;
  for (unsigned i = 0; i < op.result_count(); ++i) results.push_back(make_result(op, i));
  if (op.is("loop.kernel")) {
    run_loop_kernel(op, operands, results, *this, options_.traffic != nullptr);
    return results;
  }
  if (!options_.runner) throw Unavailable(op.describe() + ": machine code needs a runner, and there is none");
  if (wide()) fail("{}: machine code cannot be evaluated in f64", op.describe());
  options_.runner->run(module_, op, operands, results, binding());
  return results;
}

void Interpreter::count_bytes(const Operation& kernel, int64_t read, int64_t written) {
  if (!options_.traffic) return;
  KernelTraffic& traffic = (*options_.traffic)[kernel.id()];
  traffic.read += read;
  traffic.written += written;
}

}  // namespace

Binding bind(const Function& function, const std::vector<Tensor>& inputs, const Binding& given) {
  const Region& body = function.body();
  if (inputs.size() != body.argument_count()) {
    fail("function '@{}' is given {} inputs, expected {}", function.name(), inputs.size(), body.argument_count());
  }
  Binding binding = given;
  for (unsigned i = 0; i < inputs.size(); ++i) check_input(function, i, inputs[i]);
  // Twice: an expression may be given before the symbol that it is of.
  for (int round = 0; round < 2; ++round) {
    for (unsigned i = 0; i < inputs.size(); ++i) {
      const Type& type = body.argument(i)->type();
      if (!type.is_tensor()) continue;
      for (int axis = 0; axis < type.rank(); ++axis) bind_dim(type.shape[axis], inputs[i].sizes()[axis], binding);
    }
  }
  for (unsigned i = 0; i < inputs.size(); ++i) {
    const Type& type = body.argument(i)->type();
    if (!type.is_tensor()) continue;
    std::vector<int64_t> expected;
    for (int axis = 0; axis < type.rank(); ++axis) {
      expected.push_back(is_unknown_size(type.shape[axis]) ? inputs[i].sizes()[axis] : type.shape[axis].evaluate(binding));
    }
    if (expected != inputs[i].sizes()) {
      fail("{} has sizes {}, expected {} of type {}", argument_name(function, i), str(inputs[i].sizes()), str(expected), type.str());
    }
  }
  for (const auto& [symbol, bounds] : function.module().symbols) {
    const auto found = binding.find(symbol);
    if (found != binding.end() && (found->second < bounds.min || found->second > bounds.max)) {
      fail("dimension '{}' is {}, expected {} to {}", symbol, found->second, bounds.min, bounds.max);
    }
  }
  return binding;
}

std::vector<Tensor> run(const Module& module, const std::vector<Tensor>& inputs, const EvalOptions& options) {
  const Function& main = module.main();
  return run(module, main, inputs, bind(main, inputs), options);
}

std::vector<Tensor> run(const Module& module, const Function& function, const std::vector<Tensor>& inputs,
                        const Binding& binding, const EvalOptions& options) {
  const Binding bound = bind(function, inputs, binding);
  return Interpreter(module, options).run_function(function, inputs, bound);
}

}  // namespace stele
