// Sessions as documents of the window.
#pragma once

#include <string>
#include <vector>

#include "app/gui/document.h"

namespace stele::app {

/// Opens a session file. Throws stele::Error naming the file.
Document open_session(const std::string& path);

/// A printed module as lines: identity is cut off the ends and kept as the line's op; a line that opens a region
/// belongs to the op that closes it.
std::vector<IrLine> ir_lines(const std::string& text);

}  // namespace stele::app
