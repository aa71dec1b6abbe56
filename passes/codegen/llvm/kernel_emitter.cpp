#include "passes/codegen/llvm/kernel_emitter.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <map>

#include "core/ir/text.h"
#include "passes/codegen/llvm/arithmetic.h"

namespace stele::codegen {
namespace {

using V = llvm::Value;

// The value of a bound as a dim, where the code says it outright.
std::optional<Dim> dim_of(const Value* value) {
  const Operation* op = value->definition();
  if (op && op->is("loop.constant")) return Dim(op->get<Tensor>("value").get_int(0));
  if (op && op->is("loop.dim")) return op->get<Shape>("value").at(0);
  if (!op || op->operand_count() != 2) return std::nullopt;
  const auto a = dim_of(op->operand(0)), b = dim_of(op->operand(1));
  if (!a || !b) return std::nullopt;
  if (op->is("stablehlo.add")) return *a + *b;
  if (op->is("stablehlo.subtract")) return *a - *b;
  if (op->is("stablehlo.multiply")) return *a * *b;
  const bool divides = b->is_static() && b->value() > 0;  // dims are not negative: truncation is flooring
  if (op->is("stablehlo.divide") && divides) return Dim::floor_div(*a, *b);
  if (op->is("stablehlo.remainder") && divides) return Dim::mod(*a, *b);
  return std::nullopt;
}

struct Memory {
  V* pointer = nullptr;
  DType dtype = DType::f32;
  Shape shape;
  llvm::MDNode* scope = nullptr;
};

class Emitter {
 public:
  Emitter(llvm::LLVMContext& context, const Operation& kernel, const std::string& symbol)
      : context_(context), kernel_(kernel), symbol_(symbol), b_(context), parallel_(parallel_loop(kernel, &iterations_)) {}

  EmittedKernel emit();

 private:
  void begin_function();
  void bind_buffers();
  void emit_region(const Region& region);
  void emit_op(const Operation& op);
  void emit_for(const Operation& op);
  void emit_alloc(const Operation& op);
  V* emit_load(const Operation& op);
  void emit_store(const Operation& op);
  V* emit_lanes(const Operation& op);
  V* emit_reduce(const Operation& op);
  V* value(const Value* v) const;
  V* dim(const Dim& d);
  V* number(int64_t n) { return b_.getInt64(static_cast<uint64_t>(n)); }
  V* address(const Memory& memory, const Operation& op, unsigned first_subscript);
  Memory& memory(const Operation& op, const Value* buffer);
  template <typename Access>
  void annotate(Access* access, const Memory& memory);

  llvm::LLVMContext& context_;
  const Operation& kernel_;
  const std::string symbol_;
  llvm::IRBuilder<> b_;
  Dim iterations_ = 1;
  const Operation* parallel_;
  std::unique_ptr<llvm::Module> module_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  std::map<const Value*, V*> values_;
  std::map<const Value*, Memory> memories_;
  std::vector<llvm::MDNode*> scopes_;
  llvm::MDNode* domain_ = nullptr;
  Shape dims_;
  std::vector<V*> dim_values_;
};

EmittedKernel Emitter::emit() {
  begin_function();
  bind_buffers();
  emit_region(kernel_.region());
  b_.CreateRetVoid();
  return {std::move(module_), dims_, iterations_};
}

void Emitter::begin_function() {
  module_ = std::make_unique<llvm::Module>(symbol_, context_);
  llvm::Type *pointer = llvm::PointerType::get(context_, 0), *i64 = b_.getInt64Ty();
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, i64, i64}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol_, *module_);
  function_->setDoesNotThrow();
  const char* names[] = {"buffers", "dims", "begin", "end"};
  for (unsigned i = 0; i < 4; ++i) function_->getArg(i)->setName(names[i]);
  entry_ = llvm::BasicBlock::Create(context_, "entry", function_);
  b_.SetInsertPoint(entry_);
}

