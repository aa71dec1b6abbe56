// A loop whose iterations read and write neighbouring elements becomes a loop over vectors of them and a loop over what
// remains. Loops inside it are kept, and carry vectors: so the columns of a matrix product are vectorized, not its sums.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/runtime/cpu.h"
#include "passes/lower/loops/vector_analysis.h"
#include "passes/lower/passes.h"

namespace stele {
namespace {

using loops::VectorAnalysis;

constexpr int64_t least_lanes = 4;

std::optional<int64_t> static_value(const Value* value) {
  const Operation* op = value->definition();
  if (!op || !op->is("loop.constant")) return std::nullopt;
  return op->get<Tensor>("value").get_int(0);
}

// Lanes for a loop of so many iterations; 0: too few.
int64_t lanes_for(const VectorAnalysis& analysis, std::optional<int64_t> trips) {
  int64_t lanes = cpu_vector_bytes() / std::max<int64_t>(analysis.widest(), 4);
  // The rows of a contraction share what one iteration loads: two registers of it keep the multipliers busy.
  if (analysis.has_inner_loop()) lanes *= 2;
  while (trips && lanes > *trips) lanes /= 2;
  return lanes >= least_lanes ? lanes : 0;
}

Tensor identity(const std::string& kind, DType dtype) {
  const bool floats = is_float(dtype);
  if (kind == "add" || kind == "or") return Tensor(dtype, {});
  if (kind == "multiply") return Tensor::scalar(dtype, 1);
  if (kind == "and") return Tensor::of_ints(dtype, {}, {dtype == DType::boolean ? 1 : -1});
  if (floats) return Tensor::scalar(dtype, kind == "maximum" ? -HUGE_VAL : HUGE_VAL);
  if (dtype == DType::boolean) return Tensor::of_ints(dtype, {}, {kind == "maximum" ? 0 : 1});
  const int bits = 8 * size_bytes(dtype);
  if (is_unsigned_int(dtype)) return Tensor::of_ints(dtype, {}, {kind == "maximum" ? 0 : -1});
  const int64_t least = bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1));
  return Tensor::of_ints(dtype, {}, {kind == "maximum" ? least : -(least + 1)});
}

// Writes the loop over vectors.
class Vectorizer {
 public:
  Vectorizer(Rewrite& rewrite, Operation& loop, const VectorAnalysis& analysis, int64_t lanes)
      : rewrite_(rewrite), loop_(loop), analysis_(analysis), lanes_(lanes) {}

  void run();

 private:
  Value* integer(int64_t value) {
    return rewrite_.create_value("loop.constant", {}, Type::index(), {{"value", Tensor::of_ints(DType::index, {}, {value})}});
  }
  Value* index_op(const char* name, Value* a, Value* b) { return rewrite_.create_value(name, {a, b}, Type::index()); }
  Type widened(const Value* value) const { return Type::vector(value->dtype(), lanes_); }
  Value* scalar(const Value* old);  // the same in the new loop; of an index, lane 0
  Value* vector(const Value* old);  // every lane of it
  void region(const Region& from);
  void op(const Operation& from);
  void inner_loop(const Operation& from);
  void copy(const Operation& from);
  std::vector<Value*> carried_identities();
  void finish(Operation* vector_loop, Value* middle, bool remains);

  Rewrite& rewrite_;
  Operation& loop_;
  const VectorAnalysis& analysis_;
  const int64_t lanes_;
  ValueMap scalars_, vectors_;
};

Value* Vectorizer::scalar(const Value* old) {
  auto found = scalars_.find(old);
  if (found != scalars_.end()) return found->second;
  return const_cast<Value*>(old);  // from outside of the loop
}

Value* Vectorizer::vector(const Value* old) {
  auto found = vectors_.find(old);
  if (found != vectors_.end()) return found->second;
  // An index as the iteration counts it: lane 0 and its followers; anything else is the same in every lane.
  const bool counts = analysis_.varies(old) && old->type() == Type::index();
  return rewrite_.create_value(counts ? "loop.lanes" : "loop.broadcast", {scalar(old)}, widened(old));
}

