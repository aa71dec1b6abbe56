module @m {
  func.func @main(%arg0: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<10> : tensor<i32>
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<i32>
     cond {
      %1 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
    return %0 : tensor<i32>
  }
}
