// What an audit asks of the tables. Each row that a question answers is a contradiction, in words.
#pragma once

#include <span>

namespace longshore::sqlite {

// About single rows of a table, which it calls x: it can be asked of a part of them at a time, by
// adding a range of the column, which holds ids. What a row is compared with is of the same moment.
struct RowQuestion {
  const char* rule;
  const char* table;
  const char* column;
  const char* sql;  // ends within its WHERE
};
std::span<const RowQuestion> row_questions();

// About the whole of it at one moment.
struct WholeQuestion {
  const char* rule;
  const char* sql;
};
std::span<const WholeQuestion> whole_questions();

}  // namespace longshore::sqlite
