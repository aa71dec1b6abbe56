#include "core/ir/blob.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "core/ir/error.h"

namespace stele {

struct Blob::Lazy {
  std::once_flag once;
  std::string hash;
};

namespace {

template <typename Storage>
std::span<const std::byte> view(const Storage& storage) {
  return {reinterpret_cast<const std::byte*>(storage.data()), storage.size()};
}

}  // namespace

BlobRef Blob::from_bytes(std::vector<std::byte> bytes) {
  auto owned = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  std::shared_ptr<Blob> blob(new Blob());
  blob->bytes_ = view(*owned);
  blob->release_ = [owned] {};
  blob->lazy_ = std::make_unique<Lazy>();
  return blob;
}

BlobRef Blob::from_string(std::string bytes) {
  auto owned = std::make_shared<std::string>(std::move(bytes));
  std::shared_ptr<Blob> blob(new Blob());
  blob->bytes_ = view(*owned);
  blob->release_ = [owned] {};
  blob->lazy_ = std::make_unique<Lazy>();
  return blob;
}

BlobRef Blob::map_file(const std::string& path, uint64_t offset, uint64_t length) {
  // Without waiting: opening a pipe would wait for its writer, and it is refused below.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail("{}: {}", path, std::strerror(errno));
  struct stat status {};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = static_cast<uint64_t>(status.st_size);
  if (!regular || offset > size || length > size - offset) {
    ::close(file);
    if (!regular) fail("{}: not a regular file", path);
    fail("{}: file has {} bytes, expected {} from offset {}", path, size, length, offset);
  }
  if (length == 0) {
    ::close(file);
    return from_bytes({});
  }
  const uint64_t page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t start = offset / page * page;
  void* base = ::mmap(nullptr, length + (offset - start), PROT_READ, MAP_PRIVATE, file, static_cast<off_t>(start));
  ::close(file);
  if (base == MAP_FAILED) fail("{}: cannot be mapped: {}", path, std::strerror(errno));
  std::shared_ptr<Blob> blob(new Blob());
  blob->bytes_ = {static_cast<const std::byte*>(base) + (offset - start), length};
  blob->release_ = [base, mapped = length + (offset - start)] { ::munmap(base, mapped); };
  blob->lazy_ = std::make_unique<Lazy>();
  return blob;
}

Blob::~Blob() {
  if (release_) release_();
}

const std::string& Blob::hash() const {
  std::call_once(lazy_->once, [this] {
    const XXH128_hash_t h = XXH3_128bits(bytes_.data(), bytes_.size());
    lazy_->hash = fmt::format("{:016x}{:016x}", h.high64, h.low64);
  });
  return lazy_->hash;
}

}  // namespace stele