void Vectorizer::region(const Region& from) {
  for (const Operation& each : from) {
    if (!has_trait(each, Trait::terminator)) op(each);
  }
}

void Vectorizer::copy(const Operation& from) {
  ValueMap mapping = scalars_;
  Operation* made = rewrite_.clone(from, mapping);
  for (unsigned i = 0; i < from.result_count(); ++i) scalars_[from.result(i)] = made->result(i);
}

void Vectorizer::op(const Operation& from) {
  if (from.is("loop.for")) return inner_loop(from);
  const bool is_store = from.is("loop.store");
  if (is_store) {
    std::vector<Value*> operands = {vector(from.operand(0))};
    for (unsigned i = 1; i < from.operand_count(); ++i) operands.push_back(scalar(from.operand(i)));
    rewrite_.create("loop.store", operands, {});
    return;
  }
  const Value* result = from.result();
  if (!analysis_.varies(result)) return copy(from);
  if (from.is("loop.load")) {
    std::vector<Value*> operands;
    for (const Value* operand : from.operands()) operands.push_back(scalar(operand));
    vectors_[result] = rewrite_.create_value("loop.load", operands, widened(result));
    return;
  }
  if (result->type() == Type::index() && analysis_.slope(result) == 1) return copy(from);  // a subscript; lanes where asked for
  std::vector<Value*> operands;
  for (const Value* operand : from.operands()) operands.push_back(vector(operand));
  vectors_[result] = rewrite_.create_value(from.name(), operands, widened(result), from.attributes());
}

void Vectorizer::inner_loop(const Operation& from) {
  std::vector<Value*> operands = {scalar(from.operand(0)), scalar(from.operand(1))};
  std::vector<Type> types;
  for (unsigned i = 0; i < from.result_count(); ++i) {
    const bool varies = analysis_.varies(from.result(i));
    operands.push_back(varies ? vector(from.operand(i + 2)) : scalar(from.operand(i + 2)));
    types.push_back(operands.back()->type());
  }
  Operation* made = rewrite_.create("loop.for", operands, types, from.attributes(), 1);
  Region& body = made->region();
  const auto bind = [&](const Value* old, Value* value, bool varies) { (varies ? vectors_ : scalars_)[old] = value; };
  bind(from.region().argument(0), rewrite_.add_argument(body, Type::index()), false);
  for (unsigned i = 0; i < from.result_count(); ++i) {
    bind(from.region().argument(i + 1), rewrite_.add_argument(body, types[i]), analysis_.varies(from.result(i)));
  }
  rewrite_.at_end(body);
  region(from.region());
  std::vector<Value*> yielded;
  for (unsigned i = 0; i < from.result_count(); ++i) {
    const Value* old = from.region().terminator()->operand(i);
    yielded.push_back(analysis_.varies(from.result(i)) ? vector(old) : scalar(old));
  }
  rewrite_.create("loop.yield", yielded, {});
  rewrite_.after(made);
  for (unsigned i = 0; i < from.result_count(); ++i) bind(from.result(i), made->result(i), analysis_.varies(from.result(i)));
}

std::vector<Value*> Vectorizer::carried_identities() {
  std::vector<Value*> initial;
  for (unsigned i = 0; i < loop_.result_count(); ++i) {
    const DType dtype = loop_.result(i)->dtype();
    Value* one = rewrite_.create_value("loop.constant", {}, Type::scalar(dtype), {{"value", identity(analysis_.reductions()[i].kind, dtype)}});
    initial.push_back(rewrite_.create_value("loop.broadcast", {one}, Type::vector(dtype, lanes_)));
  }
  return initial;
}

