module @m {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %1 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<2x3xf32>
    return %2 : tensor<2x3xf32>
  }
}
