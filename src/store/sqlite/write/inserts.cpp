#include "store/sqlite/write/inserts.h"

namespace longshore::sqlite {

std::string insert_sql(const std::string& table, const std::vector<std::string>& columns,
                       std::size_t rows) {
  std::string names;
  std::string row;
  for (const std::string& column : columns) {
    names += (names.empty() ? "" : ", ") + column;
    row += row.empty() ? "(?" : ", ?";
  }
  row += ")";
  std::string values;
  for (std::size_t i = 0; i < rows; ++i) values += (values.empty() ? "" : ", ") + row;
  return "INSERT OR FAIL INTO " + table + "(" + names + ") VALUES " + values;
}

}  // namespace longshore::sqlite
