#include "faults/raw_sqlite.h"

namespace longshore::faults {

RawSqlite::RawSqlite(const std::string& path, const std::string& vfs, bool read_only) {
  const int flags = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  opened_ =
      sqlite3_open_v2(path.c_str(), &db_, flags, vfs.empty() ? nullptr : vfs.c_str()) == SQLITE_OK;
}

RawSqlite::~RawSqlite() { sqlite3_close_v2(db_); }

int RawSqlite::run(const std::string& sql) {
  return sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
}

std::vector<std::string> RawSqlite::column(const std::string& sql) {
  std::vector<std::string> values;
  sqlite3_stmt* statement = nullptr;
  failed_ = sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK;
  while (!failed_) {
    const int code = sqlite3_step(statement);
    if (code != SQLITE_ROW) {
      failed_ = code != SQLITE_DONE;
      break;
    }
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, 0));
    const int size = sqlite3_column_bytes(statement, 0);
    values.emplace_back(bytes == nullptr ? "" : bytes, static_cast<std::size_t>(size));
  }
  sqlite3_finalize(statement);
  return values;
}

std::string RawSqlite::value(const std::string& sql) {
  const std::vector<std::string> values = column(sql);
  return values.empty() ? std::string() : values.front();
}

void seed_sqlite(std::uint64_t seed) {
  // 0 would make SQLite use the system's randomness.
  const int number = static_cast<int>(seed % 0x7FFFFFFF) + 1;
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, number, static_cast<sqlite3*>(nullptr));
}

}  // namespace longshore::faults
