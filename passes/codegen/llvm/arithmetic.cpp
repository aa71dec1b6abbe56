#include "passes/codegen/llvm/arithmetic.h"

#include <llvm/IR/Module.h>

#include <array>
#include <limits>
#include <map>

#include "passes/codegen/llvm/approximations.h"

namespace stele::codegen {
namespace {

using B = llvm::IRBuilder<>;
using V = llvm::Value;
using Values = std::vector<V*>;

bool is_half(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

llvm::Type* like(V* value, llvm::Type* scalar) { return value->getType()->getWithNewType(scalar); }

// To nearest even, in integers: LLVM would call a function of the compiler's run-time library.
V* bf16_bits(B& b, V* x) {
  llvm::Type* i32 = like(x, b.getInt32Ty());
  V* bits = b.CreateBitCast(x, i32);
  const auto number = [&](uint32_t n) { return llvm::ConstantInt::get(i32, n); };
  V* odd = b.CreateAnd(b.CreateLShr(bits, number(16)), number(1));
  V* rounded = b.CreateAdd(bits, b.CreateAdd(odd, number(0x7fff)));
  V* quiet = b.CreateOr(bits, number(0x400000));
  return b.CreateLShr(b.CreateSelect(b.CreateFCmpUNO(x, x), quiet, rounded), number(16));
}

V* rounded(B& b, DType dtype, V* x) { return is_half(dtype) ? from_memory(b, dtype, to_memory(b, dtype, x)) : x; }

// A function of the C library on each lane: the f64 one, or the f32 one.
V* call_each(B& b, const std::string& name, const Values& operands) {
  llvm::Type* type = operands[0]->getType();
  llvm::Type* scalar = type->getScalarType();
  llvm::Module* module = b.GetInsertBlock()->getModule();
  const std::string symbol = scalar->isDoubleTy() ? name : name + "f";
  auto* signature = llvm::FunctionType::get(scalar, std::vector<llvm::Type*>(operands.size(), scalar), false);
  llvm::FunctionCallee callee = module->getOrInsertFunction(symbol, signature);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return b.CreateCall(callee, operands);
  V* result = llvm::PoisonValue::get(type);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    Values scalars;
    for (V* operand : operands) scalars.push_back(b.CreateExtractElement(operand, lane));
    result = b.CreateInsertElement(result, b.CreateCall(callee, scalars), lane);
  }
  return result;
}

V* intrinsic(B& b, llvm::Intrinsic::ID id, V* x) { return b.CreateUnaryIntrinsic(id, x); }
V* number(V* x, double value) { return llvm::ConstantFP::get(x->getType(), value); }
bool is_double(V* x) { return x->getType()->getScalarType()->isDoubleTy(); }

// An own approximation for f32, the C library's for f64.
template <V* (*F32)(B&, V*)>
V* approximated(B& b, const char* name, V* x) {
  return is_double(x) ? call_each(b, name, {x}) : F32(b, x);
}

V* logistic(B& b, V* x) {
  if (!is_double(x)) return emit_logistic(b, x);
  return b.CreateFDiv(number(x, 1), b.CreateFAdd(number(x, 1), call_each(b, "exp", {b.CreateFNeg(x)})));
}

V* float_sign(B& b, V* x) {
  V* one = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, number(x, 1), x);
  return b.CreateSelect(b.CreateOr(b.CreateFCmpOEQ(x, number(x, 0)), b.CreateFCmpUNO(x, x)), x, one);
}

V* power(B& b, V* x, V* y) {
  // Squares and cubes by multiplication: the exponent is a constant, or a constant in all lanes.
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(y)) {
    auto* scalar = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant->getType()->isVectorTy() ? constant->getSplatValue() : constant);
    if (scalar && scalar->isExactlyValue(2.0)) return b.CreateFMul(x, x);
    if (scalar && scalar->isExactlyValue(3.0)) return b.CreateFMul(b.CreateFMul(x, x), x);
  }
  return call_each(b, "pow", {x, y});
}

