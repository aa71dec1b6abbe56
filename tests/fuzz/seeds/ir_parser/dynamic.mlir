module @m attributes {stele.symbols = {batch = [1, 64]}} {
  func.func @main(%arg0: tensor<?x64xf32, #stele.dims<batch>>) -> tensor<?x64xf32, #stele.dims<batch>> {
    %0 = onnx.Relu(%arg0) : (tensor<?x64xf32, #stele.dims<batch>>) -> tensor<?x64xf32, #stele.dims<batch>>
    return %0 : tensor<?x64xf32, #stele.dims<batch>>
  }
}
