#include <catch2/catch.hpp>
#include <numeric>

#include "core/ops/rules.h"
#include "tests/support/single_op.h"

using namespace stele;
using namespace stele::test;

namespace {

Tensor i64(const Ints& values) { return Tensor::of_ints(DType::i64, {static_cast<int64_t>(values.size())}, values); }
Tensor count_up(Ints sizes) {
  Ints values(static_cast<size_t>(checked_element_count(sizes)));
  std::iota(values.begin(), values.end(), 0);
  return Tensor::of_ints(DType::i32, std::move(sizes), values);
}
Tensor checked(const SingleOp& op) { return check_decomposition(op)[0]; }

}  // namespace

TEST_CASE("onnx.Reshape", "[onnx]") {
  auto shape = [](const Tensor& data, const Ints& wanted, Attributes attributes = {}) {
    return checked({.name = "onnx.Reshape", .operands = {data, i64(wanted)}, .attributes = std::move(attributes), .constants = {1}}).sizes();
  };
  CHECK(shape(count_up({2, 3, 4}), {4, -1}) == Ints{4, 6});
  CHECK(shape(count_up({2, 3, 4}), {0, 12}) == Ints{2, 12});
  CHECK(shape(count_up({2, 3, 4}), {0, 0, 2, -1}) == Ints{2, 3, 2, 2});
  CHECK(shape(count_up({1}), {}) == Ints{});
  CHECK(shape(count_up({0, 3}), {3, 0}, {{"allowzero", 1}}) == Ints{3, 0});
  CHECK_THROWS_WITH(shape(count_up({2, 3}), {-1, -1}), Catch::Contains("Reshape_c1"));
  CHECK_THROWS_WITH(shape(count_up({2}), {2, 0}), Catch::Contains("Reshape_c2"));
  CHECK_THROWS_WITH(shape(count_up({2, 3}), {4, -1}), Catch::Contains("Reshape_c3"));
  CHECK_THROWS_WITH(shape(count_up({2, 3}), {7}), Catch::Contains("Reshape_c3"));
  checked({.name = "onnx.Reshape", .operands = {count_up({2, 3, 4}), i64({0, 2, -1})}, .free_dims = {"batch"}, .constants = {1}});
  checked({.name = "onnx.Reshape", .operands = {count_up({2, 3, 4}), i64({-1, 4})}, .free_dims = {"batch", "seq"}, .constants = {1}});
}

TEST_CASE("onnx.Flatten, Squeeze, Unsqueeze, Expand", "[onnx]") {
  CHECK(checked({"onnx.Flatten", {count_up({2, 3, 4})}}).sizes() == Ints{2, 12});
  CHECK(checked({"onnx.Flatten", {count_up({2, 3, 4})}, {{"axis", -1}}}).sizes() == Ints{6, 4});
  CHECK(checked({"onnx.Flatten", {count_up({2, 3})}, {{"axis", 0}}}).sizes() == Ints{1, 6});
  CHECK_THROWS_WITH(single_op({"onnx.Flatten", {count_up({2})}, {{"axis", 2}}}), Catch::Contains("Flatten_c1"));
  CHECK(checked({"onnx.Squeeze", {count_up({1, 3, 1})}}).sizes() == Ints{3});
  CHECK(checked({.name = "onnx.Squeeze", .operands = {count_up({1, 3, 1}), i64({-1})}, .constants = {1}}).sizes() == Ints{1, 3});
  CHECK(checked({"onnx.Squeeze", {count_up({1, 3})}, {{"axes", Ints{0}}}}).sizes() == Ints{3});
  CHECK_THROWS_WITH(single_op({"onnx.Squeeze", {count_up({2, 3})}, {{"axes", Ints{0}}}}), Catch::Contains("Squeeze_c2"));
  CHECK(checked({.name = "onnx.Unsqueeze", .operands = {count_up({2, 3}), i64({0, -1})}, .constants = {1}}).sizes() == Ints{1, 2, 3, 1});
  CHECK_THROWS_WITH(single_op({"onnx.Unsqueeze", {count_up({2})}, {{"axes", Ints{3}}}}), Catch::Contains("Unsqueeze_c1"));
  auto expand = [](const Tensor& x, const Ints& to) { return checked({.name = "onnx.Expand", .operands = {x, i64(to)}, .constants = {1}}); };
  CHECK(ints(expand(count_up({2, 1}), {2, 2})) == Ints{0, 0, 1, 1});
  CHECK(expand(count_up({3}), {2, 1}).sizes() == Ints{2, 3});
  CHECK(expand(count_up({2, 1, 3}), {1, 4, 1}).sizes() == Ints{2, 4, 3});
  CHECK_THROWS_WITH(expand(count_up({2}), {3}), Catch::Contains("Expand_c1"));
}

