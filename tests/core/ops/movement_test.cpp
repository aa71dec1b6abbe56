#include <catch2/catch.hpp>

#include "tests/support/ops.h"

using namespace stele;
using namespace stele::test;

namespace {

using Numbers = std::vector<double>;
const Tensor matrix = f32({2, 3}, {1, 2, 3, 4, 5, 6});

std::string error_in(const std::vector<Type>& types, const Body& body) {
  return error_of([&] { verify(*module_of(types, body)); });
}

Type tensor(std::vector<int64_t> sizes) { return Type::tensor(DType::f32, make_shape(sizes)); }

}  // namespace

TEST_CASE("broadcast_in_dim repeats", "[movement]") {
  const Tensor y = evaluate_one({f32({2, 1}, {1, 2})}, [](Builder& b, auto& in) { return build::broadcast_in_dim(b, in[0], tensor({2, 2, 2}), {1, 2}); });
  CHECK(values(y) == Numbers{1, 1, 2, 2, 1, 1, 2, 2});
  const Tensor turned = evaluate_one({matrix}, [](Builder& b, auto& in) { return build::broadcast_in_dim(b, in[0], tensor({3, 2}), {1, 0}); });
  CHECK(values(turned) == Numbers{1, 4, 2, 5, 3, 6});
}

TEST_CASE("broadcast_in_dim constraints", "[movement]") {
  const auto error = [](Type from, Type to, Ints dims) {
    return error_in({from}, [&](Builder& b, const std::vector<Value*>& x) { return std::vector<Value*>{build::broadcast_in_dim(b, x[0], to, dims)}; });
  };
  CHECK(error(tensor({2}), Type::tensor(DType::f64, {2}), {0}).find("broadcast_in_dim_c1") != std::string::npos);
  CHECK(error(tensor({2}), tensor({2}), {}).find("broadcast_in_dim_c2") != std::string::npos);
  CHECK(error(tensor({2, 2}), tensor({2, 2}), {0, 0}).find("broadcast_in_dim_c2") != std::string::npos);
  CHECK(error(tensor({2}), tensor({2}), {1}).find("broadcast_in_dim_c2") != std::string::npos);
  CHECK(error(tensor({2}), tensor({3}), {0}).find("broadcast_in_dim_c3") != std::string::npos);
}

