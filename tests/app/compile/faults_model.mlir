module @faults {
  func.func @main(%x: tensor<3x4xf32>) -> (tensor<4x3xf32>, tensor<3x4xf32>) {
    %a = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %b = stablehlo.constant dense<[0.5, 0.25, 3.0, 1.0]> : tensor<4xf32>
    %c = stablehlo.multiply %a, %b : tensor<4xf32>
    %d = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %dead = stablehlo.exponential %x : tensor<3x4xf32>
    %y = stablehlo.add %x, %d : tensor<3x4xf32>
    %z = onnx.Tanh(%y) : (tensor<3x4xf32>) -> !stele.unknown
    %t = onnx.Transpose(%z) {perm = array<i64: 1, 0>} : (!stele.unknown) -> tensor<4x3xf32>
    return %t, %y : tensor<4x3xf32>, tensor<3x4xf32>
  }
}
