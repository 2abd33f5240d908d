#include "store/sqlite/write/deletes.h"

#include <algorithm>

namespace longshore::sqlite {
namespace {

constexpr std::size_t together = 16;
constexpr std::size_t worth_it = 6;  // so few cost less one by one

std::string delete_sql(const std::string& table, std::size_t ids) {
  std::string marks = "?";
  for (std::size_t i = 1; i < ids; ++i) marks += ", ?";
  return "DELETE FROM " + table + " WHERE id IN (" + marks + ")";
}

}  // namespace

Deletes::Deletes(Database& database, const std::string& table)
    : one_(database, delete_sql(table, 1)), several_(database, delete_sql(table, together)) {}

void Deletes::run() {
  std::size_t first = 0;
  for (; ids_.size() - first >= worth_it; first = std::min(first + together, ids_.size())) {
    remove_several(first);
  }
  for (; first < ids_.size(); ++first) one_.run(ids_[first]);
  ids_.clear();
}

void Deletes::remove_several(std::size_t first) {
  several_.begin();
  for (std::size_t i = first; i < first + together; ++i) {
    several_.bind(ids_[std::min(i, ids_.size() - 1)]);
  }
  several_.finish();
}

}  // namespace longshore::sqlite
