// A loop whose iterations read and write neighbouring elements becomes a loop over vectors of them and a loop over what
// remains. Loops inside it are kept, and carry vectors: so the columns of a matrix product are vectorized, not its sums.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/runtime/cpu.h"
#include "passes/lower/passes.h"

namespace stele {
namespace {

constexpr int64_t least_lanes = 4;

// A carried value that is combined with something new in each iteration, and the op that does.
struct Reduction {
  std::string kind;  // of loop.reduce
  Operation* combine = nullptr;
};

// Whether a loop can be vectorized, and how: which of its values differ by lane.
class Analysis {
 public:
  explicit Analysis(Operation& loop) : loop_(loop), iv_(loop.region().argument(0)) {}

  bool run() {
    if (loop_.get_or<int64_t>("step", 1) != 1 || loop_.has("remainder")) return false;
    varying_.insert(iv_);
    if (!find_reductions()) return false;
    // Carried values of inner loops may turn out to vary only at their ends: until nothing changes.
    size_t before = 0;
    do {
      before = varying_.size();
      if (!scan(loop_.region())) return false;
    } while (varying_.size() != before);
    return check(loop_.region()) && accesses_ > 0 && no_hazard();
  }

  bool varies(const Value* value) const { return varying_.contains(value); }
  // The factor of iv in an index; nothing where it is not linear.
  std::optional<int64_t> slope(const Value* index) const;
  const std::vector<Reduction>& reductions() const { return reductions_; }
  int64_t widest() const { return widest_; }
  bool has_inner_loop() const { return inner_loops_ > 0; }

 private:
  bool find_reductions();
  bool scan(const Region& region);
  bool check(const Region& region);
  bool check_op(const Operation& op);
  bool check_access(const Operation& op, unsigned buffer);
  bool no_hazard() const;

