#include "passes/capture/onnx.h"

#include <onnx/onnx_pb.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "core/eval/interpreter.h"
#include "core/ir/text.h"
#include "core/ops/op_def.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"

using namespace stele;
namespace fs = std::filesystem;
using Catch::Contains;
using Names = std::vector<std::string>;

namespace {

// Models by a few words. Everything is public: a test breaks what it is about.
struct Model {
  onnx::ModelProto proto;

  explicit Model(int64_t opset = 20) {
    proto.set_ir_version(9);
    proto.add_opset_import()->set_version(opset);
    proto.mutable_graph()->set_name("g");
  }
  onnx::GraphProto& graph() { return *proto.mutable_graph(); }

  // Dims: "3" a size, "n" a name, "?" nothing.
  static void type(onnx::ValueInfoProto& value, const std::string& name, const Names& dims, int dtype = 1) {
    value.set_name(name);
    auto* tensor = value.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(dtype);
    auto* shape = tensor->mutable_shape();
    for (const std::string& dim : dims) {
      auto* made = shape->add_dim();
      if (dim == "?") continue;
      if (dim.find_first_not_of("-0123456789") == std::string::npos) {
        made->set_dim_value(std::stoll(dim));
      } else {
        made->set_dim_param(dim);
      }
    }
  }
  void input(const std::string& name, const Names& dims, int dtype = 1) { type(*graph().add_input(), name, dims, dtype); }
  void output(const std::string& name, const Names& dims = {}, int dtype = 1) {
    auto* value = graph().add_output();
    value->set_name(name);
    if (!dims.empty()) type(*value, name, dims, dtype);
  }
  onnx::NodeProto& node(const std::string& op, const Names& inputs, const Names& outputs, const std::string& name = "") {
    auto* node = graph().add_node();
    node->set_op_type(op);
    node->set_name(name);
    for (const std::string& i : inputs) node->add_input(i);
    for (const std::string& o : outputs) node->add_output(o);
    return *node;
  }
  onnx::TensorProto& floats(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values) {
    auto* tensor = graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(1);
    for (int64_t d : dims) tensor->add_dims(d);
    for (float v : values) tensor->add_float_data(v);
    return *tensor;
  }
  std::string bytes() const { return proto.SerializeAsString(); }
  std::unique_ptr<Module> read() const {
    const std::string text = bytes();
    return read_onnx_bytes({reinterpret_cast<const std::byte*>(text.data()), text.size()}, "m.onnx");
  }
};

// x [n, 2] + w [2]
Model sum() {
  Model m;
  m.input("x", {"n", "2"});
  m.floats("w", {2}, {1, 2});
  m.node("Add", {"x", "w"}, {"y"}, "adder");
  m.output("y", {"n", "2"});
  return m;
}

onnx::AttributeProto& attribute(onnx::NodeProto& node, const std::string& name, int type) {
  auto* made = node.add_attribute();
  made->set_name(name);
  made->set_type(static_cast<onnx::AttributeProto::AttributeType>(type));
  return *made;
}

using Kind = onnx::AttributeProto;

const Operation& only(const Module& module, const std::string& name) {
  const Operation* found = nullptr;
  walk(module, [&](const Operation& op) {
    if (op.is(name)) found = &op;
  });
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("an ONNX file keeps its names, types and opset", "[onnx]") {
  const auto module = sum().read();
  CHECK(module->name == "g");
  CHECK(*module->attributes.at("opset").get<int64_t>() == 20);
  const Function& main = module->main();
  CHECK(main.input_names() == Names{"x"});
  CHECK(main.output_names() == Names{"y"});
  CHECK(main.body().argument(0)->type().str() == "tensor<?x2xf32, #stele.dims<n>>");
  CHECK(module->symbols.count("n") == 1);
  const Operation& add = only(*module, "onnx.Add");
  CHECK(add.label() == "adder");
  CHECK(add.result()->name() == "y");
  CHECK(add.result()->type() == main.body().argument(0)->type());
  CHECK(add.operand(1)->name() == "w");
  REQUIRE(constant_of(add.operand(1)));
  CHECK(constant_of(add.operand(1))->get(1) == 2);
  CHECK(run(*module, {Tensor::of_doubles(DType::f32, {1, 2}, {10, 20})})[0].get(1) == 22);
  CHECK(print(*parse(print(*module))) == print(*module));
}

TEST_CASE("an unknown op is kept, and only running it is refused", "[onnx]") {
  Model m = sum();
  auto& node = *m.graph().mutable_node(0);
  node.set_op_type("FusedAdd");
  node.set_domain("com.example-x");
  attribute(node, "axes", Kind::INTS).add_ints(3);
  const auto module = m.read();
  const Operation& op = only(*module, "onnx.com.example_x.FusedAdd");
  CHECK(op.get<std::string>("domain") == "com.example-x");
  CHECK(op.get<Attribute::Ints>("axes") == Attribute::Ints{3});
  CHECK(print(*parse(print(*module))) == print(*module));
  CHECK_THROWS_WITH(run(*module, {Tensor(DType::f32, {1, 2})}), Contains("FusedAdd") && Contains("adder") && Contains("com.example-x"));
}

TEST_CASE("attributes of every kind", "[onnx]") {
  Model m = sum();
  auto& node = *m.graph().mutable_node(0);
  node.set_op_type("Custom");
  node.set_domain("d");
  attribute(node, "i", Kind::INT).set_i(-4);
  attribute(node, "zero", Kind::INT);
  attribute(node, "f", Kind::FLOAT).set_f(0.5f);
  attribute(node, "s", Kind::STRING).set_s("text");
  attribute(node, "is", Kind::INTS);
  auto& fs_ = attribute(node, "fs", Kind::FLOATS);
  fs_.add_floats(1);
  fs_.add_floats(2);
  attribute(node, "ss", Kind::STRINGS).add_strings("a");
  auto* tensor = attribute(node, "t", Kind::TENSOR).mutable_t();
  tensor->set_data_type(7);
  tensor->add_int64_data(9);
  const auto module = m.read();
  const Operation& op = only(*module, "onnx.d.Custom");
  CHECK(op.get<int64_t>("i") == -4);
  CHECK(op.get<int64_t>("zero") == 0);
  CHECK(op.get<double>("f") == 0.5);
  CHECK(op.get<std::string>("s") == "text");
  CHECK(op.get<Attribute::Ints>("is").empty());
  CHECK(op.get<Attribute::Doubles>("fs") == Attribute::Doubles{1, 2});
  CHECK(op.get<Attribute::Strings>("ss") == Attribute::Strings{"a"});
  CHECK(op.get<Tensor>("t").get_int(0) == 9);
}

TEST_CASE("initialisers of every element type, raw and typed", "[onnx]") {
  struct Row {
    int onnx;
    DType dtype;
  };
  for (const auto& [number, dtype] : std::vector<Row>{{1, DType::f32}, {2, DType::u8}, {3, DType::i8}, {4, DType::u16}, {5, DType::i16}, {6, DType::i32},
                                                      {7, DType::i64}, {9, DType::boolean}, {10, DType::f16}, {11, DType::f64}, {12, DType::u32}, {13, DType::u64}, {16, DType::bf16}}) {
    Tensor value(dtype, {2});
    value.set(0, 1);
    for (bool raw : {false, true}) {
      Model m;
      auto& tensor = m.floats("w", {2}, {});
      tensor.set_data_type(number);
      if (raw) tensor.set_raw_data(value.data(), value.size_bytes());
      const auto bits = static_cast<int32_t>(number == 10 ? 0x3c00 : number == 16 ? 0x3f80 : 1);
      for (int32_t v : {bits, 0}) {
        if (raw) break;
        if (number == 1) tensor.add_float_data(static_cast<float>(v));
        if (number == 11) tensor.add_double_data(v);
        if (number == 7) tensor.add_int64_data(v);
        if (number == 12 || number == 13) tensor.add_uint64_data(static_cast<uint64_t>(v));
        if (number != 1 && number != 11 && number != 7 && number != 12 && number != 13) tensor.add_int32_data(v);
      }
      m.output("w");
      const auto module = m.read();
      INFO("element type " << number << (raw ? " raw" : " typed"));
      CHECK(constant_of(module->main().body().terminator()->operand(0))->bitwise_equal(value));
    }
  }
}

TEST_CASE("what has no tensor is kept to look at", "[onnx]") {
  Model m;
  auto& strings = m.floats("s", {1}, {});
  strings.set_data_type(8);
  strings.add_string_data("text");
  m.node("Identity", {"s"}, {"y"});
  m.output("y");
  const auto module = m.read();
  CHECK(only(*module, "onnx.Constant").get<std::string>("not_read") == "element type STRING");
  CHECK_THROWS_WITH(run(*module, {}), Contains("element type STRING"));
}

TEST_CASE("operands left out, and outputs", "[onnx]") {
  Model m;
  m.input("x", {"2"});
  m.node("Clip", {"x", "", "x", ""}, {"y", ""});
  m.output("y");
  const auto module = m.read();
  const Operation& clip = only(*module, "onnx.Clip");
  CHECK(clip.operand_count() == 3);
  CHECK(clip.operand(1)->type().is_none());
  CHECK(clip.result_count() == 1);
}

TEST_CASE("an initialiser that is an input too is a constant", "[onnx]") {
  Model m = sum();
  m.input("w", {"2"});
  CHECK(m.read()->main().input_names() == Names{"x"});
}

TEST_CASE("nodes out of order are sorted, keeping the file's order where it can", "[onnx]") {
  Model m;
  m.input("x", {"2"});
  m.node("Relu", {"b"}, {"c"}, "third");
  m.node("Relu", {"x"}, {"a"}, "first");
  m.node("Relu", {"a"}, {"b"}, "second");
  m.output("c");
  const auto module = m.read();
  Names labels;
  for (const Operation& op : module->main().body()) labels.push_back(op.label());
  CHECK(labels == Names{"first", "second", "third", ""});
}

TEST_CASE("bodies of If are regions, which see the values around them", "[onnx]") {
  Model m;
  m.input("c", {}, 9);
  m.input("x", {"2"});
  auto& node = m.node("If", {"c"}, {"y"}, "choice");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto* g = attribute(node, name, Kind::GRAPH).mutable_g();
    auto* inner = g->add_node();
    inner->set_op_type(name[0] == 't' ? "Relu" : "Neg");
    inner->add_input("x");
    inner->add_output("z");
    g->add_output()->set_name("z");
  }
  m.output("y");
  const auto module = m.read();
  const Operation& op = only(*module, "onnx.If");
  REQUIRE(op.region_count() == 2);
  CHECK(op.get<Attribute::Strings>("graphs") == Attribute::Strings{"then_branch", "else_branch"});
  CHECK(op.region(0).first()->is("onnx.Relu"));
  CHECK(op.region(1).first()->operand(0) == module->main().body().argument(1));
}

TEST_CASE("free dims", "[onnx]") {
  Model m;
  m.input("x", {"seq-len", "?", "seq-len", "mod", "3d"});
  m.input("y", {"2*n", "n"});
  m.node("Foo", {"x"}, {"z"});
  m.output("z", {"n + 1", "seq-len"});
  m.input("w", {"n + 1", "0"});
  const auto module = m.read();
  const auto text = [&](unsigned i) { return module->main().body().argument(i)->type().str(); };
  CHECK(text(0) == "tensor<?x?x?x?x?xf32, #stele.dims<seq_len, x_d1, seq_len, d_mod, d_3d>>");
  CHECK(text(1) == "tensor<?x?xf32, #stele.dims<2*n, n>>"); 
  CHECK(text(2) == "tensor<?x0xf32, #stele.dims<n + 1>>");
  CHECK(only(*module, "onnx.Foo").result()->type().str() == "tensor<?x?xf32, #stele.dims<n + 1, seq_len>>");
  CHECK(print(*parse(print(*module))) == print(*module));
}

TEST_CASE("external data of the model's folder is mapped, and no other", "[onnx]") {
  test::Scratch scratch;
  fs::create_directory(scratch.path("model"));
  const auto put = [&](const std::string& name, const std::string& text) {
    std::ofstream(scratch.path(name), std::ios::binary) << text;
  };
  const float values[] = {7, 1, 2};
  put("model/w.bin", std::string(reinterpret_cast<const char*>(values), sizeof values));
  put("outside.bin", std::string(8, '\0'));
  fs::create_symlink("../outside.bin", scratch.path("model/link.bin"));
  const auto read = [&](const Names& keys) {
    Model m = sum();
    auto& w = *m.graph().mutable_initializer(0);
    w.clear_float_data();
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    for (size_t i = 0; i < keys.size(); i += 2) {
      auto* entry = w.add_external_data();
      entry->set_key(keys[i]);
      entry->set_value(keys[i + 1]);
    }
    put("model/model.onnx", m.bytes());
    return read_onnx(scratch.path("model/model.onnx"));
  };
  const auto module = read({"location", "w.bin", "offset", "4", "length", "8"});
  CHECK(constant_of(only(*module, "onnx.Add").operand(1))->get(0) == 1);
  CHECK_NOTHROW(read({"location", "./w.bin", "offset", "4"}));
  const std::string w = "initialiser 'w'";
  CHECK_THROWS_WITH(read({"location", "../outside.bin"}), Contains(w) && Contains("leaves the model's folder"));
  CHECK_THROWS_WITH(read({"location", "link.bin"}), Contains(w) && Contains("out of the model's folder"));
  CHECK_THROWS_WITH(read({"location", scratch.path("outside.bin")}), Contains(w) && Contains("absolute"));
  CHECK_THROWS_WITH(read({"location", "none.bin"}), Contains(w) && Contains("none.bin"));
  REQUIRE(::mkfifo(scratch.path("model/pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read({"location", "pipe"}), Contains(w) && Contains("not a regular file"));
  CHECK_THROWS_WITH(read({"location", ""}), Contains(w) && Contains("no location"));
  CHECK_THROWS_WITH(read({}), Contains(w) && Contains("no location"));
  CHECK_THROWS_WITH(read({"location", "w.bin", "offset", "8"}), Contains(w) && Contains("12 bytes"));
  CHECK_THROWS_WITH(read({"location", "w.bin", "offset", "-4"}), Contains(w) && Contains("expected a number"));
  CHECK_THROWS_WITH(read({"location", "w.bin", "offset", "18446744073709551615"}), Contains(w));
  CHECK_THROWS_WITH(read({"location", "w.bin", "length", "4"}), Contains(w) && Contains("4 bytes, expected 8"));
}

TEST_CASE("what no ONNX model is", "[onnx]") {
  const auto read = [](const std::string& text) { return read_onnx_bytes({reinterpret_cast<const std::byte*>(text.data()), text.size()}, "m.onnx"); };
  CHECK_THROWS_WITH(read(""), Contains("m.onnx") && Contains("empty"));
  CHECK_THROWS_WITH(read("no model at all"), Contains("m.onnx") && Contains("not an ONNX model"));
  const std::string whole = sum().bytes();
  for (size_t length = 0; length < whole.size(); ++length) CHECK_THROWS_AS(read(whole.substr(0, length)), Error);
  CHECK_THROWS_WITH(read_onnx("/nonexistent/model.onnx"), Contains("No such file"));
  CHECK_THROWS_WITH(read_onnx("/"), Contains("folder"));
  test::Scratch scratch;
  REQUIRE(::mkfifo(scratch.path("pipe.onnx").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_onnx(scratch.path("pipe.onnx")), Contains("not a regular file"));
}

TEST_CASE("broken graphs are refused by name", "[onnx]") {
  const auto refused = [](const std::string& reason, const std::string& place, const std::function<void(Model&)>& breakage) {
    Model m = sum();
    breakage(m);
    INFO(reason);
    CHECK_THROWS_WITH(m.read(), Contains("m.onnx") && Contains(reason) && Contains(place));
  };
  refused("input 'q' is not defined", "adder", [](Model& m) { m.graph().mutable_node(0)->set_input(1, "q"); });
  refused("graph output 'q' is not defined", "'q'", [](Model& m) { m.output("q"); });
  refused("is produced by node 'adder' (Add) and again by node 'twin' (Relu)", "'y'", [](Model& m) { m.node("Relu", {"x"}, {"y"}, "twin"); });
  refused("defined twice", "'x'", [](Model& m) { m.node("Relu", {"w"}, {"x"}); });
  refused("defined twice", "'x'", [](Model& m) { m.input("x", {"2"}); });
  refused("defined twice", "'w'", [](Model& m) { m.floats("w", {1}, {1}); });
  refused("is on a cycle", "node '", [](Model& m) {
    m.node("Relu", {"b"}, {"a"}, "one");
    m.node("Relu", {"a"}, {"b"}, "two");
  });
  refused("is on a cycle", "self", [](Model& m) { m.node("Relu", {"a"}, {"a"}, "self"); });
  refused("has no op type", "node 1", [](Model& m) { m.node("", {"x"}, {"a"}); });
  refused("has 2 values, expected 3", "initialiser 'w'", [](Model& m) { m.graph().mutable_initializer(0)->set_dims(0, 3); });
  refused("has 3 bytes, expected 8", "initialiser 'w'", [](Model& m) { m.graph().mutable_initializer(0)->set_raw_data("abc"); });
  refused("dim -2 is negative", "initialiser 'w'", [](Model& m) { m.graph().mutable_initializer(0)->set_dims(0, -2); });
  refused("dims overflow", "initialiser 'w'", [](Model& m) {
    m.graph().mutable_initializer(0)->set_dims(0, int64_t{1} << 40);
    m.graph().mutable_initializer(0)->add_dims(int64_t{1} << 40);
  });
  refused("expected 1099511627776", "initialiser 'w'", [](Model& m) { m.graph().mutable_initializer(0)->set_dims(0, int64_t{1} << 40); m.graph().mutable_initializer(0)->set_data_type(2); });
  refused("dim -1 is negative", "input 'z'", [](Model& m) { m.input("z", {"-1"}); });
  refused("dims overflow", "input 'z'", [](Model& m) { m.input("z", {"4611686018427387904", "4611686018427387904"}); });
  refused("external data", "initialiser 'w'", [](Model& m) { m.graph().mutable_initializer(0)->set_data_location(onnx::TensorProto::EXTERNAL); });
  refused("states no opset", "", [](Model& m) { m.proto.clear_opset_import(); });
  refused("opset 24 is newer than 23", "", [](Model& m) { m.proto.mutable_opset_import(0)->set_version(24); });
  refused("has no graph", "", [](Model& m) { m.proto.clear_graph(); });
  refused("has no outputs", "", [](Model& m) { m.graph().clear_output(); });
  refused("an initialiser has no name", "", [](Model& m) { m.graph().mutable_initializer(0)->clear_name(); });
  refused("a graph input has no name", "", [](Model& m) { m.graph().mutable_input(0)->clear_name(); });
}

TEST_CASE("broken attributes are refused by name", "[onnx]") {
  const auto refused = [](const std::string& reason, const std::function<void(onnx::NodeProto&)>& breakage) {
    Model m = sum();
    breakage(m.node("Softmax", {"x"}, {"a"}, "soft"));
    INFO(reason);
    CHECK_THROWS_WITH(m.read(), Contains("m.onnx") && Contains("soft") && Contains(reason));
  };
  refused("attribute 'axis' is stated to be of kind INT and holds one of kind INTS", [](auto& n) { attribute(n, "axis", Kind::INT).add_ints(1); });
  refused("axis", [](auto& n) { attribute(n, "axis", Kind::STRING).set_s("last"); });
  refused("attribute 'axis' is given twice", [](auto& n) { attribute(n, "axis", Kind::INT), attribute(n, "axis", Kind::INT); });
  refused("an attribute has no name", [](auto& n) { attribute(n, "", Kind::INT); });
  refused("has no kind", [](auto& n) { attribute(n, "axis", Kind::UNDEFINED); });
  refused("refers to a function's", [](auto& n) { attribute(n, "axis", Kind::INT).set_ref_attr_name("a"); });
  refused("holds no graph", [](auto& n) { attribute(n, "axis", Kind::GRAPH); });
  refused("Softmax_c1", [](auto& n) { attribute(n, "axis", Kind::INT).set_i(7); });
}

TEST_CASE("messages about hostile names stay one short line", "[onnx]") {
  Model m = sum();
  m.graph().mutable_node(0)->set_name("a\nb\x1b[31m" + std::string(100000, 'n'));
  m.graph().mutable_node(0)->set_input(1, "q");
  try {
    m.read();
    FAIL("was read");
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(text.size() < 1100);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
  }
  m.graph().mutable_node(0)->set_input(1, "w");
  CHECK(only(*m.read(), "onnx.Add").label().size() < 1100);
}

TEST_CASE("subgraphs nested too deeply are refused", "[onnx]") {
  onnx::GraphProto inner;
  for (int depth = 0; depth < 200; ++depth) {
    onnx::GraphProto outer;
    auto* node = outer.add_node();
    node->set_op_type("If");
    auto* made = node->add_attribute();
    made->set_name("then_branch");
    made->set_type(Kind::GRAPH);
    made->mutable_g()->Swap(&inner);
    inner.Swap(&outer);
  }
  Model m;
  m.graph().Swap(&inner);
  CHECK_THROWS_WITH(m.read(), Contains("nested too deeply"));
}

TEST_CASE("many nodes in reverse order are read in linear time", "[onnx]") {
  Model m;
  m.input("x", {"2"});
  constexpr int count = 20000;
  for (int i = count; i > 0; --i) m.node("Relu", {i == 1 ? "x" : "v" + std::to_string(i - 1)}, {"v" + std::to_string(i)});
  m.output("v" + std::to_string(count));
  const auto start = std::chrono::steady_clock::now();
  CHECK(m.read()->main().body().ops().size() == count + 1);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));  // quadratic would be minutes
}

TEST_CASE("ONNX's own cases all open", "[onnx]") {
  const auto root = test::onnx_testdata("node");
  if (!root) return test::skip("ONNX's own cases all open", "libonnx-testdata is not installed");
  int opened = 0, refused = 0;
  for (const auto& entry : fs::directory_iterator(*root)) {
    const fs::path file = entry.path() / "model.onnx";
    if (!fs::exists(file)) continue;
    try {
      const auto module = read_onnx(file.string());
      std::map<std::string, BlobRef> blobs;
      for (const BlobRef& blob : blobs_of(*module)) blobs[blob->hash()] = blob;
      const std::string text = print(*module);
      CHECK(print(*parse(text, {.file = "printed", .blobs = [&](const std::string& hash) { return blobs[hash]; }})) == text);
      ++opened;
    } catch (const Error& error) {
      ++refused;
      std::cout << "refused: " << error.what() << "\n";
    }
  }
  std::cout << opened << " opened, " << refused << " refused\n";
  CHECK(refused == 0);
  CHECK(opened > 900);
}
