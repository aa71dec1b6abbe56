// Complex numbers: their parts (complex, real, imag) and the functions of the elementwise families on them.
#include "core/ops/complex.h"

#include <cmath>
#include <map>

#include "core/ops/all_ops.h"
#include "core/ops/elementwise.h"

namespace stele {

DType part_dtype(DType complex) { return complex == DType::c64 ? DType::f32 : DType::f64; }

std::vector<Complex> complexes(const Tensor& tensor) {
  const int64_t n = tensor.elements();
  std::vector<Complex> values(static_cast<size_t>(n));
  if (!is_complex(tensor.dtype())) {
    const std::vector<double> parts = doubles(tensor);
    for (int64_t i = 0; i < n; ++i) values[i] = parts[i];
    return values;
  }
  // The parts lie one after the other, as those of a real tensor twice as long.
  const Tensor parts(part_dtype(tensor.dtype()), {2 * n}, tensor.blob());
  for (int64_t i = 0; i < n; ++i) values[i] = {parts.get(2 * i), parts.get(2 * i + 1)};
  return values;
}

Tensor tensor_of(DType dtype, Ints sizes, const std::vector<Complex>& values) {
  const auto n = static_cast<int64_t>(values.size());
  Tensor parts(part_dtype(dtype), {2 * n});
  for (int64_t i = 0; i < n; ++i) {
    parts.set(2 * i, values[i].real());
    parts.set(2 * i + 1, values[i].imag());
  }
  return Tensor(dtype, std::move(sizes), parts.blob());
}

namespace {

Complex sign(Complex z) {
  if (std::isnan(z.real()) || std::isnan(z.imag())) return {NAN, NAN};
  return z == Complex(0) ? Complex(0) : z / std::abs(z);
}
// Exact where z is small, as expm1 and log1p of reals are.
Complex exponential_minus_one(Complex z) {
  const double half = std::sin(z.imag() / 2);
  const double grown = std::expm1(z.real());
  return {grown * std::cos(z.imag()) - 2 * half * half, std::exp(z.real()) * std::sin(z.imag())};
}
Complex log_plus_one(Complex z) {
  const double x = z.real(), y = z.imag();
  const double norm = std::abs(z) < 0.5 ? 0.5 * std::log1p(x * (2 + x) + y * y) : std::log(std::abs(1.0 + z));
  return {norm, std::atan2(y, 1 + x)};
}
Complex cbrt(Complex z) { return std::pow(z, 1.0 / 3); }
Complex power(Complex x, Complex y) {
  if (y == Complex(0)) return 1;
  if (x == Complex(0)) return 0;
  return std::exp(y * std::log(x));
}

}  // namespace

Complex (*complex_unary(std::string_view name))(Complex) {
  static const std::map<std::string_view, Complex (*)(Complex)> table = {
      {"negate", [](Complex z) { return -z; }},
      {"sign", sign},
      {"sqrt", [](Complex z) { return std::sqrt(z); }},
      {"rsqrt", [](Complex z) { return 1.0 / std::sqrt(z); }},
      {"cbrt", cbrt},
      {"exponential", [](Complex z) { return std::exp(z); }},
      {"exponential_minus_one", exponential_minus_one},
      {"log", [](Complex z) { return std::log(z); }},
      {"log_plus_one", log_plus_one},
      {"logistic", [](Complex z) { return 1.0 / (1.0 + std::exp(-z)); }},
      {"sine", [](Complex z) { return std::sin(z); }},
      {"cosine", [](Complex z) { return std::cos(z); }},
      {"tan", [](Complex z) { return std::tan(z); }},
      {"tanh", [](Complex z) { return std::tanh(z); }},
      {"sinh", [](Complex z) { return std::sinh(z); }},
      {"cosh", [](Complex z) { return std::cosh(z); }},
      {"asin", [](Complex z) { return std::asin(z); }},
      {"acos", [](Complex z) { return std::acos(z); }},
      {"atan", [](Complex z) { return std::atan(z); }},
      {"asinh", [](Complex z) { return std::asinh(z); }},
      {"acosh", [](Complex z) { return std::acosh(z); }},
      {"atanh", [](Complex z) { return std::atanh(z); }},
      {"square", [](Complex z) { return z * z; }},
  };
  const auto found = table.find(name.substr(name.find('.') + 1));
  return found == table.end() ? nullptr : found->second;
}

Complex (*complex_binary(std::string_view name))(Complex, Complex) {
  static const std::map<std::string_view, Complex (*)(Complex, Complex)> table = {
      {"add", [](Complex a, Complex b) { return a + b; }},      {"subtract", [](Complex a, Complex b) { return a - b; }},
      {"multiply", [](Complex a, Complex b) { return a * b; }}, {"divide", [](Complex a, Complex b) { return a / b; }},
      {"power", power},
  };
  const auto found = table.find(name.substr(name.find('.') + 1));
  return found == table.end() ? nullptr : found->second;
}

namespace {

using Tensors = std::vector<Tensor>;

// complex(real, imag)
//   c1: operands have one type, of f32 or f64;  c2: the result has their shape and the complex element type of them

std::vector<Type> infer_complex(const Operation& op) {
  const Type &x = op.operand(0)->type(), &y = op.operand(1)->type();
  if (x.dtype != y.dtype || !may_equal(x.shape, y.shape) || (x.dtype != DType::f32 && x.dtype != DType::f64)) {
    violated(op, "c1", "operands have types {} and {}, expected equal ones of f32 or f64", x.str(), y.str());
  }
  return {x.with_dtype(x.dtype == DType::f32 ? DType::c64 : DType::c128)};
}
void verify_complex(const Operation& op) { verify_inferred(op, "c2"); }

Tensors evaluate_complex(const Operation& op, const Tensors& operands, EvalContext&) {
  elementwise::check_sizes(op, operands[0], operands[1]);
  const std::vector<double> x = doubles(operands[0]), y = doubles(operands[1]);
  std::vector<Complex> values;
  for (size_t i = 0; i < x.size(); ++i) values.emplace_back(x[i], y[i]);
  return {tensor_of(op.result()->dtype(), operands[0].sizes(), values)};
}

// real(z), imag(z): of a real operand, itself and zeros
//   c1: the result has the operand's shape and the element type of its parts

std::vector<Type> infer_part(const Operation& op) {
  const Type& z = op.operand(0)->type();
  return {is_complex(z.dtype) ? z.with_dtype(part_dtype(z.dtype)) : z};
}
void verify_part(const Operation& op) { verify_inferred(op, "c1"); }

Tensors evaluate_part(const Operation& op, const Tensors& operands, EvalContext& context) {
  std::vector<double> parts;
  for (const Complex& z : complexes(operands[0])) parts.push_back(op.is("stablehlo.real") ? z.real() : z.imag());
  return {tensor_of(context.widened(op.result()->dtype()), operands[0].sizes(), parts)};
}

OpDef part(std::string_view name, std::string_view summary) {
  return {
      .name = name,
      .summary = summary,
      .operands = {{"z"}},
      .traits = Trait::pure | Trait::elementwise,
      .verify = verify_part,
      .infer = infer_part,
      .evaluate = evaluate_part,
      .gradient = no_gradient("not provided"),
      .decompose = primitive(),
      .cost = cost_movement,
  };
}

const OpDef complex_def = {
    .name = "stablehlo.complex",
    .summary = "complex numbers of real and imaginary parts",
    .operands = {{"real"}, {"imag"}},
    .traits = Trait::pure | Trait::elementwise,
    .verify = verify_complex,
    .infer = infer_complex,
    .evaluate = evaluate_complex,
    .gradient = no_gradient("not provided"),
    .decompose = primitive(),
    .cost = cost_movement,
};

}  // namespace

std::span<const OpDef> complex_ops() {
  static const OpDef table[] = {complex_def, part("stablehlo.real", "real parts"), part("stablehlo.imag", "imaginary parts")};
  return table;
}

}  // namespace stele