void Emitter::bind_buffers() {
  llvm::MDBuilder metadata(context_);
  domain_ = metadata.createAnonymousAliasScopeDomain(symbol_);
  const Region& body = kernel_.region();
  for (unsigned i = 0; i < body.argument_count(); ++i) {
    const Value* buffer = body.argument(i);
    const bool is_operand = i < kernel_.operand_count();
    V* slot = b_.CreateConstInBoundsGEP1_64(llvm::PointerType::get(context_, 0), function_->getArg(0), i);
    llvm::LoadInst* pointer = b_.CreateLoad(llvm::PointerType::get(context_, 0), slot, is_operand ? "operand" : "result");
    pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    memories_[buffer] = {pointer, buffer->dtype(), buffer->shape(), metadata.createAnonymousAliasScope(domain_)};
    scopes_.push_back(memories_[buffer].scope);
  }
}

V* Emitter::value(const Value* v) const {
  auto found = values_.find(v);
  if (found == values_.end()) fail("{}: a value has no code", kernel_.describe());
  return found->second;
}

Memory& Emitter::memory(const Operation& op, const Value* buffer) {
  auto found = memories_.find(buffer);
  if (found == memories_.end()) fail("{}: a buffer has no code", op.describe());
  return found->second;
}

V* Emitter::dim(const Dim& d) {
  if (d.is_static()) return number(d.value());
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (dims_[i] == d) return dim_values_[i];
  }
  // Read at the very start, so that it is there wherever it is used.
  llvm::IRBuilder<> start(entry_, entry_->begin());
  V* slot = start.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), function_->getArg(1), dims_.size());
  dims_.push_back(d);
  dim_values_.push_back(start.CreateLoad(b_.getInt64Ty(), slot, "dim"));
  return dim_values_.back();
}

void Emitter::emit_region(const Region& region) {
  for (const Operation& op : region) {
    if (!has_trait(op, Trait::terminator)) emit_op(op);
  }
}

void Emitter::emit_op(const Operation& op) {
  if (op.is("loop.for")) return emit_for(op);
  if (op.is("loop.store")) return emit_store(op);
  if (op.is("loop.alloc")) return emit_alloc(op);
  if (op.is("loop.view")) {
    Memory view = memory(op, op.operand(0));
    view.shape = op.result()->shape();
    memories_[op.result()] = view;
    return;
  }
  V*& made = values_[op.result()];
  if (op.is("loop.load")) {
    made = emit_load(op);
  } else if (op.is("loop.constant")) {
    made = constant_of(context_, op.result()->dtype(), op.get<Tensor>("value"));
  } else if (op.is("loop.dim")) {
    made = dim(op.get<Shape>("value").at(0));
  } else if (op.is("loop.broadcast")) {
    made = b_.CreateVectorSplat(static_cast<unsigned>(lanes_of(op.result()->type())), value(op.operand(0)));
  } else if (op.is("loop.lanes")) {
    made = emit_lanes(op);
  } else if (op.is("loop.reduce")) {
    made = emit_reduce(op);
  } else if (op.is("loop.fma")) {
    made = emit_fma(b_, op.result()->dtype(), value(op.operand(0)), value(op.operand(1)), value(op.operand(2)));
  } else {
    std::vector<V*> operands;
    for (const Value* operand : op.operands()) operands.push_back(value(operand));
    made = emit_elementwise(b_, op, operands);
  }
}

