// As much of zip (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT) as numpy.savez writes.
#ifdef STELE_HAS_ZLIB
#include <zlib.h>
#endif

#include <algorithm>
#include <cstdint>

#include "core/ir/error.h"
#include "passes/capture/npy.h"

namespace stele::capture {
namespace {

constexpr uint64_t directory_end = 0x06054b50, directory_entry = 0x02014b50, local_entry = 0x04034b50;

// Little-endian fields, with their bounds.
class Bytes {
 public:
  Bytes(std::string_view bytes, const std::string& what) : bytes_(bytes), what_(what) {}
  uint64_t number(size_t at, size_t width) const {
    const std::string_view field = slice(at, width);
    uint64_t value = 0;
    for (size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(field[i]);
    return value;
  }
  std::string_view slice(size_t at, uint64_t length) const {
    if (at > bytes_.size() || length > bytes_.size() - at) fail("{}: zip archive is cut short", what_);
    return bytes_.substr(at, length);
  }
  size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  const std::string& what_;
};

std::string inflate_raw(std::string_view packed, uint64_t size, const std::string& what) {
#ifdef STELE_HAS_ZLIB
  std::string bytes(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail("{}: zlib does not start", what);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(size);
  const int status = inflate(&stream, Z_FINISH);
  const bool whole = status == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!whole) fail("{}: compressed data is damaged", what);
  return bytes;
#else
  (void)packed;
  (void)size;
  throw Unavailable(what + ": member is compressed, and this build has no zlib; write it with numpy.savez");
#endif
}

size_t find_directory_end(const Bytes& bytes, const std::string& what) {
  constexpr size_t record = 22, longest_comment = 65535;
  if (bytes.size() >= record) {
    const size_t last = bytes.size() - record;
    for (size_t back = 0; back <= std::min(last, longest_comment); ++back) {
      if (bytes.number(last - back, 4) == directory_end) return last - back;
    }
  }
  fail("{}: not a zip archive", what);
}

std::string member(const Bytes& bytes, size_t entry, const std::string& what) {
  const uint64_t method = bytes.number(entry + 10, 2), packed = bytes.number(entry + 20, 4), size = bytes.number(entry + 24, 4);
  const size_t at = bytes.number(entry + 42, 4);
  if (packed == 0xffffffff || size == 0xffffffff || at == 0xffffffff) fail("{}: zip64 members are not supported", what);
  if (bytes.number(at, 4) != local_entry) fail("{}: zip archive is damaged", what);
  const size_t start = at + 30 + bytes.number(at + 26, 2) + bytes.number(at + 28, 2);
  const std::string_view data = bytes.slice(start, packed);
  if (method == 0) {
    if (packed != size) fail("{}: stored member has {} bytes, expected {}", what, packed, size);
    return std::string(data);
  }
  if (method != 8) fail("{}: zip method {} is not supported, expected stored or deflated", what, method);
  // Deflate makes at most 1032 bytes of one: more is a lie, and not to be allocated.
  if (size / 1032 > packed) fail("{}: compressed data is damaged: {} bytes from {}", what, size, packed);
  return inflate_raw(data, size, what);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> unzip(std::string_view text, const std::string& what) {
  const Bytes bytes(text, what);
  const size_t end = find_directory_end(bytes, what);
  size_t entry = bytes.number(end + 16, 4);
  std::vector<std::pair<std::string, std::string>> members;
  uint64_t total = 0;
  for (uint64_t count = bytes.number(end + 10, 2); count > 0; --count) {
    if (bytes.number(entry, 4) != directory_entry) fail("{}: zip directory is damaged", what);
    // Members that overlap would unpack to far more than the file holds.
    total += bytes.number(entry + 20, 4);
    if (total > bytes.size()) fail("{}: zip members overlap", what);
    const uint64_t name_length = bytes.number(entry + 28, 2);
    const std::string name(bytes.slice(entry + 46, name_length));
    members.emplace_back(name, member(bytes, entry, what + ": " + name));
    entry += 46 + name_length + bytes.number(entry + 30, 2) + bytes.number(entry + 32, 2);
  }
  return members;
}

}  // namespace stele::capture
