// Rows in columns, as wide as they need to be and no wider than there is room for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/terminal.h"

namespace longshore {

struct Column {
  std::string_view title;
  bool right = false;     // numbers stand at the right
  std::size_t least = 0;  // may be cut down to this width; 0: never
  int rank = 0;           // where there is no room, the highest rank goes first; 0 always stays
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

  // Titles and rows, a line each. Without a width nothing is cut or left out.
  std::string text(std::optional<std::size_t> width, bool colours) const;
  // As fits standard output.
  std::string text() const;

  bool empty() const { return rows_.empty(); }

 private:
  struct Shape {
    std::vector<std::size_t> columns;  // which
    std::vector<std::size_t> widths;   // of those
  };
  Shape shape_for(std::optional<std::size_t> width) const;
  std::size_t natural_width(std::size_t column) const;
  std::string line(const Shape& shape, const std::vector<Cell>& cells, bool colours) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace longshore
