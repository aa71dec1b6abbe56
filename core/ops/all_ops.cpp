#include "core/ops/all_ops.h"

namespace stele {

std::span<OpFamily* const> op_families() {
  static OpFamily* const families[] = {
      control_ops,
      elementwise_ops,
      elementwise_unary_ops,
      elementwise_binary_ops,
      special_ops,
      complex_ops,
      contraction_ops,
      convolution_ops,
      reduction_ops,
      movement_ops,
      gather_ops,
      scatter_ops,
      linear_algebra_ops,
      dynamic_ops,
      check_ops,
      source_ops,
      kernel_ops,
      onnx_activation_ops,
      onnx_elementwise_ops,
      onnx_gather_ops,
      onnx_movement_ops,
      onnx_pad_ops,
      onnx_reduction_ops,
      onnx_shape_ops,
      onnx_basic_ops,
      onnx_matmul_ops,
      onnx_conv_ops,
      onnx_pool_ops,
      onnx_norm_ops,
      onnx_softmax_ops,
      loop_ops,
      machine_ops,
      // One line a family, as its file lands.
  };
  return families;
}

}  // namespace stele
