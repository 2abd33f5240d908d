// SQLite by hand, for tests that look at a database without the store.
#pragma once

#include <sqlite3.h>

#include <string>
#include <vector>

namespace longshore::faults {

// One connection. Not safe to share between threads.
class RawSqlite {
 public:
  // Ask ok() whether it worked.
  RawSqlite(const std::string& path, const std::string& vfs, bool read_only = false);
  ~RawSqlite();
  RawSqlite(const RawSqlite&) = delete;
  RawSqlite& operator=(const RawSqlite&) = delete;

  bool ok() const { return opened_; }
  // SQLite's result code.
  int run(const std::string& sql);
  // The first column of each row; what was read before an error came, and `failed` says so.
  std::vector<std::string> column(const std::string& sql);
  bool failed() const { return failed_; }
  // The first value, or nothing at all.
  std::string value(const std::string& sql);
  sqlite3* get() { return db_; }

 private:
  sqlite3* db_ = nullptr;
  bool opened_ = false;
  bool failed_ = false;
};

// Makes SQLite's own random numbers (salts of the WAL) repeatable for what follows.
void seed_sqlite(std::uint64_t seed);

}  // namespace longshore::faults
