// The families of ops. An op is added in its family's file: its record, in that file's table.
#pragma once

#include <span>

#include "core/ops/op_def.h"

namespace stele {

using OpFamily = std::span<const OpDef>();

std::span<OpFamily* const> op_families();

OpFamily control_ops;  // functions, calls, terminators, while, if, case
OpFamily elementwise_ops;  // compare, select, clamp, convert …
OpFamily elementwise_unary_ops;
OpFamily elementwise_binary_ops;
OpFamily special_ops;  // chlo.erf_inv, digamma …
OpFamily complex_ops;  // complex, real, imag
OpFamily contraction_ops;  // dot_general, dot
OpFamily convolution_ops;
OpFamily reduction_ops;
OpFamily movement_ops;  // broadcast_in_dim, reshape, transpose, slice …
OpFamily gather_ops;    // gather, dynamic_slice, dynamic_update_slice
OpFamily scatter_ops;   // scatter, select_and_scatter, sort
OpFamily linear_algebra_ops;  // fft, cholesky, triangular_solve, chlo.top_k
OpFamily dynamic_ops;   // dynamic_broadcast_in_dim, dynamic_reshape …
OpFamily check_ops;     // custom_call, check.*
OpFamily source_ops;    // constant, iota, bitcast_convert, optimization_barrier
OpFamily kernel_ops;
OpFamily loop_ops;
OpFamily machine_ops;  // llvm.kernel, machine.kernel
OpFamily onnx_elementwise_ops;
OpFamily onnx_gather_ops;
OpFamily onnx_movement_ops;
OpFamily onnx_pad_ops;
OpFamily onnx_activation_ops;
OpFamily onnx_reduction_ops;
OpFamily onnx_shape_ops;
OpFamily onnx_basic_ops;
OpFamily onnx_matmul_ops;
OpFamily onnx_conv_ops;
OpFamily onnx_pool_ops;
OpFamily onnx_norm_ops;
OpFamily onnx_softmax_ops;

}  // namespace stele
