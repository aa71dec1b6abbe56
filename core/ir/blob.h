// Content-addressed bytes: weights, machine code. Immutable, shared by every module and snapshot, never copied by a pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stele {

class Blob {
 public:
  static std::shared_ptr<const Blob> from_bytes(std::vector<std::byte> bytes);
  static std::shared_ptr<const Blob> from_string(std::string bytes);
  // Maps length bytes of a file from offset, read-only. Throws Error naming the file where it is absent or too short.
  static std::shared_ptr<const Blob> map_file(const std::string& path, uint64_t offset, uint64_t length);
  ~Blob();
  Blob(const Blob&) = delete;
  Blob& operator=(const Blob&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  // 32 hexadecimal digits: XXH3-128 of the bytes. Computed once, on first use; safe from several threads.
  const std::string& hash() const;

 private:
  Blob() = default;
  std::span<const std::byte> bytes_;
  std::function<void()> release_;
  struct Lazy;
  std::unique_ptr<Lazy> lazy_;
};
using BlobRef = std::shared_ptr<const Blob>;

}  // namespace stele