// Guarded and with its test at the end. The parallel loop runs iterations [begin, end); every other loop of a kernel that
// has one is run by whoever has the last of them.
void Emitter::emit_for(const Operation& op) {
  V *lower = value(op.operand(0)), *upper = value(op.operand(1));
  const int64_t step = op.get_or<int64_t>("step", 1);
  V* guard = nullptr;
  if (&op == parallel_) {
    V* first = b_.CreateNSWAdd(lower, b_.CreateNSWMul(function_->getArg(2), number(step)));
    V* last = b_.CreateNSWAdd(lower, b_.CreateNSWMul(function_->getArg(3), number(step)));
    upper = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, upper, last);
    lower = first;
  } else if (parallel_ && op.parent() == &kernel_.region()) {
    guard = b_.CreateICmpEQ(function_->getArg(3), dim(iterations_));
  }
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* body = llvm::BasicBlock::Create(context_, "loop", function_);
  auto* after = llvm::BasicBlock::Create(context_, "after", function_);
  V* runs = b_.CreateICmpSLT(lower, upper);
  b_.CreateCondBr(guard ? b_.CreateAnd(guard, runs) : runs, body, after);

  b_.SetInsertPoint(body);
  llvm::PHINode* iv = b_.CreatePHI(b_.getInt64Ty(), 2, "i");
  iv->addIncoming(lower, before);
  const Region& region = op.region();
  values_[region.argument(0)] = iv;
  std::vector<llvm::PHINode*> carried;
  for (unsigned i = 0; i < op.result_count(); ++i) {
    V* initial = value(op.operand(i + 2));
    carried.push_back(b_.CreatePHI(initial->getType(), 2));
    carried.back()->addIncoming(initial, before);
    values_[region.argument(i + 1)] = carried.back();
  }
  emit_region(region);
  llvm::BasicBlock* latch = b_.GetInsertBlock();
  V* next = b_.CreateNSWAdd(iv, number(step));
  iv->addIncoming(next, latch);
  std::vector<V*> yielded;
  for (unsigned i = 0; i < op.result_count(); ++i) {
    yielded.push_back(value(region.terminator()->operand(i)));
    carried[i]->addIncoming(yielded.back(), latch);
  }
  b_.CreateCondBr(b_.CreateICmpSLT(next, upper), body, after);

  b_.SetInsertPoint(after);
  for (unsigned i = 0; i < op.result_count(); ++i) {
    llvm::PHINode* result = b_.CreatePHI(yielded[i]->getType(), 2);
    result->addIncoming(value(op.operand(i + 2)), before);
    result->addIncoming(yielded[i], latch);
    values_[op.result(i)] = result;
  }
}

void Emitter::emit_alloc(const Operation& op) {
  const Type& type = op.result()->type();
  const Dim elements = type.elements();
  if (!elements.is_static()) throw NoCode(fmt::format("{}: scratch of {} has no code", op.describe(), type.str()));
  llvm::IRBuilder<> start(entry_, entry_->begin());
  auto* array = llvm::ArrayType::get(memory_type(context_, type.dtype, 1), static_cast<uint64_t>(elements.value()));
  llvm::AllocaInst* scratch = start.CreateAlloca(array, nullptr, "scratch");
  scratch->setAlignment(llvm::Align(64));
  llvm::MDBuilder metadata(context_);
  memories_[op.result()] = {scratch, type.dtype, type.shape, metadata.createAnonymousAliasScope(domain_)};
  scopes_.push_back(memories_[op.result()].scope);
}

V* Emitter::address(const Memory& memory, const Operation& op, unsigned first) {
  V* offset = nullptr;
  Dim stride = 1;
  for (size_t axis = memory.shape.size(); axis-- > 0;) {
    V* part = value(op.operand(first + static_cast<unsigned>(axis)));
    if (!stride.is(1)) part = b_.CreateNSWMul(part, dim(stride));
    offset = offset ? b_.CreateNSWAdd(part, offset) : part;
    stride = stride * memory.shape[axis];
  }
  llvm::Type* element = memory_type(context_, memory.dtype, 1);
  return offset ? b_.CreateInBoundsGEP(element, memory.pointer, offset) : memory.pointer;
}

// Buffers do not overlap: a kernel's operands and results live at the same time, and scratch is its own.
template <typename Access>
void Emitter::annotate(Access* access, const Memory& memory) {
  access->setAlignment(llvm::Align(static_cast<uint64_t>(size_bytes(memory.dtype))));
  std::vector<llvm::Metadata*> others;
  for (llvm::MDNode* scope : scopes_) {
    if (scope != memory.scope) others.push_back(scope);
  }
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, llvm::MDNode::get(context_, {memory.scope}));
  access->setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::get(context_, others));
}

