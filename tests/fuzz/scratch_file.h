// A file of this process for targets whose reader takes a path.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace stele::fuzz {

inline std::filesystem::path scratch_path(const std::string& extension) {
  return std::filesystem::temp_directory_path() / ("stele-fuzz-" + std::to_string(getpid()) + extension);
}

// Holds the bytes until it goes out of scope.
class ScratchFile {
 public:
  ScratchFile(const std::uint8_t* bytes, std::size_t size, const std::string& extension)
      : path_(scratch_path(extension)) {
    std::ofstream stream(path_, std::ios::binary | std::ios::trunc);
    stream.write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace stele::fuzz
