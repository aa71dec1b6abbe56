// Runs a libFuzzer target without libFuzzer: a loop of mutated seeds.
//   fuzz_X --seconds N [--seed K] [--keep FILE] SEED…   mutates the files and the files of the folders SEED
//   fuzz_X FILE…                                        runs each file once, to reproduce
// FILE of --keep always holds the input being run, so it is there after a crash. An input that takes over 20 s is one.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

namespace fs = std::filesystem;
constexpr std::size_t max_size = std::size_t{1} << 20;

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void run(const std::string& input) {
  alarm(20);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  alarm(0);
}

// A file that shares its memory with this process: what is written last survives a crash.
class Kept {
 public:
  explicit Kept(const std::string& path) : path_(path) {
    if (path.empty()) return;
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || ftruncate(file, sizeof(std::uint64_t) + max_size) != 0) {
      std::cerr << path << ": cannot be written\n";
      std::exit(2);
    }
    void* memory = mmap(nullptr, sizeof(std::uint64_t) + max_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED) memory_ = static_cast<char*>(memory);
  }
  void write(const std::string& input) {
    if (memory_ == nullptr) return;
    const std::uint64_t size = input.size();
    std::memcpy(memory_, &size, sizeof size);
    std::memcpy(memory_ + sizeof size, input.data(), input.size());
  }
  void remove() {
    if (!path_.empty()) fs::remove(path_);
  }
  // The input of a file that write() made, or all of any other file.
  static std::string load(const fs::path& path) {
    std::string text = read(path);
    std::uint64_t size = 0;
    if (text.size() != sizeof size + max_size) return text;
    std::memcpy(&size, text.data(), sizeof size);
    return text.substr(sizeof size, size);
  }

 private:
  std::string path_;
  char* memory_ = nullptr;
};

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::uint64_t seed) : seeds_(std::move(seeds)), random_(seed) {}

  std::string next() {
    std::string input = pick_seed();
    for (std::size_t steps = 1 + below(8); steps > 0; --steps) mutate(input);
    if (input.size() > max_size) input.resize(max_size);
    return input;
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  const std::string& pick_seed() { return seeds_[below(seeds_.size())]; }

  // A short run of bytes of some seed: a token, a number, a field.
  std::string piece() {
    const std::string& from = pick_seed();
    const std::size_t start = below(from.size());
    return from.substr(start, 1 + below(24));
  }

  void mutate(std::string& input) {
    static const std::vector<std::string> awkward = {
        "-1", "0", "9223372036854775808", "1e999", "nan", "[", "<", "\"", "%", "(", "{", "\xff", std::string(1, '\0')};
    const std::size_t at = below(input.size() + 1);
    const std::size_t length = std::min(input.size() - at, 1 + below(16));
    switch (below(7)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(random_());
        break;
      case 2:
        input.erase(at, length);
        break;
      case 3:
        input.insert(at, piece());
        break;
      case 4:
        input.replace(at, length, piece());
        break;
      case 5:
        input.insert(at, awkward[below(awkward.size())]);
        break;
      default:
        input.resize(at);
        break;
    }
  }

  std::vector<std::string> seeds_;
  std::mt19937_64 random_;
};

std::vector<std::string> seeds_of(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::vector<std::string> seeds = {""};
  for (const fs::path& file : files) {
    if (fs::file_size(file) <= max_size) seeds.push_back(read(file));
  }
  return seeds;
}

void fuzz(double seconds, std::uint64_t seed, const std::string& keep, const std::vector<fs::path>& paths) {
  using clock = std::chrono::steady_clock;
  const clock::time_point start = clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };
  const std::vector<std::string> seeds = seeds_of(paths);
  std::cout << "seed " << seed << ", " << seeds.size() << " seeds" << std::endl;
  Kept kept(keep);
  for (const std::string& input : seeds) {
    kept.write(input);
    run(input);
  }
  Mutator mutator(seeds, seed);
  std::size_t runs = 0;
  for (; elapsed() < seconds; ++runs) {
    const std::string input = mutator.next();
    kept.write(input);
    run(input);
  }
  kept.remove();
  std::cout << runs << " inputs in " << elapsed() << " s" << std::endl;
}

}  // namespace

int main(int count, char** arguments) {
  double seconds = 0;
  std::uint64_t seed = 1;
  std::string keep;
  std::vector<fs::path> paths;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::string value = i + 1 < count ? arguments[i + 1] : "";
    if (argument == "--seconds") {
      seconds = std::strtod(value.c_str(), nullptr), ++i;
    } else if (argument == "--seed") {
      seed = std::strtoull(value.c_str(), nullptr, 10), ++i;
    } else if (argument == "--keep") {
      keep = value, ++i;
    } else {
      paths.emplace_back(argument);
    }
  }
  for (const fs::path& path : paths) {
    if (!fs::exists(path)) {
      std::cerr << path.string() << ": no such file\n";
      return 2;
    }
  }
  if (seconds > 0) {
    fuzz(seconds, seed, keep, paths);
  } else {
    for (const fs::path& path : paths) run(Kept::load(path));
  }
}
