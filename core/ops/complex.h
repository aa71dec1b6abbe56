// Complex numbers in the elementwise families, contractions and reductions: computed in complex<double>, rounded once.
#pragma once

#include <complex>
#include <vector>

#include "core/ops/rules.h"

namespace stele {

using Complex = std::complex<double>;

std::vector<Complex> complexes(const Tensor& tensor);  // of a real tensor: imaginary parts 0
Tensor tensor_of(DType dtype, Ints sizes, const std::vector<Complex>& values);
DType part_dtype(DType complex);  // f32 of c64, f64 of c128

// The op's function of complex numbers by its name; null where it has none.
Complex (*complex_unary(std::string_view name))(Complex);
Complex (*complex_binary(std::string_view name))(Complex, Complex);

}  // namespace stele
