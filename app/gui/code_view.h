// Which kernel's code belongs to the selected op.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/app_state.h"

namespace stele::app {

struct CodeTarget {
  viz::Node kernel;
  std::string title;
};

/// The selected op where it holds code itself, else the kernel that it became in the last snapshot that has one.
std::optional<CodeTarget> code_target(const AppState& state);

std::vector<std::string> split_lines(const std::string& text);

}  // namespace stele::app
