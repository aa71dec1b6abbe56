#include "app/cli/table.h"

#include <algorithm>

namespace stele::cli {

size_t text_width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string Table::str(bool colour) const {
  std::vector<size_t> widths;
  for (const auto& [title, align] : columns_) widths.push_back(text_width(title));
  for (const Row& row : rows_) {
    for (size_t i = 0; i < row.cells.size() && i < widths.size(); ++i) widths[i] = std::max(widths[i], text_width(row.cells[i]));
  }
  const auto line = [&](const auto& cell_at) {
    std::string text;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = cell_at(i);
      const std::string pad(widths[i] - text_width(cell), ' ');
      if (i > 0) text += "  ";
      text += columns_[i].second == Align::right ? pad + cell : cell + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  std::string text = line([&](size_t i) { return columns_[i].first; });
  if (colour) text = "\x1b[1m" + text + "\x1b[0m";
  text += '\n';
  for (const Row& row : rows_) {
    const std::string body = line([&](size_t i) { return i < row.cells.size() ? row.cells[i] : std::string(); });
    text += colour && row.dimmed ? "\x1b[2m" + body + "\x1b[0m\n" : body + "\n";
  }
  return text;
}

}  // namespace stele::cli
