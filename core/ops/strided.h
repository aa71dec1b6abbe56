// Movement of elements whatever their type: shared by the records of movement ops.
#pragma once

#include "core/ops/rules.h"

namespace stele {

// result[s] = x[start + sum(s[i] * strides[i])], in elements; strides may be 0 or negative.
Tensor gather_strided(const Tensor& x, const Ints& sizes, int64_t start, const Ints& strides);
// Copies all of `from` (row-major) to to[start + sum(s[i] * strides[i])].
void scatter_strided(const Tensor& from, Tensor& to, int64_t start, const Ints& strides);

// x's axis i is the result's axis dims[i]. Throws Error naming op where sizes do not fit.
Tensor broadcast_to_sizes(const Operation& op, const Tensor& x, const Ints& sizes, const Ints& dims);
Tensor slice_tensor(const Operation& op, const Tensor& x, const Ints& starts, const Ints& limits, const Ints& steps);
Tensor pad_tensor(const Tensor& x, const Tensor& value, const Ints& low, const Ints& high, const Ints& interior);
Tensor filled(const Tensor& value, const Ints& sizes);  // every element is value's first

}  // namespace stele
