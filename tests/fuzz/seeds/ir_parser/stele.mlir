module @m attributes {stele.symbols = {batch = array<i64: 1, 64>}} {
  func.func public @main(%x: tensor<?x4xf32, #stele.dims<2*batch>> {stele.name = "in put"}) -> (tensor<?x4xf32, #stele.dims<2*batch>> {stele.name = "y"}) attributes {arena = #stele.dim<[64*batch]>} {
    %0 = onnx.Gemm(%x) {alpha = 1.500000e+00 : f64, axes = array<i64: 1, 2>, names = ["a", "b"]} : (tensor<?x4xf32, #stele.dims<2*batch>>) -> tensor<?x4xf32, #stele.dims<2*batch>> loc(#stele<id = 3, from = [1], label = "g", names = ["z/0"]>)
    %1 = stablehlo.slice %0 [0:2*batch, 0:4] : (tensor<?x4xf32, #stele.dims<2*batch>>) -> tensor<?x4xf32, #stele.dims<2*batch>>
    return %1 : tensor<?x4xf32, #stele.dims<2*batch>>
  }
}
