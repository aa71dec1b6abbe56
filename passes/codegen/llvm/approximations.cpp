#include "passes/codegen/llvm/approximations.h"

#include <initializer_list>
#include <limits>

namespace stele::codegen {
namespace {

using llvm::Intrinsic::ID;

// Shorthand for arithmetic on one f32 type, scalar or vector.
class Math {
 public:
  Math(llvm::IRBuilder<>& b, llvm::Type* type) : b_(b), type_(type), int_(type->getWithNewType(b.getInt32Ty())) {}

  llvm::Value* number(double value) { return llvm::ConstantFP::get(type_, value); }
  llvm::Value* integer(int32_t value) { return llvm::ConstantInt::get(int_, static_cast<uint64_t>(static_cast<int64_t>(value)), true); }
  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) { return b_.CreateIntrinsic(type_, llvm::Intrinsic::fma, {a, b, c}); }
  llvm::Value* unary(ID id, llvm::Value* x) { return b_.CreateUnaryIntrinsic(id, x); }
  llvm::Value* binary(ID id, llvm::Value* x, llvm::Value* y) { return b_.CreateBinaryIntrinsic(id, x, y); }
  llvm::Value* bits(llvm::Value* x) { return b_.CreateBitCast(x, int_); }
  llvm::Value* from_bits(llvm::Value* x) { return b_.CreateBitCast(x, type_); }
  llvm::Value* to_int(llvm::Value* x) { return b_.CreateFPToSI(x, int_); }
  llvm::Value* to_float(llvm::Value* x) { return b_.CreateSIToFP(x, type_); }
  // Coefficients from the highest power down.
  llvm::Value* polynomial(llvm::Value* x, std::initializer_list<double> coefficients) {
    llvm::Value* sum = nullptr;
    for (double c : coefficients) sum = sum ? fma(sum, x, number(c)) : number(c);
    return sum;
  }
  // 2^n for -126 <= n <= 127.
  llvm::Value* power_of_two(llvm::Value* n) { return from_bits(b_.CreateShl(b_.CreateAdd(n, integer(127)), integer(23))); }

 private:
  llvm::IRBuilder<>& b_;
  llvm::Type* type_;
  llvm::Type* int_;
};

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

// exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2; ln 2 in two parts so that r is exact.
llvm::Value* emit_exp(llvm::IRBuilder<>& b, llvm::Value* x) {
  Math m(b, x->getType());
  // Below -104 the result is 0, above 88.8 infinite: there n would not fit its two factors.
  llvm::Value* low = b.CreateSelect(b.CreateFCmpOLT(x, m.number(-104.5)), m.number(-104.5), x);
  llvm::Value* clamped = b.CreateSelect(b.CreateFCmpOGT(low, m.number(89.5)), m.number(89.5), low);
  llvm::Value* finite = b.CreateSelect(b.CreateFCmpUNO(x, x), m.number(0), clamped);
  llvm::Value* n = m.unary(llvm::Intrinsic::rint, b.CreateFMul(finite, m.number(1.44269504088896341)));
  llvm::Value* r = m.fma(n, m.number(-0.693359375), finite);
  r = m.fma(n, m.number(2.12194440054690583e-4), r);
  llvm::Value* p = m.polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  llvm::Value* y = b.CreateFAdd(m.fma(p, b.CreateFMul(r, r), r), m.number(1));
  // 2^n in two factors: n reaches -150, where the result is denormal.
  llvm::Value* whole = m.to_int(n);
  llvm::Value* half = b.CreateAShr(whole, m.integer(1));
  y = b.CreateFMul(b.CreateFMul(y, m.power_of_two(half)), m.power_of_two(b.CreateSub(whole, half)));
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, y);
}

