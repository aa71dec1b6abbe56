"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (tensor<?x64xf32>) -> tensor<64x?xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<?x64xf32>):
    %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<?x64xf32>) -> tensor<64x?xf32>
    "func.return"(%0) : (tensor<64x?xf32>) -> ()
  }) : () -> ()
}) : () -> ()
