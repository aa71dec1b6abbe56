#include <catch2/catch.hpp>

#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

using Numbers = std::vector<double>;

std::vector<double> count(int64_t n) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < n; ++i) numbers.push_back(static_cast<double>(i));
  return numbers;
}

}  // namespace

TEST_CASE("dot_general multiplies matrices", "[contraction]") {
  const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6}), y = f32({3, 2}, {1, 0, 0, 1, 1, 1});
  CHECK(values(evaluate_one({x, y}, [](Builder& b, auto& in) { return build::matmul(b, in[0], in[1]); })) == Numbers{4, 5, 10, 11});
  // y transposed: contracted over its last axis
  const Tensor z = f32({2, 3}, {1, 0, 1, 0, 1, 1});
  CHECK(values(evaluate_one({x, z}, [](Builder& b, auto& in) {
          return build::dot_general(b, in[0], in[1], {.lhs_contracting = {1}, .rhs_contracting = {1}});
        })) == Numbers{4, 5, 10, 11});
}

TEST_CASE("dot_general over batches in any place", "[contraction]") {
  const Tensor x = f32({3, 2, 2}, count(12)), y = f32({2, 3, 1}, {1, 10, 100, 1, 10, 100});
  const Tensor z = evaluate_one({x, y}, [](Builder& b, auto& in) {
    return build::dot_general(b, in[0], in[1], {.lhs_batching = {1}, .rhs_batching = {0}, .lhs_contracting = {0}, .rhs_contracting = {1}});
  });
  CHECK(z.sizes() == std::vector<int64_t>{2, 2, 1});
  CHECK(values(z) == Numbers{0 + 40 + 800, 1 + 50 + 900, 2 + 60 + 1000, 3 + 70 + 1100});
}

TEST_CASE("matmul follows numpy", "[contraction]") {
  const auto sizes = [](std::vector<int64_t> x, std::vector<int64_t> y) {
    return evaluate_one({Tensor(DType::f32, x), Tensor(DType::f32, y)}, [](Builder& b, auto& in) { return build::matmul(b, in[0], in[1]); }).sizes();
  };
  using Sizes = std::vector<int64_t>;
  CHECK(sizes({3}, {3}) == Sizes{});
  CHECK(sizes({3}, {3, 4}) == Sizes{4});
  CHECK(sizes({2, 3}, {3}) == Sizes{2});
  CHECK(sizes({5, 1, 2, 3}, {4, 3, 6}) == Sizes{5, 4, 2, 6});
  CHECK(sizes({5, 2, 3}, {3, 6}) == Sizes{5, 2, 6});
  CHECK(sizes({0, 3}, {3, 2}) == Sizes{0, 2});
}

TEST_CASE("an empty contraction is zero", "[contraction]") {
  const Tensor z = evaluate_one({Tensor(DType::f32, {2, 0}), Tensor(DType::f32, {0, 2})}, [](Builder& b, auto& in) { return build::matmul(b, in[0], in[1]); });
  CHECK(values(z) == Numbers{0, 0, 0, 0});
}

TEST_CASE("contractions accumulate in double, integers wrap", "[contraction]") {
  const Tensor z = evaluate_one({f32({1, 3}, {1e8, 1, -1e8}), f32({3, 1}, {1, 1, 1})}, [](Builder& b, auto& in) { return build::matmul(b, in[0], in[1]); });
  CHECK(z.get(0) == 1);
  const Tensor bytes = Tensor::of_ints(DType::i8, {1, 2}, {100, 100});
  const Tensor product = evaluate_one({bytes, Tensor::of_ints(DType::i8, {2, 1}, {2, 2})}, [](Builder& b, auto& in) { return build::matmul(b, in[0], in[1]); });
  CHECK(product.get_int(0) == static_cast<int8_t>(400));
}

TEST_CASE("dot_general constraints", "[contraction]") {
  const auto error = [](build::DotDims dims) {
    return error_of([&] {
      evaluate_one({Tensor(DType::f32, {2, 3}), Tensor(DType::f32, {4, 2})}, [&](Builder& b, auto& in) { return build::dot_general(b, in[0], in[1], dims); });
    });
  };
  CHECK(error({.lhs_contracting = {2}, .rhs_contracting = {0}}).find("dot_general_c1") != std::string::npos);
  CHECK(error({.lhs_contracting = {0}, .rhs_contracting = {-1}}).find("dot_general_c2") != std::string::npos);
  CHECK(error({.lhs_contracting = {1}, .rhs_contracting = {0}}).find("dot_general_c3") != std::string::npos);
  CHECK(error({.lhs_contracting = {0}, .rhs_contracting = {1}}) == "no error");
}

