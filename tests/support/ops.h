// Modules of a few ops, for tests of ops, of the evaluator and of passes.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/eval/interpreter.h"
#include "core/ops/build.h"

namespace stele::test {

using Body = std::function<std::vector<Value*>(Builder&, const std::vector<Value*>&)>;

// A module whose main takes arguments of those types (named x0, x1 …) and returns what `body` makes. Symbols of the types
// are declared.
std::unique_ptr<Module> module_of(const std::vector<Type>& arguments, const Body& body);

// What the op gives for the inputs: a module of that op alone, verified, run.
std::vector<Tensor> evaluate_module(const std::vector<Tensor>& inputs, const Body& body, const EvalOptions& options = {});
Tensor evaluate_one(const std::vector<Tensor>& inputs, const std::function<Value*(Builder&, const std::vector<Value*>&)>& body);

Tensor f32(std::vector<int64_t> sizes, const std::vector<double>& values);
Tensor i32(std::vector<int64_t> sizes, const std::vector<int64_t>& values);
std::vector<double> values(const Tensor& tensor);

// The message of the Error that `run` throws; "no error" where it throws none.
std::string error_of(const std::function<void()>& run);

}  // namespace stele::test
