#include "core/session/compress.h"

#include <zstd.h>

#include "core/ir/error.h"

namespace stele {
namespace {

// A fast level: on the compile's path speed counts, and weights hardly shrink at any level.
constexpr int level = -3;
// A zstd block of 128 KiB takes at least 4 bytes, so no frame grows by more than this.
constexpr size_t largest_ratio = 32768;

}  // namespace

std::vector<std::byte> compress(std::span<const std::byte> bytes) {
  std::vector<std::byte> out(ZSTD_compressBound(bytes.size()));
  const size_t written = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(written)) fail("zstd: {}", ZSTD_getErrorName(written));
  out.resize(written);
  return out;
}

std::vector<std::byte> decompress(std::span<const std::byte> compressed, size_t size, const std::string& what) {
  if (size / largest_ratio > compressed.size()) fail("{}: {} bytes cannot hold {}", what, compressed.size(), size);
  std::vector<std::byte> out(size);
  const size_t read = ZSTD_decompress(out.data(), out.size(), compressed.data(), compressed.size());
  if (ZSTD_isError(read)) fail("{}: damaged: {}", what, ZSTD_getErrorName(read));
  if (read != size) fail("{}: {} bytes, expected {}", what, read, size);
  return out;
}

}  // namespace stele