TEST_CASE("onnx.Shape, Size, Range", "[onnx]") {
  CHECK(ints(checked({"onnx.Shape", {count_up({2, 3, 4})}})) == Ints{2, 3, 4});
  CHECK(ints(checked({"onnx.Shape", {count_up({2, 3, 4})}, {{"start", -2}, {"end", 99}}})) == Ints{3, 4});
  CHECK(ints(checked({"onnx.Shape", {count_up({2, 3})}, {{"start", 1}, {"end", 0}}})) == Ints{});
  CHECK(ints(checked({.name = "onnx.Shape", .operands = {count_up({2, 3})}, .free_dims = {"n"}})) == Ints{2, 3});
  CHECK(checked({.name = "onnx.Size", .operands = {count_up({2, 3})}, .free_dims = {"n"}}).get_int(0) == 6);
  auto range = [](double start, double limit, double delta, DType dtype) {
    return doubles(checked({.name = "onnx.Range", .operands = {Tensor::scalar(dtype, start), Tensor::scalar(dtype, limit), Tensor::scalar(dtype, delta)},
                            .constants = {0, 1, 2}}));
  };
  CHECK(range(1, 8, 3, DType::i64) == std::vector<double>{1, 4, 7});
  CHECK(range(5, 0, -2, DType::i32) == std::vector<double>{5, 3, 1});
  CHECK(range(0, 1, 0.25, DType::f32) == std::vector<double>{0, 0.25, 0.5, 0.75});
  CHECK(range(3, 1, 1, DType::f32).empty());
  CHECK_THROWS_WITH(range(0, 1, 0, DType::i64), Catch::Contains("Range_c2"));
}

TEST_CASE("onnx.Transpose, Concat, Split, Tile", "[onnx]") {
  CHECK(ints(checked({"onnx.Transpose", {count_up({2, 3})}})) == Ints{0, 3, 1, 4, 2, 5});
  CHECK(checked({"onnx.Transpose", {count_up({2, 3, 4})}, {{"perm", Ints{2, 0, 1}}}}).sizes() == Ints{4, 2, 3});
  CHECK_THROWS_WITH(single_op({"onnx.Transpose", {count_up({2, 3})}, {{"perm", Ints{0, 0}}}}), Catch::Contains("Transpose_c1"));
  CHECK(ints(checked({"onnx.Concat", {count_up({2, 1}), count_up({2, 2})}, {{"axis", -1}}})) == Ints{0, 0, 1, 1, 2, 3});
  CHECK(checked({"onnx.Concat", {count_up({2, 1}), count_up({0, 1})}, {{"axis", 0}}}).sizes() == Ints{2, 1});
  CHECK(checked({"onnx.Concat", {count_up({3})}, {{"axis", 0}}}).sizes() == Ints{3});
  CHECK_THROWS_WITH(single_op({"onnx.Concat", {count_up({2, 1}), count_up({3, 1})}, {{"axis", 1}}}), Catch::Contains("Concat_c3"));
  auto split = [](const SingleOp& op) {
    std::vector<Ints> parts;
    for (const Tensor& part : check_decomposition(op)) parts.push_back(ints(part));
    return parts;
  };
  CHECK(split({.name = "onnx.Split", .operands = {count_up({4})}, .results = 2}) == std::vector<Ints>{{0, 1}, {2, 3}});
  CHECK(split({.name = "onnx.Split", .operands = {count_up({5})}, .attributes = {{"num_outputs", 3}}, .results = 3}) == std::vector<Ints>{{0, 1}, {2, 3}, {4}});
  CHECK(split({.name = "onnx.Split", .operands = {count_up({2, 3}), i64({1, 2})}, .attributes = {{"axis", 1}}, .results = 2, .constants = {1}}) ==
        std::vector<Ints>{{0, 3}, {1, 2, 4, 5}});
  split({.name = "onnx.Split", .operands = {count_up({4, 2})}, .results = 2, .free_dims = {"n"}});
  CHECK_THROWS_WITH(split({.name = "onnx.Split", .operands = {count_up({4}), i64({1, 2})}, .results = 2, .constants = {1}}), Catch::Contains("Split_c2"));
  auto tile = [](const Tensor& x, const Ints& repeats) { return checked({.name = "onnx.Tile", .operands = {x, i64(repeats)}, .constants = {1}}); };
  CHECK(ints(tile(count_up({2, 2}), {1, 2})) == Ints{0, 1, 0, 1, 2, 3, 2, 3});
  CHECK(ints(tile(count_up({2}), {3})) == Ints{0, 1, 0, 1, 0, 1});
  CHECK_THROWS_WITH(tile(count_up({2}), {3, 1}), Catch::Contains("Tile_c1"));
}

