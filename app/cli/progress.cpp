#include "app/cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace stele::cli {

void ProgressBar::show(int64_t done, int64_t total, std::string_view text) {
  if (!shown_) return;
  constexpr int width = 24;
  const auto filled = static_cast<size_t>(total > 0 ? std::clamp<int64_t>(done * width / total, 0, width) : 0);
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  std::fprintf(stderr, "\r\x1b[K[%s] %lld/%lld %.*s", bar.c_str(), static_cast<long long>(done), static_cast<long long>(total),
               static_cast<int>(std::min<size_t>(text.size(), 60)), text.data());
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

}  // namespace stele::cli