V* float_unary(B& b, std::string_view name, V* x) {
  using namespace llvm;
  if (name == "stablehlo.abs") return intrinsic(b, Intrinsic::fabs, x);
  if (name == "stablehlo.negate") return b.CreateFNeg(x);
  if (name == "stablehlo.sign") return float_sign(b, x);
  if (name == "stablehlo.sqrt") return intrinsic(b, Intrinsic::sqrt, x);
  if (name == "stablehlo.rsqrt") return b.CreateFDiv(number(x, 1), intrinsic(b, Intrinsic::sqrt, x));
  if (name == "stablehlo.floor") return intrinsic(b, Intrinsic::floor, x);
  if (name == "stablehlo.ceil") return intrinsic(b, Intrinsic::ceil, x);
  if (name == "stablehlo.round_nearest_even") return intrinsic(b, Intrinsic::rint, x);
  if (name == "stablehlo.round_nearest_afz") return call_each(b, "round", {x});
  if (name == "stablehlo.exponential") return approximated<emit_exp>(b, "exp", x);
  if (name == "stablehlo.log") return approximated<emit_log>(b, "log", x);
  if (name == "stablehlo.tanh") return approximated<emit_tanh>(b, "tanh", x);
  if (name == "chlo.erf") return approximated<emit_erf>(b, "erf", x);
  if (name == "stablehlo.logistic") return logistic(b, x);
  if (name == "chlo.square") return b.CreateFMul(x, x);
  static const std::map<std::string_view, const char*> library = {
      {"stablehlo.cbrt", "cbrt"}, {"stablehlo.cosine", "cos"}, {"stablehlo.sine", "sin"}, {"stablehlo.tan", "tan"},
      {"stablehlo.exponential_minus_one", "expm1"}, {"stablehlo.log_plus_one", "log1p"}, {"chlo.erfc", "erfc"},
      {"chlo.tan", "tan"}, {"chlo.sinh", "sinh"}, {"chlo.cosh", "cosh"}, {"chlo.asin", "asin"}, {"chlo.acos", "acos"},
      {"chlo.atan", "atan"}, {"chlo.asinh", "asinh"}, {"chlo.acosh", "acosh"}, {"chlo.atanh", "atanh"}, {"chlo.lgamma", "lgamma"}};
  auto found = library.find(name);
  return found == library.end() ? nullptr : call_each(b, found->second, {x});
}

V* float_binary(B& b, std::string_view name, V* x, V* y) {
  if (name == "stablehlo.add") return b.CreateFAdd(x, y);
  if (name == "stablehlo.subtract") return b.CreateFSub(x, y);
  if (name == "stablehlo.multiply") return b.CreateFMul(x, y);
  if (name == "stablehlo.divide") return b.CreateFDiv(x, y);
  if (name == "stablehlo.maximum") return b.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, x, y);
  if (name == "stablehlo.minimum") return b.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, x, y);
  if (name == "stablehlo.remainder") return call_each(b, "fmod", {x, y});
  if (name == "stablehlo.power") return power(b, x, y);
  if (name == "stablehlo.atan2") return call_each(b, "atan2", {x, y});
  return nullptr;
}

V* int_number(V* x, int64_t value) { return llvm::ConstantInt::get(x->getType(), static_cast<uint64_t>(value), true); }

// Division as the evaluator has it: by 0 gives -1 (remainder: the dividend), and nothing traps.
V* int_division(B& b, V* x, V* y, bool is_signed, bool remainder) {
  V* zero = b.CreateICmpEQ(y, int_number(y, 0));
  V* special = zero;
  if (is_signed) special = b.CreateOr(special, b.CreateICmpEQ(y, int_number(y, -1)));
  V* safe = b.CreateSelect(special, int_number(y, 1), y);
  V* ordinary = remainder ? (is_signed ? b.CreateSRem(x, safe) : b.CreateURem(x, safe)) : (is_signed ? b.CreateSDiv(x, safe) : b.CreateUDiv(x, safe));
  V* by_zero = remainder ? x : int_number(x, -1);
  if (is_signed) ordinary = b.CreateSelect(special, remainder ? int_number(x, 0) : b.CreateNeg(x), ordinary);
  return b.CreateSelect(zero, by_zero, ordinary);
}

