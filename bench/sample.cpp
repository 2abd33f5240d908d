#include "bench/sample.h"

#include <sqlite3.h>

#include <algorithm>

#include "bench/callers.h"

namespace longshore::bench {
namespace {

Value value_at(sqlite3_stmt* row, int column) {
  const auto bytes = [&] {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(row, column));
    return std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(row, column)));
  };
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(row, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(row, column);
    case SQLITE_TEXT:
      return sqlite3_column_bytes(row, column) == 0 ? std::string() : bytes();
    case SQLITE_BLOB:
      return Blob{bytes()};
    default:
      return std::monostate();
  }
}

// The only row of a table.
Row read_row(const std::string& path, const std::string& table) {
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  sqlite3_prepare_v2(database, ("SELECT * FROM " + table).c_str(), -1, &statement, nullptr);
  if (sqlite3_step(statement) != SQLITE_ROW) give_up("there is no sample row in " + table);
  Row row;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    row.names.emplace_back(sqlite3_column_name(statement, i));
    row.values.push_back(value_at(statement, i));
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return row;
}

}  // namespace

std::size_t Row::column(const std::string& name) const {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) give_up("there is no column " + name);
  return static_cast<std::size_t>(found - names.begin());
}

Sample take_sample(const std::string& path, bool keyed) {
  remove_store(path);
  Sample sample;
  {
    OpenStore store(path);
    Caller caller(store.store(), 1);
    caller.enqueue(1, {.keyed = keyed});
    sample.queued = read_row(path, "live");
    sample.body = read_row(path, "body");
    const auto leases = caller.claim(1);
    sample.running = read_row(path, "live");
    caller.complete(leases);
    sample.done = read_row(path, "done");
  }
  remove_store(path);
  return sample;
}

}  // namespace longshore::bench
