// Arguments that every command which compiles takes.
#pragma once

#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "core/pass/pass.h"

namespace stele::cli {

struct CompileArguments {
  std::string model;
  std::string stack = "stele";
  std::string target = "cpu";
  std::vector<std::string> dims;
  int64_t threads = 0;

  void declare(Arguments& arguments);  // all but the model
  // Throws Error where a value is unknown, Unavailable where this build cannot serve it.
  PassOptions options() const;
};

}  // namespace stele::cli