V* shift(B& b, std::string_view name, V* x, V* y) {
  const unsigned bits = x->getType()->getScalarSizeInBits();
  V* out = b.CreateICmpUGE(y, int_number(y, bits));
  V* by = b.CreateSelect(out, int_number(y, 0), y);
  if (name == "stablehlo.shift_left") return b.CreateSelect(out, int_number(x, 0), b.CreateShl(x, by));
  if (name == "stablehlo.shift_right_logical") return b.CreateSelect(out, int_number(x, 0), b.CreateLShr(x, by));
  return b.CreateSelect(out, b.CreateAShr(x, int_number(x, bits - 1)), b.CreateAShr(x, by));
}

V* boolean_binary(B& b, std::string_view name, V* x, V* y) {
  if (name == "stablehlo.add" || name == "stablehlo.or" || name == "stablehlo.maximum") return b.CreateOr(x, y);
  if (name == "stablehlo.multiply" || name == "stablehlo.and" || name == "stablehlo.minimum") return b.CreateAnd(x, y);
  if (name == "stablehlo.xor" || name == "stablehlo.subtract") return b.CreateXor(x, y);
  return nullptr;
}

V* int_binary(B& b, std::string_view name, DType dtype, V* x, V* y) {
  if (dtype == DType::boolean) return boolean_binary(b, name, x, y);
  const bool is_signed = is_signed_int(dtype);
  if (name == "stablehlo.add") return b.CreateAdd(x, y);
  if (name == "stablehlo.subtract") return b.CreateSub(x, y);
  if (name == "stablehlo.multiply") return b.CreateMul(x, y);
  if (name == "stablehlo.divide") return int_division(b, x, y, is_signed, false);
  if (name == "stablehlo.remainder") return int_division(b, x, y, is_signed, true);
  if (name == "stablehlo.maximum") return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, x, y);
  if (name == "stablehlo.minimum") return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x, y);
  if (name == "stablehlo.and") return b.CreateAnd(x, y);
  if (name == "stablehlo.or") return b.CreateOr(x, y);
  if (name == "stablehlo.xor") return b.CreateXor(x, y);
  if (name.starts_with("stablehlo.shift")) return shift(b, name, x, y);
  return nullptr;
}

V* int_unary(B& b, std::string_view name, DType dtype, V* x) {
  const bool is_signed = is_signed_int(dtype);
  if (name == "stablehlo.not") return b.CreateNot(x);
  if (dtype == DType::boolean) return name == "stablehlo.abs" || name == "stablehlo.sign" || name == "stablehlo.negate" ? x : nullptr;
  if (name == "stablehlo.negate") return b.CreateNeg(x);
  if (name == "stablehlo.abs") return is_signed ? b.CreateSelect(b.CreateICmpSLT(x, int_number(x, 0)), b.CreateNeg(x), x) : x;
  if (name == "stablehlo.sign") {
    V* negative = is_signed ? b.CreateICmpSLT(x, int_number(x, 0)) : llvm::ConstantInt::getFalse(like(x, b.getInt1Ty()));
    V* nonzero = b.CreateSelect(negative, int_number(x, -1), int_number(x, 1));
    return b.CreateSelect(b.CreateICmpEQ(x, int_number(x, 0)), x, nonzero);
  }
  if (name == "stablehlo.popcnt") return intrinsic(b, llvm::Intrinsic::ctpop, x);
  if (name == "stablehlo.count_leading_zeros") {
    return b.CreateIntrinsic(llvm::Intrinsic::ctlz, {x->getType()}, {x, b.getFalse()});
  }
  return nullptr;
}

