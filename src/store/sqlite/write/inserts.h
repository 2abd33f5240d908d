// Inserts that were put off, to be run together. A statement for several rows opens SQLite's
// cursors once for all of them, and that is a quarter of what a row costs.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "store/sqlite/file/connection.h"

namespace longshore::sqlite {

// "INSERT INTO table(columns) VALUES (?, ...), ..." for so many rows. A row that is not unique is
// found before, so nothing has to be kept to undo half a statement.
std::string insert_sql(const std::string& table, const std::vector<std::string>& columns,
                       std::size_t rows);

// A Row binds itself to a statement; what it binds must live until the inserts have run.
template <class Row>
class Inserts {
 public:
  Inserts(Database& database, const std::string& table, const std::vector<std::string>& columns)
      : one_(database, insert_sql(table, columns, 1)),
        several_(database, insert_sql(table, columns, together)) {}

  void add(Row row) { rows_.push_back(std::move(row)); }

  void run() {
    std::size_t first = 0;
    for (; rows_.size() - first >= together; first += together) insert(several_, first, together);
    for (; first < rows_.size(); ++first) insert(one_, first, 1);
    rows_.clear();
  }

 private:
  static constexpr std::size_t together = 16;

  void insert(Statement& statement, std::size_t first, std::size_t count) {
    statement.begin();
    for (std::size_t i = first; i < first + count; ++i) rows_[i].bind_to(statement);
    statement.finish();
  }

  Statement one_;
  Statement several_;
  std::vector<Row> rows_;
};

}  // namespace longshore::sqlite
