// Runs the program under test, which stands beside the test's own executable.
#pragma once

#include <string>
#include <vector>

namespace stele::test {

struct Ran {
  int status = -1;
  std::string out, err;
};

// Arguments are passed as they are, through no shell.
Ran run_stele(const std::vector<std::string>& arguments);

}  // namespace stele::test