V* compare(B& b, const Operation& op, V* x, V* y) {
  using P = llvm::CmpInst;
  const std::string& direction = op.get<std::string>("comparison_direction");
  const DType dtype = op.operand(0)->dtype();
  static const std::map<std::string, std::array<P::Predicate, 3>> predicates = {
      {"EQ", {P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ}},   {"NE", {P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE}},
      {"GE", {P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE}}, {"GT", {P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT}},
      {"LE", {P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE}}, {"LT", {P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT}}};
  const auto found = predicates.find(direction);
  if (found == predicates.end()) fail("{}: comparison_direction is '{}'", op.describe(), direction);
  if (is_float(dtype) && op.get_or<std::string>("compare_type", "") == "TOTALORDER") {
    const auto key = [&](V* value) {
      llvm::Type* type = like(value, is_double(value) ? b.getInt64Ty() : b.getInt32Ty());
      V* bits = b.CreateBitCast(value, type);
      V* flipped = b.CreateXor(bits, b.CreateLShr(b.CreateAShr(bits, type->getScalarSizeInBits() - 1), 1));
      return flipped;
    };
    return b.CreateICmp(found->second[1], key(x), key(y));
  }
  if (is_float(dtype)) return b.CreateFCmp(found->second[0], x, y);
  return b.CreateICmp(found->second[is_signed_int(dtype) ? 1 : 2], x, y);
}

V* splat_like(B& b, V* value, V* like_this) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like_this->getType());
  return vector && !value->getType()->isVectorTy() ? b.CreateVectorSplat(vector->getNumElements(), value) : value;
}

V* clamp(B& b, DType dtype, V* low, V* x, V* high) {
  low = splat_like(b, low, x);
  high = splat_like(b, high, x);
  if (!is_float(dtype)) return int_binary(b, "stablehlo.minimum", dtype, int_binary(b, "stablehlo.maximum", dtype, x, low), high);
  // As std::max and std::min have it; NaN where one of the three is.
  V* above = b.CreateSelect(b.CreateFCmpOLT(x, low), low, x);
  V* within = b.CreateSelect(b.CreateFCmpOLT(high, above), high, above);
  V* unordered = b.CreateOr(b.CreateFCmpUNO(x, low), b.CreateFCmpUNO(high, high));
  return b.CreateSelect(unordered, number(x, std::numeric_limits<double>::quiet_NaN()), within);
}

V* convert(B& b, DType from, DType to, V* x) {
  llvm::Type* type = like(x, register_type(b.getContext(), to, 1));
  if (is_float(from) && is_float(to)) return rounded(b, to, b.CreateFPCast(x, type));
  if (is_float(from) && to == DType::boolean) return b.CreateFCmpUNE(x, number(x, 0));
  if (is_float(from)) {
    const bool is_unsigned = is_unsigned_int(to);
    return b.CreateIntrinsic(is_unsigned ? llvm::Intrinsic::fptoui_sat : llvm::Intrinsic::fptosi_sat, {type, x->getType()}, {x});
  }
  const bool is_signed = is_signed_int(from);
  if (is_float(to)) return rounded(b, to, is_signed ? b.CreateSIToFP(x, type) : b.CreateUIToFP(x, type));
  if (to == DType::boolean) return b.CreateICmpNE(x, int_number(x, 0));
  return is_signed ? b.CreateSExtOrTrunc(x, type) : b.CreateZExtOrTrunc(x, type);
}

}  // namespace

llvm::Type* register_type(llvm::LLVMContext& context, DType dtype, int64_t lanes) {
  llvm::Type* scalar = nullptr;
  if (dtype == DType::f64) {
    scalar = llvm::Type::getDoubleTy(context);
  } else if (dtype == DType::f32 || is_half(dtype)) {
    scalar = llvm::Type::getFloatTy(context);
  } else if (dtype == DType::boolean) {
    scalar = llvm::Type::getInt1Ty(context);
  } else if (is_int(dtype)) {
    scalar = llvm::Type::getIntNTy(context, static_cast<unsigned>(8 * size_bytes(dtype)));
  } else {
    throw NoCode(fmt::format("element type {} has no code", name(dtype)));
  }
  return lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes));
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype, int64_t lanes) {
  llvm::Type* scalar = register_type(context, dtype, 1);
  if (dtype == DType::boolean) scalar = llvm::Type::getInt8Ty(context);
  if (is_half(dtype)) scalar = llvm::Type::getInt16Ty(context);
  return lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes));
}