  Operation& loop_;
  const Value* iv_;
  std::set<const Value*> varying_;
  std::vector<Reduction> reductions_;
  std::set<const Operation*> combines_;
  std::map<const Value*, std::vector<const Operation*>> loads_, stores_;
  int accesses_ = 0, inner_loops_ = 0;
  int64_t widest_ = 1;
};

bool Analysis::find_reductions() {
  static const std::map<std::string, std::string, std::less<>> kinds = {
      {"stablehlo.add", "add"}, {"stablehlo.multiply", "multiply"}, {"stablehlo.maximum", "maximum"},
      {"stablehlo.minimum", "minimum"}, {"stablehlo.and", "and"}, {"stablehlo.or", "or"}, {"loop.fma", "add"}};
  const Region& body = loop_.region();
  for (unsigned i = 0; i < loop_.result_count(); ++i) {
    const Value* carried = body.argument(i + 1);
    Operation* combine = body.terminator()->operand(i)->definition();
    if (!combine || combine->parent() != &body || !combine->result()->has_one_use() || !carried->has_one_use()) return false;
    const auto kind = kinds.find(combine->name());
    if (kind == kinds.end() || carried->uses()[0].user != combine) return false;
    if (combine->is("loop.fma") && carried->uses()[0].operand != 2) return false;
    if (carried->type().kind != TypeKind::scalar) return false;
    reductions_.push_back({kind->second, combine});
    combines_.insert(combine);
    varying_.insert(carried);
  }
  return true;
}

bool Analysis::scan(const Region& region) {
  for (const Operation& op : region) {
    bool any = std::any_of(op.operands().begin(), op.operands().end(), [&](const Value* v) { return varying_.contains(v); });
    if (op.is("loop.for")) {
      if (varies(op.operand(0)) || varies(op.operand(1))) return false;
      const Region& inner = op.region();
      for (unsigned i = 0; i < op.result_count(); ++i) {
        const bool carried = varies(op.operand(i + 2)) || varies(inner.terminator()->operand(i));
        if (carried) {
          varying_.insert(inner.argument(i + 1));
          varying_.insert(op.result(i));
        }
      }
      if (!scan(inner)) return false;
      continue;
    }
    if (any) {
      for (const Value* result : op.results()) varying_.insert(result);
    }
  }
  return true;
}

std::optional<int64_t> Analysis::slope(const Value* index) const {
  if (index == iv_) return 1;
  if (!varies(index)) return 0;
  const Operation* op = index->definition();
  if (!op || index->type() != Type::index()) return std::nullopt;
  if (op->is("stablehlo.add") || op->is("stablehlo.subtract")) {
    const auto a = slope(op->operand(0)), b = slope(op->operand(1));
    if (!a || !b) return std::nullopt;
    return op->is("stablehlo.add") ? *a + *b : *a - *b;
  }
  if (op->is("stablehlo.multiply")) {
    for (unsigned side : {0u, 1u}) {
      const Operation* constant = op->operand(side)->definition();
      const auto other = slope(op->operand(1 - side));
      if (constant && constant->is("loop.constant") && other) return *other * constant->get<Tensor>("value").get_int(0);
    }
  }
  return std::nullopt;
}

bool Analysis::check_access(const Operation& op, unsigned buffer) {
  const Value* memory = op.operand(buffer);
  while (memory->definition() && memory->definition()->is("loop.view")) memory = memory->definition()->operand(0);
  (op.is("loop.load") ? loads_ : stores_)[memory].push_back(&op);
  const unsigned last = op.operand_count() - 1;
  bool varying = false;
  for (unsigned i = buffer + 1; i <= last; ++i) {
    const auto by = slope(op.operand(i));
    if (!by || (*by != 0 && (i != last || *by != 1))) return false;
    varying = varying || *by != 0;
  }
  const bool is_store = op.is("loop.store");
  // A value that is stored where no lane differs would be one of many.
  if (is_store && !varying) return false;
  if (varying) {
    ++accesses_;
    widest_ = std::max<int64_t>(widest_, size_bytes(op.operand(buffer)->dtype()));
  }
  return true;
}

bool Analysis::check_op(const Operation& op) {
  if (op.is("loop.for")) {
    ++inner_loops_;
    if (op.get_or<std::string>("mode", "serial") != "serial") return false;
    return check(op.region());
  }
  if (op.is("loop.load")) return check_access(op, 0);
  if (op.is("loop.store")) return check_access(op, 1);
  if (op.is("loop.alloc")) return false;
  if (has_trait(op, Trait::terminator)) return true;
  const bool varying = std::any_of(op.results().begin(), op.results().end(), [&](const Value* v) { return varies(v); });
  if (!varying) return true;
  if (op.result()->type().kind != TypeKind::scalar) return false;  // vectorized already
  // A subscript is counted by its lane 0: it must come from such.
  const auto counts = [&](const Value* operand) { return !varies(operand) || slope(operand) == 1; };
  if (slope(op.result()) == 1 && !std::all_of(op.operands().begin(), op.operands().end(), counts)) return false;
  return has_trait(op, Trait::elementwise) || op.is("loop.fma");
}

bool Analysis::check(const Region& region) {
  for (const Operation& op : region) {
    if (!check_op(op)) return false;
    if (op.result_count() == 1 && op.result()->type().kind == TypeKind::vector) return false;
  }
  return true;
}

// What is written in the loop is read in it only where the same iteration wrote it.
bool Analysis::no_hazard() const {
  for (const auto& [buffer, stores] : stores_) {
    auto loads = loads_.find(buffer);
    if (loads == loads_.end()) continue;
    for (const Operation* store : stores) {
      for (const Operation* load : loads->second) {
        if (store->operand(1) != load->operand(0)) return false;
        for (unsigned i = 1; i < load->operand_count(); ++i) {
          if (load->operand(i) != store->operand(i + 1)) return false;
        }
      }
    }
  }
  return true;
}

std::optional<int64_t> static_value(const Value* value) {
  const Operation* op = value->definition();
  if (!op || !op->is("loop.constant")) return std::nullopt;
  return op->get<Tensor>("value").get_int(0);
}

// Lanes for a loop of so many iterations; 0: too few.
int64_t lanes_for(const Analysis& analysis, std::optional<int64_t> trips) {
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
  Vectorizer(Rewrite& rewrite, Operation& loop, const Analysis& analysis, int64_t lanes)
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
  const Analysis& analysis_;
  const int64_t lanes_;
  std::map<const Value*, Value*> scalars_, vectors_;
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
  std::map<const Value*, Value*> mapping = scalars_;
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
    Analysis analysis(*op);
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