// log(x) = e ln 2 + log(m), m in [sqrt(1/2), sqrt(2)).
llvm::Value* emit_log(llvm::IRBuilder<>& b, llvm::Value* x) {
  Math m(b, x->getType());
  llvm::Value* is_tiny = b.CreateFCmpOLT(x, m.number(1.17549435e-38));
  llvm::Value* scaled = b.CreateSelect(is_tiny, b.CreateFMul(x, m.number(8388608.0)), x);
  // The bits of sqrt(1/2) subtracted, the exponent field counts from there.
  llvm::Value* shifted = b.CreateSub(m.bits(scaled), m.integer(0x3f3504f3));
  llvm::Value* exponent = b.CreateAShr(shifted, m.integer(23));
  llvm::Value* mantissa = m.from_bits(b.CreateAdd(b.CreateAnd(shifted, m.integer(0x007fffff)), m.integer(0x3f3504f3)));
  llvm::Value* e = b.CreateFSub(m.to_float(exponent), b.CreateSelect(is_tiny, m.number(23), m.number(0)));
  llvm::Value* z = b.CreateFSub(mantissa, m.number(1));
  llvm::Value* square = b.CreateFMul(z, z);
  llvm::Value* p = m.polynomial(z, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                                    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  llvm::Value* y = b.CreateFMul(b.CreateFMul(p, z), square);
  y = m.fma(e, m.number(-2.12194440e-4), y);
  y = m.fma(square, m.number(-0.5), y);
  y = m.fma(e, m.number(0.693359375), b.CreateFAdd(z, y));
  y = b.CreateSelect(b.CreateFCmpOEQ(x, m.number(infinity)), x, y);
  y = b.CreateSelect(b.CreateFCmpOEQ(x, m.number(0)), m.number(-infinity), y);
  y = b.CreateSelect(b.CreateFCmpOLT(x, m.number(0)), m.number(quiet_nan), y);
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, y);
}

// An odd polynomial near 0; else 1 - 2 / (exp(2|x|) + 1) with x's sign.
llvm::Value* emit_tanh(llvm::IRBuilder<>& b, llvm::Value* x) {
  Math m(b, x->getType());
  llvm::Value* magnitude = m.unary(llvm::Intrinsic::fabs, x);
  llvm::Value* z = b.CreateFMul(x, x);
  llvm::Value* p = m.polynomial(z, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1});
  llvm::Value* near = m.fma(b.CreateFMul(p, z), x, x);
  llvm::Value* e = emit_exp(b, b.CreateFAdd(magnitude, magnitude));
  llvm::Value* far = b.CreateFSub(m.number(1), b.CreateFDiv(m.number(2), b.CreateFAdd(e, m.number(1))));
  far = m.binary(llvm::Intrinsic::copysign, far, x);
  llvm::Value* y = b.CreateSelect(b.CreateFCmpOLT(magnitude, m.number(0.625)), near, far);
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, y);
}

// Two minimax polynomials (after N. Juffa): near 0 directly; else 1 - exp(p(|x|)) with x's sign.
llvm::Value* emit_erf(llvm::IRBuilder<>& b, llvm::Value* x) {
  Math m(b, x->getType());
  llvm::Value* t = m.unary(llvm::Intrinsic::fabs, x);
  // From 4 on the result is 1; larger arguments would only overflow on the way.
  llvm::Value* bounded = b.CreateSelect(b.CreateFCmpOGT(t, m.number(8)), m.number(8), t);
  llvm::Value* s = b.CreateFMul(bounded, bounded);
  llvm::Value* r = m.fma(m.number(-1.72853470e-5), bounded, m.number(3.83197126e-4));
  llvm::Value* u = m.fma(m.number(-3.88396438e-3), bounded, m.number(2.42546219e-2));
  r = m.fma(r, s, u);
  r = m.fma(r, bounded, m.number(-1.06777877e-1));
  r = m.fma(r, bounded, m.number(-6.34846687e-1));
  r = m.fma(r, bounded, m.number(-1.28717512e-1));
  r = m.fma(r, bounded, b.CreateFNeg(bounded));
  llvm::Value* far = b.CreateFSub(m.number(1), emit_exp(b, r));
  far = m.binary(llvm::Intrinsic::copysign, far, x);
  llvm::Value* p = m.polynomial(s, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
  llvm::Value* near = m.fma(p, x, x);
  llvm::Value* y = b.CreateSelect(b.CreateFCmpOGT(t, m.number(0.927734375)), far, near);
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, y);
}

// e = exp(-|x|): 1 / (1 + e), or e / (1 + e) where x is negative, so that neither overflows nor cancels.
llvm::Value* emit_logistic(llvm::IRBuilder<>& b, llvm::Value* x) {
  Math m(b, x->getType());
  llvm::Value* e = emit_exp(b, b.CreateFNeg(m.unary(llvm::Intrinsic::fabs, x)));
  llvm::Value* top = b.CreateSelect(b.CreateFCmpOLT(x, m.number(0)), e, m.number(1));
  return b.CreateFDiv(top, b.CreateFAdd(m.number(1), e));
}

}  // namespace stele::codegen