int64_t lanes_of(const Type& type) { return type.kind == TypeKind::vector ? type.shape.at(0).value() : 1; }

llvm::Value* from_memory(B& b, DType dtype, V* value) {
  if (dtype == DType::boolean) return b.CreateICmpNE(value, int_number(value, 0));
  if (dtype == DType::f16) return b.CreateFPExt(b.CreateBitCast(value, like(value, b.getHalfTy())), like(value, b.getFloatTy()));
  if (dtype == DType::bf16) {
    llvm::Type* i32 = like(value, b.getInt32Ty());
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(value, i32), llvm::ConstantInt::get(i32, 16)), like(value, b.getFloatTy()));
  }
  return value;
}

llvm::Value* to_memory(B& b, DType dtype, V* value) {
  if (dtype == DType::boolean) return b.CreateZExt(value, like(value, b.getInt8Ty()));
  if (dtype == DType::f16) return b.CreateBitCast(b.CreateFPTrunc(value, like(value, b.getHalfTy())), like(value, b.getInt16Ty()));
  if (dtype == DType::bf16) return b.CreateTrunc(bf16_bits(b, value), like(value, b.getInt16Ty()));
  return value;
}

llvm::Constant* constant_of(llvm::LLVMContext& context, DType dtype, const Tensor& value) {
  llvm::Type* type = register_type(context, dtype, 1);
  if (is_float(dtype)) return llvm::ConstantFP::get(type, value.get(0));
  return llvm::ConstantInt::get(type, static_cast<uint64_t>(value.get_int(0)), true);
}

llvm::Value* emit_elementwise(B& b, const Operation& op, const Values& operands) {
  const DType from = op.operand_count() > 0 ? op.operand(0)->dtype() : op.result()->dtype(), to = op.result()->dtype();
  V* result = nullptr;
  if (op.is("stablehlo.compare")) {
    result = compare(b, op, operands[0], operands[1]);
  } else if (op.is("stablehlo.select")) {
    result = b.CreateSelect(operands[0], operands[1], operands[2]);
  } else if (op.is("stablehlo.clamp")) {
    result = clamp(b, to, operands[0], operands[1], operands[2]);
  } else if (op.is("stablehlo.convert")) {
    result = convert(b, from, to, operands[0]);
  } else if (op.is("stablehlo.is_finite")) {
    V* magnitude = intrinsic(b, llvm::Intrinsic::fabs, operands[0]);
    result = b.CreateFCmpOLT(magnitude, number(magnitude, std::numeric_limits<double>::infinity()));
  } else if (operands.size() == 1) {
    result = is_float(to) ? float_unary(b, op.name(), operands[0]) : int_unary(b, op.name(), to, operands[0]);
    if (result && is_float(to)) result = rounded(b, to, result);
  } else if (operands.size() == 2) {
    result = is_float(to) ? float_binary(b, op.name(), operands[0], operands[1]) : int_binary(b, op.name(), to, operands[0], operands[1]);
    if (result && is_float(to)) result = rounded(b, to, result);
  }
  if (!result) throw NoCode(fmt::format("{}: no code for it on {}", op.describe(), name(to)));
  return result;
}

llvm::Value* emit_combination(B& b, std::string_view kind, DType dtype, V* x, V* y) {
  const std::string name = "stablehlo." + std::string(kind);
  V* result = is_float(dtype) ? rounded(b, dtype, float_binary(b, name, x, y)) : int_binary(b, name, dtype, x, y);
  if (!result) throw NoCode(fmt::format("loop.reduce: no code for kind '{}' on {}", kind, stele::name(dtype)));
  return result;
}

llvm::Value* emit_fma(B& b, DType dtype, V* x, V* y, V* z) {
  return rounded(b, dtype, b.CreateIntrinsic(z->getType(), llvm::Intrinsic::fma, {x, y, z}));
}

}  // namespace stele::codegen
