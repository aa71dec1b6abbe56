// What the records of ONNX's neural network ops share. Their evaluators are written from https://onnx.ai/onnx/operators/ in
// double with one rounding at the end, and never by way of the decomposition, which they are there to check.
#pragma once

#include "core/ops/build.h"
#include "core/ops/onnx_common.h"

namespace stele::onnx_nn {

// Of ONNX's own domain, as the module states it; 23 where it states none.
int64_t opset_of(const Operation& op);
// What a decomposition computes in: half precision would round every step.
DType compute_dtype(DType dtype);
// A verifier that says what inference would, where the operands' types are known.
void verify_by_inference(const Operation& op);
// One launch of that many FLOPs an element of operand 0; one launch alone where types are unknown.
Cost cost_an_element(const Operation& op, int64_t flops);

// Values along `axis` that x is normalised over: leading, count along the axes, trailing.
struct Split {
  int64_t outer = 1, count = 1, inner = 1;
};
Split split_at(const Ints& sizes, int64_t first, int64_t last);  // axes [first, last)

Ints axes_from(int64_t first, int64_t rank);
// The mean over axes, which stay as 1.
Value* mean(Builder& b, Value* x, const Ints& axes);
// x op y, y broadcast to x's shape by NumPy's rules.
Value* with(Builder& b, std::string_view name, Value* x, Value* y);
Value* with(Builder& b, std::string_view name, Value* x, double y);
// y[c] for every element of channel c of x: along axis 1.
Value* along_channels(Builder& b, Value* y, const Type& type);

// How a window slides over the spatial axes of a Conv or a pool.
struct SlidingWindow {
  Ints kernel, strides, dilations;
  Ints low, high;      // padding; `high` with what ceil_mode adds
  Ints stated_high;    // without
  Shape positions;     // sizes of the result's spatial axes
  Ints padding() const;  // low and high interleaved
  int64_t elements() const;  // of the window
  bool has_padding() const;
};
// From attributes strides, dilations, pads, auto_pad and ceil_mode. Throws the constraints of `op`:
//   w1: one entry a spatial axis, two for pads;  w2: positive strides and dilations, pads not negative
//   w3: the window fits;  w4: padding that depends on a free dim is not supported
SlidingWindow sliding_window(const Operation& op, const Shape& spatial, const Ints& kernel);

}  // namespace stele::onnx_nn
