#include "cli/terminal/table.h"

#include <algorithm>
#include <numeric>

#include "core/assert.h"

namespace longshore {
namespace {

constexpr std::size_t gap = 2;

std::size_t total(const std::vector<std::size_t>& widths) {
  if (widths.empty()) return 0;
  return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
}

}  // namespace

void Table::add(std::vector<Cell> cells) {
  LONGSHORE_ASSERT(cells.size() == columns_.size(), "a cell for each column");
  for (Cell& cell : cells) cell.text = sanitized(cell.text);
  rows_.push_back(std::move(cells));
}

std::size_t Table::natural_width(std::size_t column) const {
  std::size_t width = width_of(columns_[column].title);
  for (const auto& row : rows_) width = std::max(width, width_of(row[column].text));
  return width;
}

// Truncates the widest column that may be truncated, one character at a time; then drops columns.
Table::Shape Table::shape_for(std::optional<std::size_t> width) const {
  Shape shape;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    shape.columns.push_back(i);
    shape.widths.push_back(natural_width(i));
  }
  while (width && total(shape.widths) > *width) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < shape.columns.size(); ++i) {
      const std::size_t least = columns_[shape.columns[i]].least;
      const bool gives = least > 0 && shape.widths[i] > least;
      if (gives && (widest == nullptr || shape.widths[i] > *widest)) widest = &shape.widths[i];
    }
    if (widest != nullptr) {
      --*widest;
      continue;
    }
    const auto last = std::ranges::max_element(shape.columns, {},
                                               [&](std::size_t i) { return columns_[i].rank; });
    if (columns_[*last].rank == 0) break;  // the remaining columns are required
    shape.widths.erase(shape.widths.begin() + (last - shape.columns.begin()));
    shape.columns.erase(last);
    // Gives the space of the dropped column back to truncated ones.
    for (std::size_t i = 0; i < shape.columns.size(); ++i) {
      shape.widths[i] = natural_width(shape.columns[i]);
    }
  }
  return shape;
}

std::string Table::line(const Shape& shape, const std::vector<Cell>& cells, bool colours) const {
  std::string text;
  for (std::size_t i = 0; i < shape.columns.size(); ++i) {
    const Column& column = columns_[shape.columns[i]];
    const Cell& cell = cells[shape.columns[i]];
    const std::string shown = truncated(cell.text, shape.widths[i]);
    const std::string space(shape.widths[i] - width_of(shown), ' ');
    if (column.right) text += space;
    text += painted(shown, cell.colour, colours);
    if (i + 1 == shape.columns.size()) break;
    if (!column.right) text += space;
    text += std::string(gap, ' ');
  }
  return text + "\n";
}

std::string Table::text(std::optional<std::size_t> width, bool colours) const {
  const Shape shape = shape_for(width);
  std::vector<Cell> titles;
  for (const Column& column : columns_) titles.push_back({std::string(column.title), Colour::bold});
  std::string text = line(shape, titles, colours);
  for (const auto& row : rows_) text += line(shape, row, colours);
  return text;
}

std::string Table::text() const {
  const Screen here = screen();
  return text(here.is_terminal ? std::optional(here.columns) : std::nullopt, here.colours);
}

}  // namespace longshore