V* Emitter::emit_load(const Operation& op) {
  const Memory& from = memory(op, op.operand(0));
  llvm::LoadInst* load = b_.CreateLoad(memory_type(context_, from.dtype, lanes_of(op.result()->type())), address(from, op, 1));
  annotate(load, from);
  return from_memory(b_, from.dtype, load);
}

void Emitter::emit_store(const Operation& op) {
  const Memory& to = memory(op, op.operand(1));
  V* pointer = address(to, op, 2);
  annotate(b_.CreateStore(to_memory(b_, to.dtype, value(op.operand(0))), pointer), to);
}

V* Emitter::emit_lanes(const Operation& op) {
  const auto lanes = static_cast<unsigned>(lanes_of(op.result()->type()));
  std::vector<llvm::Constant*> steps;
  for (unsigned i = 0; i < lanes; ++i) steps.push_back(b_.getInt64(i));
  return b_.CreateAdd(b_.CreateVectorSplat(lanes, value(op.operand(0))), llvm::ConstantVector::get(steps));
}

// By halves, as the loop evaluator has it.
V* Emitter::emit_reduce(const Operation& op) {
  V* vector = value(op.operand(0));
  const DType dtype = op.result()->dtype();
  for (int64_t half = lanes_of(op.operand(0)->type()) / 2; half >= 1; half /= 2) {
    std::vector<int> low, high;
    for (int64_t i = 0; i < half; ++i) {
      low.push_back(static_cast<int>(i));
      high.push_back(static_cast<int>(i + half));
    }
    vector = emit_combination(b_, op.get<std::string>("kind"), dtype, b_.CreateShuffleVector(vector, low), b_.CreateShuffleVector(vector, high));
  }
  return b_.CreateExtractElement(vector, uint64_t{0});
}

}  // namespace

const Operation* parallel_loop(const Operation& kernel, Dim* iterations) {
  const Operation* found = nullptr;
  for (const Operation& op : kernel.region()) {
    if (!op.is("loop.for") || op.get_or<std::string>("mode", "serial") != "parallel") continue;
    if (found) return nullptr;
    found = &op;
  }
  if (!found) return nullptr;
  const auto lower = dim_of(found->operand(0)), upper = dim_of(found->operand(1));
  if (!lower || !upper) return nullptr;
  if (iterations) *iterations = Dim::max(0, Dim::ceil_div(*upper - *lower, found->get_or<int64_t>("step", 1)));
  return found;
}

EmittedKernel emit_kernel(llvm::LLVMContext& context, const Operation& kernel, const std::string& symbol) {
  return Emitter(context, kernel, symbol).emit();
}

namespace {

class Canonical {
 public:
  std::string text(const Operation& kernel) {
    region(kernel.region());
    return std::move(text_);
  }

 private:
  void region(const Region& region) {
    text_ += "{";
    for (const Value* argument : region.arguments()) define(argument);
    for (const Operation& op : region) {
      text_ += op.name();
      for (const Value* operand : op.operands()) text_ += fmt::format(" {}", numbers_.at(operand));
      for (const auto& [name, attribute] : op.attributes()) text_ += fmt::format(" {}={}", name, print(attribute));
      for (const Value* result : op.results()) define(result);
      for (unsigned i = 0; i < op.region_count(); ++i) this->region(op.region(i));
      text_ += "\n";
    }
    text_ += "}";
  }
  void define(const Value* value) {
    numbers_.emplace(value, numbers_.size());
    text_ += ":" + value->type().str();
  }
  std::string text_;
  std::map<const Value*, size_t> numbers_;
};

}  // namespace

std::string canonical_text(const Operation& kernel) {
  return fmt::format("{} operands ", kernel.operand_count()) + Canonical().text(kernel);
}

}  // namespace stele::codegen
