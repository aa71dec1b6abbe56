// Aligned text tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stele::cli {

class Table {
 public:
  enum class Align { left, right };
  explicit Table(std::vector<std::pair<std::string, Align>> columns) : columns_(std::move(columns)) {}

  // Missing cells are empty. A dimmed row is grey where there are colours.
  void add(std::vector<std::string> cells, bool dimmed = false) { rows_.push_back({std::move(cells), dimmed}); }
  std::string str(bool colour) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool dimmed;
  };
  std::vector<std::pair<std::string, Align>> columns_;
  std::vector<Row> rows_;
};

// Columns a UTF-8 text takes; every code point counts as one.
size_t text_width(std::string_view text);

}  // namespace stele::cli
