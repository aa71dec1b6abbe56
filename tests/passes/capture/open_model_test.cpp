#include "passes/capture/open_model.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/ir/text.h"
#include "passes/capture/tensor_file.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"

using namespace stele;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

constexpr const char* two_inputs = R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
)";

Tensor pair_of(double a, double b) { return Tensor::of_doubles(DType::f32, {2}, {a, b}); }

}  // namespace

TEST_CASE("a model is opened by extension, by content, or as a folder", "[capture]") {
  test::Scratch scratch;
  put(scratch.path("m.mlir"), two_inputs);
  put(scratch.path("m.stele.txt"), two_inputs);
  put(scratch.path("m"), two_inputs);
  for (const char* name : {"m.mlir", "m.stele.txt", "m"}) CHECK(open_model(scratch.path(name))->main().body().argument_count() == 2);
  const fs::path sample = test::source_dir() / "samples/capstone";
  const size_t arguments = open_model((sample / "model.onnx").string())->main().body().argument_count();
  CHECK(open_model(sample.string())->main().body().argument_count() == arguments);
  fs::copy_file(sample / "model.onnx", scratch.path("binary"));
  CHECK(open_model(scratch.path("binary"))->main().body().argument_count() == arguments);
  CHECK_THROWS_WITH(open_model(scratch.path("none.onnx")), Contains("none.onnx") && Contains("no such file"));
  fs::create_directory(scratch.path("empty"));
  CHECK_THROWS_WITH(open_model(scratch.path("empty")), Contains("0 .onnx files"));
}

TEST_CASE("inputs are found by place and by name", "[capture]") {
  test::Scratch scratch;
  const auto module = parse(two_inputs);
  fs::create_directory(scratch.path("in"));
  const std::string folder = scratch.path("in");
  write_tensor(folder + "/input_0.pb", "", pair_of(1, 2));
  CHECK_THROWS_WITH(read_inputs(module->main(), folder), Contains(folder) && Contains("input 1 ('y') is missing"));
  write_tensor(folder + "/y.npy", "", pair_of(3, 4));
  const std::vector<Tensor> inputs = read_inputs(module->main(), folder);
  REQUIRE(inputs.size() == 2);
  CHECK(inputs[0].get(1) == 2);
  CHECK(inputs[1].get(1) == 4);
  write_tensor(folder + "/input_2.pb", "", pair_of(5, 6));
  CHECK_THROWS_WITH(read_inputs(module->main(), folder), Contains("input_2.pb, expected 2 inputs"));
  CHECK_THROWS_WITH(read_inputs(module->main(), scratch.path("none")), Contains("none"));
}

TEST_CASE("expectations may be of some outputs alone", "[capture]") {
  test::Scratch scratch;
  const auto module = parse(two_inputs);
  const std::string folder = scratch.path("");
  CHECK(read_expectations(module->main(), folder).empty());
  write_tensor(folder + "/reference_0.pb", "", pair_of(1, 2));
  const Expectations expected = read_expectations(module->main(), folder);
  CHECK_FALSE(expected.empty());
  CHECK_FALSE(expected.outputs[0].present());
  CHECK(expected.references[0].get(0) == 1);
}

TEST_CASE("the shared models come with data", "[capture]") {
  const auto root = test::shared("models");
  if (!root) return test::skip("the shared models come with data", "the shared models are not there");
  const std::string folder = (*root / "bert_tiny").string();
  const std::vector<std::string> sets = data_sets(folder + "/model.onnx");
  REQUIRE(sets.size() == 1);
  const auto module = open_model(folder);
  CHECK(read_inputs(module->main(), sets[0]).size() == module->main().body().argument_count());
  CHECK(read_expectations(module->main(), sets[0]).references[0].dtype() == DType::f64);
}
