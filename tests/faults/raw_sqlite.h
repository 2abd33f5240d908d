// Direct access to SQLite, for tests that examine a database without the store.
#pragma once

#include <sqlite3.h>

#include <string>
#include <vector>

namespace longshore::faults {

// One connection. Not safe to share between threads.
class RawSqlite {
 public:
  // ok() tells whether it was opened.
  RawSqlite(const std::string& path, const std::string& vfs, bool read_only = false);
  ~RawSqlite();
  RawSqlite(const RawSqlite&) = delete;
  RawSqlite& operator=(const RawSqlite&) = delete;

  bool ok() const { return opened_; }
  // SQLite's result code.
  int run(const std::string& sql);
  // The first column of each row; on an error, the rows read before it, and `failed` is set.
  std::vector<std::string> column(const std::string& sql);
  bool failed() const { return failed_; }
  // The first value, or an empty string.
  std::string value(const std::string& sql);
  sqlite3* get() { return db_; }

 private:
  sqlite3* db_ = nullptr;
  bool opened_ = false;
  bool failed_ = false;
};

// Makes SQLite's own random numbers (salts of the WAL) repeatable from here on.
void seed_sqlite(std::uint64_t seed);

}  // namespace longshore::faults