TEST_CASE("convolution in one dimension", "[contraction]") {
  const auto convolve = [](const Tensor& x, const Tensor& w, build::Convolution how) {
    return values(evaluate_one({x, w}, [&](Builder& b, auto& in) { return build::convolution(b, in[0], in[1], how); }));
  };
  const Tensor x = f32({1, 1, 4}, {1, 2, 3, 4}), w = f32({1, 1, 2}, {1, 10});
  CHECK(convolve(x, w, {}) == Numbers{21, 32, 43});
  CHECK(convolve(x, w, {.padding = {1, 1}}) == Numbers{10, 21, 32, 43, 4});
  CHECK(convolve(x, w, {.window_strides = {2}}) == Numbers{21, 43});
  CHECK(convolve(x, w, {.rhs_dilation = {2}}) == Numbers{31, 42});
  CHECK(convolve(x, w, {.lhs_dilation = {2}}) == Numbers{1, 20, 2, 30, 3, 40});
  CHECK(convolve(x, w, {.padding = {-1, 0}}) == Numbers{32, 43});
  CHECK(convolve(f32({1, 1, 1}, {1}), w, {}).empty());
}

TEST_CASE("convolution in two dimensions with features and batches", "[contraction]") {
  const Tensor x = f32({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), w = f32({1, 2, 2, 2}, {1, 1, 1, 1, 2, 2, 2, 2});
  const Tensor y = evaluate_one({x, w}, [](Builder& b, auto& in) { return build::convolution(b, in[0], in[1], {}); });
  CHECK(values(y) == Numbers{10 + 52});
}

TEST_CASE("grouped convolution", "[contraction]") {
  const Tensor x = f32({1, 2, 2}, {1, 2, 3, 4}), w = f32({2, 1, 1}, {10, 100});
  const Tensor y = evaluate_one({x, w}, [](Builder& b, auto& in) { return build::convolution(b, in[0], in[1], {.feature_group_count = 2}); });
  CHECK(values(y) == Numbers{10, 20, 300, 400});
}

TEST_CASE("convolution in another layout", "[contraction]") {
  // [spatial, batch, feature] x [spatial, input, output]
  const Tensor x = f32({3, 1, 1}, {1, 2, 3}), w = f32({2, 1, 2}, {1, 10, 1, 10});
  const Tensor y = evaluate_one({x, w}, [](Builder& b, auto& in) {
    return infer_value(b, "stablehlo.convolution", {in[0], in[1]},
                       {{"input_batch_dimension", 1}, {"input_feature_dimension", 2}, {"input_spatial_dimensions", Ints{0}},
                        {"kernel_input_feature_dimension", 1}, {"kernel_output_feature_dimension", 2}, {"kernel_spatial_dimensions", Ints{0}},
                        {"output_batch_dimension", 0}, {"output_feature_dimension", 2}, {"output_spatial_dimensions", Ints{1}}});
  });
  CHECK(y.sizes() == std::vector<int64_t>{1, 2, 2});
  CHECK(values(y) == Numbers{3, 30, 5, 50});
}

TEST_CASE("convolution constraints", "[contraction]") {
  const auto error = [](std::vector<int64_t> x, std::vector<int64_t> w, build::Convolution how) {
    return error_of([&] { evaluate_one({Tensor(DType::f32, x), Tensor(DType::f32, w)}, [&](Builder& b, auto& in) { return build::convolution(b, in[0], in[1], how); }); });
  };
  CHECK(error({1, 2, 4}, {1, 2, 2}, {}) == "no error");
  CHECK(error({1, 2, 4}, {1, 2}, {}).find("convolution_c1") != std::string::npos);
  CHECK(error({1, 2, 4}, {1, 2, 2}, {.window_strides = {0}}).find("convolution_c2") != std::string::npos);
  CHECK(error({1, 3, 4}, {1, 2, 2}, {}).find("convolution_c3") != std::string::npos);
  CHECK(error({1, 4, 4}, {3, 2, 2}, {.feature_group_count = 2}).find("convolution_c4") != std::string::npos);
}

TEST_CASE("convolution of symbolic sizes", "[contraction]") {
  const Dim h = Dim::symbol("h");
  const auto module = module_of({Type::tensor(DType::f32, {1, 1, h})}, [](Builder& b, const std::vector<Value*>& x) {
    Value* w = build::constant(b, f32({1, 1, 3}, {1, 1, 1}));
    return std::vector<Value*>{build::convolution(b, x[0], w, {.window_strides = {2}, .padding = {1, 1}})};
  });
  verify(*module);
  CHECK(values(run(*module, {f32({1, 1, 4}, {1, 2, 3, 4})})[0]) == Numbers{3, 9});
  CHECK(values(run(*module, {f32({1, 1, 5}, {1, 2, 3, 4, 5})})[0]) == Numbers{3, 9, 9});
}