TEST_CASE("reshape and transpose", "[movement]") {
  CHECK(values(evaluate_one({matrix}, [](Builder& b, auto& in) { return build::reshape(b, in[0], {3, 2}); })) == Numbers{1, 2, 3, 4, 5, 6});
  CHECK(values(evaluate_one({matrix}, [](Builder& b, auto& in) { return build::transpose(b, in[0], {1, 0}); })) == Numbers{1, 4, 2, 5, 3, 6});
  const Tensor cube = f32({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor y = evaluate_one({cube}, [](Builder& b, auto& in) { return build::transpose(b, in[0], {2, 0, 1}); });
  CHECK(y.sizes() == std::vector<int64_t>{3, 2, 1});
  CHECK(values(y) == Numbers{1, 4, 2, 5, 3, 6});
}

TEST_CASE("reshape and transpose constraints", "[movement]") {
  const auto make = [](std::string_view name, Type to, Attributes attributes) {
    return error_in({tensor({2, 3})}, [&](Builder& b, const std::vector<Value*>& x) { return std::vector<Value*>{b.create_value(name, {x[0]}, to, attributes)}; });
  };
  CHECK(make("stablehlo.reshape", Type::tensor(DType::f64, {6}), {}).find("reshape_c1") != std::string::npos);
  CHECK(make("stablehlo.reshape", tensor({5}), {}).find("reshape_c2") != std::string::npos);
  CHECK(make("stablehlo.transpose", tensor({3, 2}), {{"permutation", Ints{1}}}).find("transpose_c1") != std::string::npos);
  CHECK(make("stablehlo.transpose", tensor({3, 2}), {{"permutation", Ints{1, 1}}}).find("transpose_c1") != std::string::npos);
  CHECK(make("stablehlo.transpose", tensor({2, 3}), {{"permutation", Ints{1, 0}}}).find("transpose_c2") != std::string::npos);
}

TEST_CASE("slice", "[movement]") {
  const Tensor y = evaluate_one({matrix}, [](Builder& b, auto& in) { return build::slice(b, in[0], {0, 0}, {2, 3}, {1, 2}); });
  CHECK(values(y) == Numbers{1, 3, 4, 6});
  CHECK(values(evaluate_one({matrix}, [](Builder& b, auto& in) { return build::slice_axis(b, in[0], 1, 1, 1); })).empty());
}

TEST_CASE("slice to a symbolic limit", "[movement]") {
  const Dim n = Dim::symbol("n");
  const auto module = module_of({Type::tensor(DType::f32, {n})}, [&](Builder& b, const std::vector<Value*>& x) {
    return std::vector<Value*>{build::slice_axis(b, x[0], 0, n - 2, n)};
  });
  verify(*module);
  CHECK(module->main().result_types()[0].shape[0].is(2));
  CHECK(values(run(*module, {f32({5}, {1, 2, 3, 4, 5})})[0]) == Numbers{4, 5});
  CHECK(error_of([&] { run(*module, {f32({1}, {1})}); }).find("axis 0 from -1 to 1 is not within 1") != std::string::npos);
}

TEST_CASE("slice constraints", "[movement]") {
  const auto error = [](Ints starts, Ints limits, Ints strides) {
    return error_of([&] {
      evaluate_one({matrix}, [&](Builder& b, auto& in) { return build::slice(b, in[0], make_shape(starts), make_shape(limits), strides); });
    });
  };
  CHECK(error({0}, {2}, {1}).find("slice_c1") != std::string::npos);
  CHECK(error({-1, 0}, {2, 3}, {1, 1}).find("slice_c2") != std::string::npos);
  CHECK(error({0, 2}, {2, 1}, {1, 1}).find("slice_c2") != std::string::npos);
  CHECK(error({0, 0}, {2, 4}, {1, 1}).find("slice_c2") != std::string::npos);
  CHECK(error({0, 0}, {2, 3}, {1, 0}).find("slice_c3") != std::string::npos);
  CHECK(error_in({tensor({2})}, [](Builder& b, const std::vector<Value*>& x) {
          return std::vector<Value*>{b.create_value("stablehlo.slice", {x[0]}, tensor({2}), {{"start_indices", Ints{0}}, {"limit_indices", Ints{1}}})};
        }).find("slice_c4") != std::string::npos);
}

TEST_CASE("concatenate", "[movement]") {
  const Tensor column = f32({2, 1}, {7, 8});
  const auto join = [](Builder& b, auto& in) { return build::concatenate(b, in, 1); };
  CHECK(values(evaluate_one({matrix, column}, join)) == Numbers{1, 2, 3, 7, 4, 5, 6, 8});
  CHECK(values(evaluate_one({f32({2, 0}, {}), column}, join)) == Numbers{7, 8});
  const auto error = [&](const std::vector<Tensor>& inputs, int64_t axis) {
    return error_of([&] { evaluate_one(inputs, [&](Builder& b, auto& in) { return build::concatenate(b, in, axis); }); });
  };
  CHECK(error({matrix}, 2).find("concatenate_c1") != std::string::npos);
  CHECK(error({matrix, column}, 0).find("concatenate_c2") != std::string::npos);
  CHECK(error({matrix, i32({2, 1}, {1, 2})}, 1).find("concatenate_c2") != std::string::npos);
  CHECK(error({}, 0).find("concatenate_c3") != std::string::npos);
}

TEST_CASE("pad outside, between, and cropping", "[movement]") {
  const auto pad = [](Ints low, Ints high, Ints interior) {
    const Tensor x = f32({3}, {1, 2, 3});
    return values(evaluate_one({x, f32({}, {0})}, [&](Builder& b, auto& in) { return build::pad(b, in[0], in[1], make_shape(low), make_shape(high), interior); }));
  };
  CHECK(pad({1}, {2}, {0}) == Numbers{0, 1, 2, 3, 0, 0});
  CHECK(pad({0}, {0}, {1}) == Numbers{1, 0, 2, 0, 3});
  CHECK(pad({-1}, {0}, {0}) == Numbers{2, 3});
  CHECK(pad({-1}, {-1}, {1}) == Numbers{0, 2, 0});
  CHECK(pad({-3}, {1}, {0}) == Numbers{0});
  CHECK(pad({5}, {-5}, {0}) == Numbers{0, 0, 0});
}

TEST_CASE("pad constraints", "[movement]") {
  const auto error = [](const Tensor& value, Ints low, Ints high, Ints interior) {
    return error_of([&] {
      evaluate_one({f32({3}, {1, 2, 3}), value}, [&](Builder& b, auto& in) { return build::pad(b, in[0], in[1], make_shape(low), make_shape(high), interior); });
    });
  };
  CHECK(error(f32({1}, {0}), {0}, {0}, {0}).find("pad_c1") != std::string::npos);
  CHECK(error(f32({}, {0}), {0, 0}, {0}, {0}).find("pad_c2") != std::string::npos);
  CHECK(error(f32({}, {0}), {0}, {0}, {-1}).find("pad_c3") != std::string::npos);
  CHECK(error(f32({}, {0}), {-2}, {-2}, {0}).find("pad_c4") != std::string::npos);
}

TEST_CASE("reverse and iota", "[movement]") {
  CHECK(values(evaluate_one({matrix}, [](Builder& b, auto& in) { return build::reverse(b, in[0], {0, 1}); })) == Numbers{6, 5, 4, 3, 2, 1});
  CHECK(error_of([] { evaluate_one({matrix}, [](Builder& b, auto& in) { return build::reverse(b, in[0], {2}); }); }).find("reverse_c1") != std::string::npos);
  CHECK(values(evaluate_one({}, [](Builder& b, auto&) { return build::iota(b, tensor({2, 2}), 1); })) == Numbers{0, 1, 0, 1});
  CHECK(error_of([] { evaluate_one({}, [](Builder& b, auto&) { return build::iota(b, tensor({2}), 1); }); }).find("iota_c1") != std::string::npos);
}

TEST_CASE("bitcast_convert keeps the bits", "[movement]") {
  const auto bitcast = [](const Tensor& x, Type to) {
    return evaluate_one({x}, [&](Builder& b, auto& in) { return b.create_value("stablehlo.bitcast_convert", {in[0]}, to); });
  };
  CHECK(bitcast(f32({1}, {1}), Type::tensor(DType::i32, {1})).get_int(0) == 0x3f800000);
  CHECK(values(bitcast(i32({1}, {0x04030201}), Type::tensor(DType::u8, {1, 4}))) == Numbers{1, 2, 3, 4});
  CHECK(bitcast(Tensor::of_ints(DType::u8, {4}, {1, 2, 3, 4}), Type::tensor(DType::i32, {})).get_int(0) == 0x04030201);
  CHECK(error_of([&] { bitcast(f32({1}, {1}), Type::tensor(DType::i64, {1})); }).find("bitcast_convert_c1") != std::string::npos);
}

TEST_CASE("take gathers rows", "[movement]") {
  const auto take = [](const Tensor& x, const Tensor& at, int64_t axis) {
    return evaluate_one({x, at}, [&](Builder& b, auto& in) { return build::take(b, in[0], in[1], axis); });
  };
  CHECK(values(take(matrix, i32({2}, {1, 0}), 0)) == Numbers{4, 5, 6, 1, 2, 3});
  CHECK(values(take(matrix, i32({2}, {2, 2}), 1)) == Numbers{3, 3, 6, 6});
  CHECK(take(matrix, i32({2, 2}, {0, 1, 1, 0}), 0).sizes() == std::vector<int64_t>{2, 2, 3});
  CHECK(values(take(matrix, i32({}, {7}), 0)) == Numbers{4, 5, 6});  // clamped
}

TEST_CASE("gather with batching dims", "[movement]") {
  const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor y = evaluate_one({x, i32({2, 1}, {2, 0})}, [](Builder& b, auto& in) {
    return build::gather(b, in[0], in[1], {.collapsed_slice_dims = {1}, .operand_batching_dims = {0}, .start_indices_batching_dims = {0}, .start_index_map = {1}, .index_vector_dim = 1}, {1, 1});
  });
  CHECK(values(y) == Numbers{3, 4});
}

TEST_CASE("gather constraints", "[movement]") {
  const auto error = [](build::GatherDims dims, Ints sizes, DType index = DType::i32) {
    return error_of([&] {
      evaluate_one({matrix, Tensor(index, {2, 1})}, [&](Builder& b, auto& in) { return build::gather(b, in[0], in[1], dims, make_shape(sizes)); });
    });
  };
  const build::GatherDims good{.offset_dims = {1}, .collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = 1};
  CHECK(error(good, {1, 3}) == "no error");
  auto bad = good;
  bad.offset_dims = {5};
  CHECK(error(bad, {1, 3}).find("gather_c1") != std::string::npos);
  CHECK(error(good, {2, 3}).find("gather_c2") != std::string::npos);
  bad = good;
  bad.start_index_map = {0, 1};
  CHECK(error(bad, {1, 3}).find("gather_c3") != std::string::npos);
  bad = good;
  bad.index_vector_dim = 3;
  CHECK(error(bad, {1, 3}).find("gather_c4") != std::string::npos);
  CHECK(error(good, {1, 4}).find("gather_c5") != std::string::npos);
  CHECK(error(good, {1, 3}, DType::f32).find("gather_c7") != std::string::npos);
}

TEST_CASE("dynamic slices clamp their starts", "[movement]") {
  const auto slice = [](int64_t row, int64_t column) {
    return values(evaluate_one({matrix, i32({}, {row}), i32({}, {column})}, [](Builder& b, auto& in) { return build::dynamic_slice(b, in[0], {in[1], in[2]}, {1, 2}); }));
  };
  CHECK(slice(0, 1) == Numbers{2, 3});
  CHECK(slice(9, 9) == Numbers{5, 6});
  CHECK(slice(-4, -1) == Numbers{1, 2});
  const Tensor y = evaluate_one({matrix, f32({1, 2}, {8, 9}), i32({}, {1}), i32({}, {9})},
                                [](Builder& b, auto& in) { return build::dynamic_update_slice(b, in[0], in[1], {in[2], in[3]}); });
  CHECK(values(y) == Numbers{1, 2, 3, 4, 8, 9});
}

TEST_CASE("a view in an arena is not written through", "[movement]") {
  std::vector<std::byte> memory(sizeof(float) * 6);
  Tensor x = Tensor::view(DType::f32, {2, 3}, memory.data());
  for (int i = 0; i < 6; ++i) x.set(i, i);
  evaluate_one({x, f32({1, 2}, {8, 9}), i32({}, {1}), i32({}, {1})},
               [](Builder& b, auto& in) { return build::dynamic_update_slice(b, in[0], in[1], {in[2], in[3]}); });
  CHECK(values(x) == Numbers{0, 1, 2, 3, 4, 5});
}

TEST_CASE("NumPy broadcasting of shapes", "[build]") {
  const Dim n = Dim::symbol("n");
  CHECK(build::broadcast_shapes({n, 1}, {3}) == Shape{n, 3});
  CHECK(build::broadcast_shapes({}, {2, n}) == Shape{2, n});
  CHECK(error_of([&] { build::broadcast_shapes({n}, {3}); }) == "shapes [n] and [3] do not broadcast together");
}

TEST_CASE("dim_value knows a symbol's value", "[build]") {
  const Dim n = Dim::symbol("n");
  const auto module = module_of({Type::tensor(DType::f32, {n})}, [&](Builder& b, const std::vector<Value*>&) {
    return std::vector<Value*>{build::dim_value(b, DType::i64, n * 2), build::dim_value(b, DType::i64, 7)};
  });
  verify(*module);
  const auto results = run(*module, {f32({3}, {1, 2, 3})});
  CHECK(results[0].get_int(0) == 6);
  CHECK(results[1].get_int(0) == 7);
}