void Vectorizer::run() {
  rewrite_.before(&loop_);
  const auto lower = static_value(loop_.operand(0)), upper = static_value(loop_.operand(1));
  Value* middle = nullptr;
  bool remains = true;
  if (lower && upper) {
    remains = (*upper - *lower) % lanes_ != 0;
    middle = remains ? integer(*upper - (*upper - *lower) % lanes_) : loop_.operand(1);
  } else {
    // Where the loop does not run at all the difference is negative, and so is its remainder: nothing runs still.
    Value* trips = index_op("stablehlo.subtract", loop_.operand(1), loop_.operand(0));
    Value* rest = index_op("stablehlo.remainder", trips, integer(lanes_));
    middle = index_op("stablehlo.subtract", loop_.operand(1), rest);
  }
  std::vector<Value*> operands = {loop_.operand(0), middle};
  std::vector<Type> types;
  for (Value* value : carried_identities()) {
    operands.push_back(value);
    types.push_back(value->type());
  }
  Attributes attributes = loop_.attributes();
  attributes["step"] = lanes_;
  Operation* made = rewrite_.create("loop.for", operands, types, attributes, 1);
  Region& body = made->region();
  scalars_[loop_.region().argument(0)] = rewrite_.add_argument(body, Type::index());
  for (unsigned i = 0; i < types.size(); ++i) vectors_[loop_.region().argument(i + 1)] = rewrite_.add_argument(body, types[i]);
  rewrite_.at_end(body);
  region(loop_.region());
  std::vector<Value*> yielded;
  for (unsigned i = 0; i < types.size(); ++i) yielded.push_back(vector(loop_.region().terminator()->operand(i)));
  rewrite_.create("loop.yield", yielded, {});
  finish(made, middle, remains);
}

// The old loop goes on from where the vectors end, with what they have combined; or is gone where nothing remains.
void Vectorizer::finish(Operation* vector_loop, Value* middle, bool remains) {
  rewrite_.after(vector_loop);
  for (unsigned i = 0; i < loop_.result_count(); ++i) {
    const std::string& kind = analysis_.reductions()[i].kind;
    const Type type = loop_.result(i)->type();
    Value* lanes = rewrite_.create_value("loop.reduce", {vector_loop->result(i)}, type, {{"kind", kind}});
    Value* combined = rewrite_.create_value("stablehlo." + kind, {loop_.operand(i + 2), lanes}, type);
    if (remains) {
      rewrite_.set_operand(&loop_, i + 2, combined);
    } else {
      rewrite_.replace_uses(loop_.result(i), combined);
    }
  }
  if (remains) {
    rewrite_.set_operand(&loop_, 0, middle);
    rewrite_.set_attribute(&loop_, "remainder", Unit());
  } else {
    rewrite_.erase(&loop_);
  }
}

// From the outside in: the first loop that can be vectorized is, and what lies in it is left alone.
void visit(PassContext& context, Region& region) {
  for (Operation* op : region.ops()) {
    if (!op->is("loop.for")) continue;
    if (context.rewriter.exhausted()) return;
    VectorAnalysis analysis(*op);
    std::optional<int64_t> trips;
    const auto lower = static_value(op->operand(0)), upper = static_value(op->operand(1));
    if (lower && upper) trips = *upper - *lower;
    const int64_t lanes = analysis.run() ? lanes_for(analysis, trips) : 0;
    if (lanes > 0) {
      context.rewriter.apply("vectorize-loop", {op}, [&](Rewrite& rewrite) { Vectorizer(rewrite, *op, analysis, lanes).run(); });
    } else if (!op->has("remainder")) {
      visit(context, op->region());
    }
  }
}

void run(PassContext& context) {
  for (const auto& function : context.module.functions()) {
    for (Operation& op : function->body()) {
      if (op.is("loop.kernel")) visit(context, op.region());
    }
  }
}

}  // namespace

const Pass vectorize = {
    .name = "vectorize",
    .summary = "innermost loops over neighbouring elements become loops over vectors",
    .stage = Stage::lower,
    .accepts = {Level::loop},
    .produces = {Level::loop},
    .contract = {.kind = Contract::reassociates},
    .rules = {{"vectorize-loop", "for i in [a, b) -> for i in [a, m) by the lanes, and for i in [m, b) for what remains"}},
    .run = run,
};

}  // namespace stele
