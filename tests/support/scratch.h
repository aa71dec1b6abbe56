// A folder of a test's own, gone when the test is over.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stele::test {

class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> files() const;  // names, sorted

 private:
  std::filesystem::path folder_;
};

}  // namespace stele::test
