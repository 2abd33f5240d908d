// A text table that fits the width of the terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/terminal.h"

namespace longshore {

struct Column {
  std::string_view title;
  bool right = false;     // right-aligned
  std::size_t least = 0;  // may be truncated to this width; 0: never
  int rank = 0;           // the highest rank is dropped first if space is short; 0: never dropped
};

struct Cell {
  std::string text;
  Colour colour = Colour::plain;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // REQUIRES: a cell for each column.
  void add(std::vector<Cell> cells);

  // Titles and rows, one line each. Without a width, nothing is truncated or dropped.
  std::string text(std::optional<std::size_t> width, bool colours) const;
  // Fitted to standard output.
  std::string text() const;

  bool empty() const { return rows_.empty(); }

 private:
  struct Shape {
    std::vector<std::size_t> columns;  // indexes of the shown columns
    std::vector<std::size_t> widths;   // of the shown columns
  };
  Shape shape_for(std::optional<std::size_t> width) const;
  std::size_t natural_width(std::size_t column) const;
  std::string line(const Shape& shape, const std::vector<Cell>& cells, bool colours) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace longshore