TEST_CASE("onnx.Slice", "[onnx]") {
  struct Setting {
    Ints sizes, starts, ends, axes, steps, expected;
  };
  const Setting settings[] = {
      {{6}, {1}, {4}, {0}, {1}, {1, 2, 3}},      {{6}, {-2}, {99}, {0}, {1}, {4, 5}},
      {{6}, {0}, {6}, {-1}, {2}, {0, 2, 4}},     {{6}, {5}, {1}, {0}, {-2}, {5, 3}},
      {{6}, {99}, {-99}, {0}, {-1}, {5, 4, 3, 2, 1, 0}}, {{6}, {4}, {2}, {0}, {1}, {}},
      {{6}, {0}, {INT64_MAX}, {0}, {4}, {0, 4}}, {{6}, {-1}, {INT64_MIN}, {0}, {-3}, {5, 2}},
      {{6}, {1}, {6}, {0}, {INT64_MAX}, {1}},    {{2, 3}, {0, 1}, {2, 3}, {}, {}, {1, 2, 4, 5}},
      {{2, 3}, {1}, {3}, {1}, {}, {1, 2, 4, 5}}, {{0}, {0}, {5}, {0}, {1}, {}},
      {{0}, {-1}, {INT64_MIN}, {0}, {-1}, {}},
  };
  for (const Setting& s : settings) {
    INFO(str(s.starts) << " to " << str(s.ends) << " by " << str(s.steps));
    std::vector<Tensor> operands = {count_up(s.sizes), i64(s.starts), i64(s.ends), s.axes.empty() ? Tensor() : i64(s.axes)};
    if (!s.steps.empty()) operands.push_back(i64(s.steps));
    CHECK(ints(checked({.name = "onnx.Slice", .operands = operands, .constants = {1, 2, 3, 4}})) == s.expected);
  }
  for (const auto& [start, end, step] : {std::tuple{0, 3, 1}, {1, 1000, 1}, {-1, 1000, 1}, {0, -1, 1}, {-1, -1000, -1}, {3, 0, -2}, {0, 4, 3}, {1, 2, 1}}) {
    INFO(start << " to " << end << " by " << step << " of a free dim");
    checked({.name = "onnx.Slice", .operands = {count_up({5, 2}), i64({start}), i64({end}), i64({0}), i64({step})}, .free_dims = {"n"}, .constants = {1, 2, 3, 4}});
  }
  auto broken = [](Ints starts, Ints axes, Ints steps) {
    return single_op({.name = "onnx.Slice", .operands = {count_up({4, 4}), i64(starts), i64({1}), i64(axes), i64(steps)}, .constants = {1, 2, 3, 4}});
  };
  CHECK_THROWS_WITH(broken({0}, {2}, {1}), Catch::Contains("Slice_c1"));
  CHECK_THROWS_WITH(broken({0, 0}, {0}, {1}), Catch::Contains("Slice_c2"));
  CHECK_THROWS_WITH(broken({0}, {0}, {0}), Catch::Contains("Slice_c3"));
}

