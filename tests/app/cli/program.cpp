#include "tests/app/cli/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/scratch.h"

namespace stele::test {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void redirect(const std::string& path, int to) {
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  if (file >= 0) ::dup2(file, to);
}

}  // namespace

Ran run_stele(const std::vector<std::string>& arguments) {
  const Scratch scratch;
  const std::string out = scratch.path("out"), err = scratch.path("err");
  const std::string program = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "stele").string();
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    redirect(out, STDOUT_FILENO);
    redirect(err, STDERR_FILENO);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
}

}  // namespace stele::test
