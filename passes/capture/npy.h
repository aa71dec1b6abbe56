// NumPy's array files (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
// Only for the sources of this folder.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/tensor.h"

namespace stele::capture {

// Versions 1 to 3, little-endian, C or Fortran order. Throws Error beginning with `what`.
Tensor parse_npy(std::string_view bytes, const std::string& what);
std::string format_npy(const Tensor& tensor);

// The members of a zip archive, stored or (where zlib is built in) deflated, with their contents.
std::vector<std::pair<std::string, std::string>> unzip(std::string_view bytes, const std::string& what);

}  // namespace stele::capture