TEST_CASE("onnx.Gather, GatherElements, GatherND", "[onnx]") {
  const Tensor data = count_up({3, 4});
  for (bool constant : {false, true}) {
    const std::vector<unsigned> constants = constant ? std::vector<unsigned>{1} : std::vector<unsigned>{};
    auto gather = [&](Tensor indices, int64_t axis, std::vector<std::string> free_dims = {}) {
      return checked({.name = "onnx.Gather", .operands = {data, indices}, .attributes = {{"axis", axis}}, .free_dims = free_dims, .constants = constants});
    };
    CHECK(ints(gather(i64({2, -3}), 0)) == Ints{8, 9, 10, 11, 0, 1, 2, 3});
    CHECK(ints(gather(Tensor::of_ints(DType::i32, {}, {-1}), 1)) == Ints{3, 7, 11});
    CHECK(gather(Tensor::of_ints(DType::i64, {2, 1}, {0, 1}), 1).sizes() == Ints{3, 2, 1});
    gather(i64({2, -3, 0}), 0, {"n"});
    auto elements = [&](Tensor indices, int64_t axis) {
      return checked({.name = "onnx.GatherElements", .operands = {data, indices}, .attributes = {{"axis", axis}}, .constants = constants});
    };
    CHECK(ints(elements(Tensor::of_ints(DType::i64, {3, 1}, {3, -4, 1}), 1)) == Ints{3, 4, 9});
    CHECK(ints(elements(Tensor::of_ints(DType::i64, {2, 3}, {0, 1, 2, -1, -2, -3}), 0)) == Ints{0, 5, 10, 8, 5, 2});
    auto nd = [&](Tensor from, Tensor indices, int64_t batch_dims) {
      return checked({.name = "onnx.GatherND", .operands = {from, indices}, .attributes = {{"batch_dims", batch_dims}}, .constants = constants});
    };
    CHECK(ints(nd(data, Tensor::of_ints(DType::i64, {2, 2}, {0, 1, -1, -1}), 0)) == Ints{1, 11});
    CHECK(ints(nd(data, Tensor::of_ints(DType::i64, {1, 1}, {1}), 0)) == Ints{4, 5, 6, 7});
    CHECK(ints(nd(count_up({2, 3, 2}), Tensor::of_ints(DType::i64, {2, 1}, {1, 0}), 1)) == Ints{2, 3, 6, 7});
  }
  CHECK_THROWS_WITH(checked({"onnx.Gather", {data, i64({3})}}), Catch::Contains("out of range"));
  CHECK_THROWS_WITH(single_op({"onnx.Gather", {data, data}, {{"axis", 2}}}), Catch::Contains("Gather_c2"));
  CHECK_THROWS_WITH(single_op({"onnx.GatherElements", {data, count_up({3, 5})}}), Catch::Contains("GatherElements_c3"));
  CHECK_THROWS_WITH(single_op({"onnx.GatherND", {data, count_up({1, 3})}}), Catch::Contains("GatherND_c2"));
}

TEST_CASE("onnx.Pad", "[onnx]") {
  auto pad = [](const Ints& pads, const char* mode) {
    return ints(checked({.name = "onnx.Pad", .operands = {count_up({1, 3}), i64(pads), Tensor::of_ints(DType::i32, {}, {9})}, .attributes = {{"mode", mode}}, .constants = {1}}));
  };
  CHECK(pad({0, 2, 0, 1}, "constant") == Ints{9, 9, 0, 1, 2, 9});
  CHECK(pad({0, -1, 0, 2}, "constant") == Ints{1, 2, 9, 9});
  CHECK(pad({0, 2, 0, 1}, "edge") == Ints{0, 0, 0, 1, 2, 2});
  CHECK(pad({0, 2, 0, 2}, "reflect") == Ints{2, 1, 0, 1, 2, 1, 0});
  CHECK(pad({0, 2, 0, 1}, "wrap") == Ints{1, 2, 0, 1, 2, 0});
  CHECK(pad({1, 0, 0, 0}, "constant") == Ints{9, 9, 9, 0, 1, 2});
  CHECK_THROWS_WITH(pad({0, 0, 0, 0}, "mirror"), Catch::Contains("Pad_c3"));
  CHECK_THROWS_WITH(pad({0, 0}, "edge"), Catch::Contains("Pad_c2"));
  CHECK_THROWS_WITH(pad({0, -4, 0, 0}, "constant"), Catch::Contains("Pad_c4"));
  const Tensor axes = i64({-1});
  CHECK(ints(checked({.name = "onnx.Pad", .operands = {count_up({2}), i64({1, 1}), Tensor(), axes}, .constants = {1, 3}})) == Ints{0, 0, 1, 0});
}

TEST_CASE("onnx.DepthToSpace and back, Trilu", "[onnx]") {
  const Tensor x = count_up({1, 8, 2, 3});
  CHECK(checked({"onnx.DepthToSpace", {x}, {{"blocksize", 2}}}).sizes() == Ints{1, 2, 4, 6});
  CHECK(ints(checked({"onnx.DepthToSpace", {count_up({1, 4, 1, 1})}, {{"blocksize", 2}, {"mode", "CRD"}}})) == Ints{0, 1, 2, 3});
  CHECK(checked({"onnx.SpaceToDepth", {count_up({1, 2, 4, 6})}, {{"blocksize", 2}}}).sizes() == Ints{1, 8, 2, 3});
  CHECK_THROWS_WITH(single_op({"onnx.SpaceToDepth", {x}, {{"blocksize", 4}}}), Catch::Contains("SpaceToDepth_c2"));
  CHECK(ints(checked({"onnx.Trilu", {count_up({2, 2})}})) == Ints{0, 1, 0, 3});
  CHECK(ints(checked({"onnx.Trilu", {count_up({2, 2})}, {{"upper", 0}}})) == Ints{0, 0, 2, 3});
  CHECK(ints(checked({"onnx.Trilu", {count_up({2, 2}), Tensor::of_ints(DType::i64, {}, {1})}})) == Ints{0, 1, 0, 0});
}
