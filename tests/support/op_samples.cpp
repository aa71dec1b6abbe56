#include "tests/support/op_samples.h"

#include <cmath>

namespace stele::test {
namespace {

using Values = std::vector<Value*>;

const Dim n = Dim::symbol("n");
const Type scalar = Type::tensor(DType::f64, {}), row = Type::tensor(DType::f64, {n}), rows = Type::tensor(DType::f64, {n, 4});
const Type index = Type::tensor(DType::i32, {}), flag = Type::tensor(DType::boolean, {});

// Ops that one call of a builder makes.
Sample one(std::vector<Type> types, std::function<Value*(Builder&, const Values&)> make) {
  return {std::move(types), [make = std::move(make)](Builder& b, const Values& x) { return Values{make(b, x)}; }};
}

Sample named(std::vector<Type> types, std::string name, Attributes attributes = {}) {
  return one(std::move(types), [name = std::move(name), attributes = std::move(attributes)](Builder& b, const Values& x) {
    return infer_value(b, name, x, attributes);
  });
}

// A region of `arguments`, made by `make`, ended by `terminator`.
void fill(Builder& b, Region& region, const std::vector<Type>& arguments, std::string_view terminator, const Body& make) {
  Builder inner(b.module());
  inner.at_end(region);
  Values values;
  for (const Type& type : arguments) values.push_back(inner.add_argument(region, type));
  const Values results = make(inner, values);
  inner.create(terminator, results, {});
}

Values sum(Builder& b, const Values& x) { return {build::add(b, x[0], x[1])}; }

std::map<std::string, Sample> movement_samples() {
  return {
      {"stablehlo.broadcast_in_dim", one({row}, [](Builder& b, const Values& x) { return build::broadcast_in_dim(b, x[0], Type::tensor(DType::f64, {3, n}), {1}); })},
      {"stablehlo.reshape", one({rows}, [](Builder& b, const Values& x) { return build::reshape(b, x[0], {n * 4}); })},
      {"stablehlo.transpose", one({rows}, [](Builder& b, const Values& x) { return build::transpose(b, x[0], {1, 0}); })},
      {"stablehlo.slice", one({rows}, [](Builder& b, const Values& x) { return build::slice(b, x[0], {0, 1}, {n, 4}, {1, 2}); })},
      {"stablehlo.concatenate", one({rows, rows}, [](Builder& b, const Values& x) { return build::concatenate(b, x, 0); })},
      {"stablehlo.pad", one({rows, scalar}, [](Builder& b, const Values& x) { return build::pad(b, x[0], x[1], {1, 0}, {0, -1}, {0, 1}); })},
      {"stablehlo.reverse", one({rows}, [](Builder& b, const Values& x) { return build::reverse(b, x[0], {0}); })},
      {"stablehlo.iota", one({row}, [](Builder& b, const Values&) { return build::iota(b, rows, 0); })},
      {"stablehlo.constant", one({row}, [](Builder& b, const Values&) { return build::scalar_constant(b, DType::f64, 2); })},
      {"stablehlo.bitcast_convert", one({row}, [](Builder& b, const Values& x) { return b.create_value("stablehlo.bitcast_convert", {x[0]}, Type::tensor(DType::i64, {n})); })},
      {"stablehlo.optimization_barrier", named({row}, "stablehlo.optimization_barrier")},
      {"stablehlo.gather", one({rows, Type::tensor(DType::i32, {n})}, [](Builder& b, const Values& x) { return build::take(b, x[0], x[1], 0); })},
      {"stablehlo.dynamic_slice", one({rows, index, index}, [](Builder& b, const Values& x) { return build::dynamic_slice(b, x[0], {x[1], x[2]}, {1, 2}); })},
      {"stablehlo.dynamic_update_slice", one({rows, Type::tensor(DType::f64, {1, 2}), index, index}, [](Builder& b, const Values& x) { return build::dynamic_update_slice(b, x[0], x[1], {x[2], x[3]}); })},
  };
}

Value* scattered(Builder& b, const Values& x) {
  Operation* op = create_inferred(b, "stablehlo.scatter", x, 1, {{"update_window_dims", Ints{1}}, {"inserted_window_dims", Ints{0}}, {"scatter_dims_to_operand_dims", Ints{0}}, {"index_vector_dim", 1}}, 1);
  fill(b, op->region(), {scalar, scalar}, "stablehlo.return", sum);
  return op->result();
}

Value* selected_and_scattered(Builder& b, const Values& x) {
  Operation* op = create_inferred(b, "stablehlo.select_and_scatter", x, 1, {{"window_dimensions", Ints{1, 2}}, {"window_strides", Ints{1, 2}}}, 2);
  fill(b, op->region(0), {scalar, scalar}, "stablehlo.return", [](Builder& in, const Values& v) { return Values{build::compare(in, "GE", v[0], v[1])}; });
  fill(b, op->region(1), {scalar, scalar}, "stablehlo.return", sum);
  return op->result();
}

Value* sorted(Builder& b, const Values& x) {
  Operation* op = create_inferred(b, "stablehlo.sort", x, 1, {{"dimension", 0}}, 1);
  fill(b, op->region(), {scalar, scalar}, "stablehlo.return", [](Builder& in, const Values& v) { return Values{build::compare(in, "LT", v[0], v[1])}; });
  return op->result();
}

std::map<std::string, Sample> compute_samples() {
  return {
      {"stablehlo.fft", one({Type::tensor(DType::f64, {n, 4})}, [](Builder& b, const Values& x) { return infer_value(b, "stablehlo.fft", {x[0]}, {{"fft_type", "RFFT"}, {"fft_length", Ints{4}}}); })},
      {"stablehlo.cholesky", one({Type::tensor(DType::f64, {n, 2, 2})}, [](Builder& b, const Values& x) { return infer_value(b, "stablehlo.cholesky", {x[0]}, {{"lower", true}}); })},
      {"stablehlo.triangular_solve", one({Type::tensor(DType::f64, {n, 2, 2}), Type::tensor(DType::f64, {n, 2, 3})}, [](Builder& b, const Values& x) { return infer_value(b, "stablehlo.triangular_solve", {x[0], x[1]}, {{"lower", true}, {"left_side", true}}); })},
      {"chlo.top_k", one({rows}, [](Builder& b, const Values& x) { return create_inferred(b, "chlo.top_k", {x[0]}, 2, {{"k", 2}})->result(); })},
      {"stablehlo.real", one({Type::tensor(DType::c128, {n})}, [](Builder& b, const Values& x) { return build::unary(b, "stablehlo.real", x[0]); })},
      {"stablehlo.imag", one({Type::tensor(DType::c128, {n})}, [](Builder& b, const Values& x) { return build::unary(b, "stablehlo.imag", x[0]); })},
      {"stablehlo.dot_general", one({rows, Type::tensor(DType::f64, {4, 3})}, [](Builder& b, const Values& x) { return build::matmul(b, x[0], x[1]); })},
      {"stablehlo.dot", named({rows, Type::tensor(DType::f64, {4, 3})}, "stablehlo.dot")},
      {"stablehlo.convolution", one({Type::tensor(DType::f64, {n, 2, 5}), Type::tensor(DType::f64, {3, 2, 2})}, [](Builder& b, const Values& x) { return build::convolution(b, x[0], x[1], {.padding = {1, 0}}); })},
      {"stablehlo.reduce", one({rows}, [](Builder& b, const Values& x) { return build::reduce(b, x[0], "add", {1}); })},
      {"stablehlo.reduce_window", one({rows}, [](Builder& b, const Values& x) { return build::reduce_window(b, x[0], "maximum", {.dimensions = {1, 2}}); })},
      {"stablehlo.scatter", one({rows, Type::tensor(DType::i32, {n, 1}), rows}, scattered)},
      {"stablehlo.select_and_scatter", one({rows, Type::tensor(DType::f64, {n, 2}), scalar}, selected_and_scattered)},
      {"stablehlo.sort", one({row}, sorted)},
      {"stablehlo.compare", one({row, row}, [](Builder& b, const Values& x) { return build::compare(b, "LT", x[0], x[1]); })},
      {"stablehlo.select", one({row, row, row}, [](Builder& b, const Values& x) { return build::select(b, build::compare(b, "LT", x[0], x[1]), x[1], x[2]); })},
      {"stablehlo.clamp", one({scalar, row, scalar}, [](Builder& b, const Values& x) { return build::clamp(b, x[0], x[1], x[2]); })},
      {"stablehlo.convert", one({row}, [](Builder& b, const Values& x) { return build::convert(b, x[0], DType::f32); })},
      {"stablehlo.reduce_precision", named({row}, "stablehlo.reduce_precision", {{"exponent_bits", 5}, {"mantissa_bits", 3}})},
  };
}

std::map<std::string, Sample> control_samples() {
  std::map<std::string, Sample> samples;
  samples["func.call"] = one({row}, [](Builder& b, const Values& x) {
    Builder other(b.module());
    Function& callee = other.add_function("callee", true);
    Value* y = other.add_argument(callee.body(), row);
    other.at_end(callee.body());
    other.create("func.return", {y}, {});
    other.set_results(callee, {row});
    return b.create_value("func.call", {x[0]}, row, {{"callee", Attribute::Symbol{"callee"}}});
  });
  samples["stablehlo.while"] = one({row, index}, [](Builder& b, const Values& x) {
    Operation* op = create_inferred(b, "stablehlo.while", x, 2, {}, 2);
    fill(b, op->region(0), {row, index}, "stablehlo.return", [](Builder& in, const Values& v) { return Values{build::compare(in, "LT", v[1], build::int_constant(in, DType::i32, 5))}; });
    fill(b, op->region(1), {row, index}, "stablehlo.return", [](Builder& in, const Values& v) {
      return Values{build::add(in, v[0], v[0]), build::add(in, v[1], build::int_constant(in, DType::i32, 1))};
    });
    return op->result(0);
  });
  const auto branching = [](std::string name) {
    return [name](Builder& b, const Values& x) {
      Operation* op = b.create(name, {x[0]}, {row}, {}, 2);
      for (unsigned i = 0; i < 2; ++i) fill(b, op->region(i), {}, "stablehlo.return", [&](Builder& in, const Values&) { return Values{i == 0 ? x[1] : build::negate(in, x[1])}; });
      return op->result();
    };
  };
  samples["stablehlo.if"] = one({flag, row}, branching("stablehlo.if"));
  samples["stablehlo.case"] = one({index, row}, branching("stablehlo.case"));
  samples["kernel.fusion"] = one({row, row}, [](Builder& b, const Values& x) {
    Operation* op = b.create("kernel.fusion", x, {row}, {{"kind", "loop"}}, 1);
    fill(b, op->region(), {row, row}, "kernel.yield", sum);
    return op->result();
  });
  samples["stablehlo.custom_call"] = {{row}, [](Builder& b, const Values& x) {
    b.create("stablehlo.custom_call", {x[0], x[0]}, {}, {{"call_target_name", "check.expect_eq"}});
    return Values{};
  }};
  return samples;
}

// Sizes as a tensor.
Value* line(Builder& b, const Shape& sizes) {
  Values parts;
  for (const Dim& size : sizes) parts.push_back(build::reshape(b, build::dim_value(b, DType::i64, size), {1}));
  return build::concatenate(b, parts, 0);
}

Value* dynamic(Builder& b, std::string_view name, const Values& operands, Type type, Attributes attributes = {}) {
  return b.create_value("stablehlo." + std::string(name), operands, std::move(type), std::move(attributes));
}

std::map<std::string, Sample> dynamic_samples() {
  return {
      {"stablehlo.dynamic_broadcast_in_dim", one({row}, [](Builder& b, const Values& x) { return dynamic(b, "dynamic_broadcast_in_dim", {x[0], line(b, {3, n})}, Type::tensor(DType::f64, {3, n}), {{"broadcast_dimensions", Ints{1}}}); })},
      {"stablehlo.dynamic_iota", one({row}, [](Builder& b, const Values&) { return dynamic(b, "dynamic_iota", {line(b, {n, 4})}, rows, {{"iota_dimension", 0}}); })},
      {"stablehlo.dynamic_reshape", one({rows}, [](Builder& b, const Values& x) { return dynamic(b, "dynamic_reshape", {x[0], line(b, {n * 4})}, Type::tensor(DType::f64, {n * 4})); })},
      {"stablehlo.real_dynamic_slice", one({rows}, [](Builder& b, const Values& x) { return dynamic(b, "real_dynamic_slice", {x[0], line(b, {0, 1}), line(b, {n, 4}), line(b, {1, 2})}, Type::tensor(DType::f64, {n, 2})); })},
      {"stablehlo.dynamic_pad", one({rows, scalar}, [](Builder& b, const Values& x) { return dynamic(b, "dynamic_pad", {x[0], x[1], line(b, {1, 0}), line(b, {0, 2}), line(b, {0, 0})}, Type::tensor(DType::f64, {n + 1, 6})); })},
      {"stablehlo.get_dimension_size", one({rows}, [](Builder& b, const Values& x) { return dynamic(b, "get_dimension_size", {x[0]}, index, {{"dimension", 0}}); })},
      {"stablehlo.dynamic_gather", one({rows, Type::tensor(DType::i32, {n})}, [](Builder& b, const Values& x) {
         return dynamic(b, "dynamic_gather", {x[0], x[1], line(b, {1, 4})}, rows, {{"offset_dims", Ints{1}}, {"collapsed_slice_dims", Ints{0}}, {"start_index_map", Ints{0}}, {"index_vector_dim", 1}});
       })},
      {"stablehlo.dynamic_conv", one({Type::tensor(DType::f64, {n, 2, 5}), Type::tensor(DType::f64, {3, 2, 2})}, [](Builder& b, const Values& x) {
         Attributes attributes = build::convolution(b, x[0], x[1], {.padding = {1, 0}})->definition()->attributes();
         return dynamic(b, "dynamic_conv", {x[0], x[1], build::reshape(b, line(b, {1, 0}), {1, 2})}, Type::tensor(DType::f64, {n, 3, 5}), attributes);
       })},
  };
}

// The type that an elementwise op works on: floats, or where it has no meaning on them integers.
Sample elementwise_sample(const OpDef& def) {
  const std::string name(def.name);
  for (DType dtype : {DType::f64, DType::i32}) {
    Sample sample = named(std::vector<Type>(def.operands.size(), Type::tensor(dtype, {n})), name);
    if (error_of([&] { verify(*module_of(sample.types, sample.body)); }) == "no error") return sample;
  }
  return {};
}

}  // namespace

std::map<std::string, Sample> op_samples() {
  std::map<std::string, Sample> samples = movement_samples();
  samples.merge(compute_samples());
  samples.merge(control_samples());
  samples.merge(dynamic_samples());
  for (const OpDef* def : all_ops()) {
    if (has(def->traits, Trait::elementwise) && def->level == Level::tensor && !samples.count(std::string(def->name))) {
      samples[std::string(def->name)] = elementwise_sample(*def);
    }
  }
  return samples;
}

std::vector<Tensor> sample_inputs(const Module& module, const Binding& binding, int seed) {
  std::vector<Tensor> inputs;
  int64_t count = seed;
  for (const Value* argument : module.main().body().arguments()) {
    Tensor input(argument->dtype(), evaluate(argument->shape(), binding));
    if (is_complex(input.dtype())) {  // zeros
      inputs.push_back(input);
      continue;
    }
    for (int64_t i = 0; i < input.elements(); ++i, ++count) {
      const double noise = std::fmod(static_cast<double>(count) * 0.6180339887498949, 1.0);
      if (is_float(input.dtype())) {
        input.set(i, 0.2 + 0.6 * noise);
      } else {
        input.set_int(i, input.dtype() == DType::boolean ? count % 2 : 1 + count % 3);
      }
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace stele::test
