// How a command says which arguments it takes; the command line's library stays behind this (it is slow to compile).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stele::cli {

// Every variable named here must live as long as the runner.
class Arguments {
 public:
  virtual ~Arguments() = default;
  virtual void positional(const std::string& name, std::string& value, const std::string& help, bool required = true) = 0;
  virtual void positional(const std::string& name, std::vector<std::string>& values, const std::string& help) = 0;
  virtual void option(const std::string& names, std::string& value, const std::string& help) = 0;
  virtual void option(const std::string& names, int64_t& value, const std::string& help) = 0;
  virtual void option(const std::string& names, double& value, const std::string& help) = 0;
  virtual void option(const std::string& names, std::vector<std::string>& values, const std::string& help) = 0;
  virtual void flag(const std::string& names, bool& value, const std::string& help) = 0;
};

struct Context {
  bool json = false;      // one JSON document on stdout and nothing else there
  bool colour = false;    // stdout is a terminal that shows colours
  bool progress = false;  // stderr is a terminal
  std::string program;    // path of this executable
};

// Exit statuses of design.md. Bad input and what is absent are thrown: Error is 2, Unavailable 3.
enum Status { done = 0, mismatch = 1, bad_input = 2, absent = 3 };

using Runner = std::function<int(const Context&)>;

struct Command {
  std::string_view name;
  std::string_view summary;
  Runner (*declare)(Arguments& arguments);
};

}  // namespace stele::cli
