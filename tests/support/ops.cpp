#include "tests/support/ops.h"

#include "core/ops/rules.h"

namespace stele::test {

std::unique_ptr<Module> module_of(const std::vector<Type>& arguments, const Body& body) {
  auto module = std::make_unique<Module>();
  Builder b(*module);
  Function& main = b.add_function("main");
  std::vector<Value*> inputs;
  std::set<std::string> symbols;
  for (const Type& type : arguments) {
    inputs.push_back(b.add_argument(main.body(), type, "x" + std::to_string(inputs.size())));
    for (const Dim& dim : type.shape) dim.collect_symbols(symbols);
  }
  for (const std::string& symbol : symbols) module->symbols[symbol] = {0, INT64_MAX};
  b.at_end(main.body());
  const std::vector<Value*> results = body(b, inputs);
  b.create("func.return", results, {});
  std::vector<Type> types;
  for (const Value* value : results) types.push_back(value->type());
  b.set_results(main, types);
  return module;
}

std::vector<Tensor> evaluate_module(const std::vector<Tensor>& inputs, const Body& body, const EvalOptions& options) {
  std::vector<Type> types;
  for (const Tensor& input : inputs) types.push_back(input.type());
  const auto module = module_of(types, body);
  verify(*module);
  return run(*module, inputs, options);
}

Tensor evaluate_one(const std::vector<Tensor>& inputs, const std::function<Value*(Builder&, const std::vector<Value*>&)>& body) {
  return evaluate_module(inputs, [&](Builder& b, const std::vector<Value*>& x) { return std::vector<Value*>{body(b, x)}; }).at(0);
}

Tensor f32(std::vector<int64_t> sizes, const std::vector<double>& values) { return Tensor::of_doubles(DType::f32, std::move(sizes), values); }
Tensor i32(std::vector<int64_t> sizes, const std::vector<int64_t>& values) { return Tensor::of_ints(DType::i32, std::move(sizes), values); }
std::vector<double> values(const Tensor& tensor) { return doubles(tensor); }

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace stele::test
