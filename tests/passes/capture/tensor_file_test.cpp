#include "passes/capture/tensor_file.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "core/ir/error.h"
#include "tests/support/scratch.h"

using namespace stele;
using Catch::Contains;

namespace {

void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY" + std::string(1, static_cast<char>(version)) + std::string(1, '\0');
  bytes += static_cast<char>(dictionary.size());
  bytes += std::string(version == 1 ? 1 : 3, '\0');
  return bytes + dictionary + data;
}

std::string floats(const std::vector<float>& values) { return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}; }

// An archive of one stored member, as zip writes it. The checksum is not looked at.
std::string zip(const std::string& name, const std::string& data) {
  const auto number = [](size_t value, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    return bytes;
  };
  const std::string sizes = number(data.size(), 4) + number(data.size(), 4) + number(name.size(), 2);
  const std::string local = "PK\x03\x04" + std::string(14, '\0') + sizes + number(0, 2) + name + data;
  const std::string entry = "PK\x01\x02" + std::string(16, '\0') + sizes + std::string(16, '\0') + name;
  return local + entry + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) + number(entry.size(), 4) + number(local.size(), 4) + number(0, 2);
}

}  // namespace

TEST_CASE("tensors survive .pb and .npy", "[capture]") {
  test::Scratch scratch;
  for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64, DType::i32, DType::i16, DType::i8, DType::u64, DType::u32, DType::u16, DType::u8, DType::boolean}) {
    for (const std::vector<int64_t>& sizes : std::vector<std::vector<int64_t>>{{}, {3}, {2, 3}, {2, 0, 4}}) {
      Tensor tensor(dtype, sizes);
      for (int64_t i = 0; i < tensor.elements(); ++i) tensor.set(i, static_cast<double>(i % 2));
      for (const char* file : {"t.pb", "t.npy"}) {
        write_tensor(scratch.path(file), "name", tensor);
        const auto [name, read] = read_tensor(scratch.path(file));
        INFO(file << " " << tensor.type().str());
        CHECK(read.bitwise_equal(tensor));
        CHECK(name == (std::string(file) == "t.pb" ? "name" : "t"));
      }
    }
  }
  CHECK(scratch.files() == std::vector<std::string>{"t.npy", "t.pb"});
  CHECK_THROWS_WITH(write_tensor(scratch.path("t.txt"), "", Tensor(DType::f32, std::vector<int64_t>{1})), Contains("t.txt"));
  CHECK_THROWS_WITH(write_tensor(scratch.path("none/t.pb"), "", Tensor(DType::f32, std::vector<int64_t>{1})), Contains("cannot be written"));
}

TEST_CASE("npy files of both orders and all versions", "[capture]") {
  test::Scratch scratch;
  const std::string data = floats({1, 2, 3, 4, 5, 6});
  for (int version : {1, 2, 3}) {
    put(scratch.path("c.npy"), npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", data, version));
    CHECK(read_tensor(scratch.path("c.npy")).second.get(1) == 2);
  }
  put(scratch.path("f.npy"), npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", data));
  const Tensor fortran = read_tensor(scratch.path("f.npy")).second;
  CHECK(fortran.sizes() == std::vector<int64_t>{2, 3});
  CHECK(fortran.get(1) == 3);
  CHECK(fortran.get(3) == 2);
}

TEST_CASE("broken npy files are refused by name", "[capture]") {
  test::Scratch scratch;
  const auto refused = [&](const std::string& bytes, const std::string& reason) {
    put(scratch.path("b.npy"), bytes);
    CHECK_THROWS_WITH(read_tensor(scratch.path("b.npy")), Contains("b.npy") && Contains(reason));
  };
  refused("", "not an npy file");
  refused("\x93NUMPY\x01", "not an npy file");
  refused(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", floats({1})), "big-endian");
  refused(npy("{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }", floats({1})), "'<U4' is not supported");
  refused(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", floats({1})), "not a simple one");
  refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", floats({1})), "4 bytes of data, expected 8");
  refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", floats({1})), "not a tuple of sizes");
  refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }", floats({1})), "overflows");
  refused(npy("{'descr': '<f4', 'fortran_order': False, }", floats({1})), "no 'shape'");
  refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "", 9), "version 9");
}

TEST_CASE("npz archives", "[capture]") {
  test::Scratch scratch;
  const std::string member = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", floats({1, 2}));
  const std::string archive = zip("x.npy", member);
  put(scratch.path("a.npz"), archive);
  const auto tensors = read_npz(scratch.path("a.npz"));
  REQUIRE(tensors.size() == 1);
  CHECK(tensors[0].first == "x");
  CHECK(tensors[0].second.get(1) == 2);
  for (size_t length = 0; length < archive.size(); ++length) {
    put(scratch.path("b.npz"), archive.substr(0, length));
    CHECK_THROWS_AS(read_npz(scratch.path("b.npz")), Error);
  }
  put(scratch.path("c.npz"), zip("readme.txt", "text"));
  CHECK_THROWS_WITH(read_npz(scratch.path("c.npz")), Contains("readme.txt"));
}

TEST_CASE("damaged TensorProtos are refused by name", "[capture]") {
  test::Scratch scratch;
  put(scratch.path("a.pb"), "");
  CHECK_THROWS_WITH(read_tensor(scratch.path("a.pb")), Contains("a.pb") && Contains("empty"));
  put(scratch.path("a.pb"), "\xff\xff\xff text");
  CHECK_THROWS_WITH(read_tensor(scratch.path("a.pb")), Contains("a.pb") && Contains("not a TensorProto"));
  CHECK_THROWS_WITH(read_tensor(scratch.path("none.pb")), Contains("none.pb"));
  CHECK_THROWS_WITH(read_tensor(scratch.path("a.bin")), Contains("neither"));
}
