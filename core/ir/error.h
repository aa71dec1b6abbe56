// Errors that a user can cause. Every one of them is thrown as Error and reaches the user as one line.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace stele {

// Where in a file something was found. Lines and columns count from 1; 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  std::string str() const;  // "file:line:column", leaving out what is unknown
};

// Bad usage or bad input (exit status 2). The message is one line: lower case, no full stop, actual then expected.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  Error(const SourceLocation& where, const std::string& message);
};

// Something this machine or build lacks (exit status 3): a GPU, a permission, an instruction set.
class Unavailable : public Error {
 public:
  using Error::Error;
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace stele
