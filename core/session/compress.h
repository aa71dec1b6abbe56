// zstd over whole buffers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stele {

std::vector<std::byte> compress(std::span<const std::byte> bytes);
inline std::vector<std::byte> compress(std::string_view text) {
  return compress(std::span(reinterpret_cast<const std::byte*>(text.data()), text.size()));
}
// The `size` bytes that were compressed. Throws Error, naming `what`, where they are damaged or of another size; allocates
// no more than such input can possibly hold.
std::vector<std::byte> decompress(std::span<const std::byte> compressed, size_t size, const std::string& what);

}  // namespace stele
