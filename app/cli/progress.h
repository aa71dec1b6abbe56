// Progress on stderr, where that is a terminal.
#pragma once

#include <string_view>

#include "app/cli/arguments.h"

namespace stele::cli {

class ProgressBar {
 public:
  explicit ProgressBar(const Context& context) : shown_(context.progress) {}
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void show(int64_t done, int64_t total, std::string_view text);
  void clear();

 private:
  bool shown_;
  bool drawn_ = false;
};

}  // namespace stele::cli
