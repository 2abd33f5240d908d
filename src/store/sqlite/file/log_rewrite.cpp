#include "store/sqlite/file/log_rewrite.h"

#include <algorithm>
#include <vector>

namespace longshore::sqlite {
namespace {

// SQLite's own VFS silently cuts off more than 128 KiB at once.
constexpr sqlite3_int64 piece_bytes = 64 * 1024;

int rewrite(sqlite3_file& log) {
  sqlite3_int64 size = 0;
  int code = log.pMethods->xFileSize(&log, &size);
  if (code != SQLITE_OK || size == 0) return code;
  std::vector<char> bytes(static_cast<std::size_t>(std::min(size, piece_bytes)));
  for (sqlite3_int64 at = 0; at < size && code == SQLITE_OK; at += piece_bytes) {
    const int count = static_cast<int>(std::min(size - at, piece_bytes));
    code = log.pMethods->xRead(&log, bytes.data(), count, at);
    if (code == SQLITE_OK) code = log.pMethods->xWrite(&log, bytes.data(), count, at);
  }
  return code == SQLITE_OK ? log.pMethods->xSync(&log, SQLITE_SYNC_NORMAL) : code;
}

}  // namespace

// Holds the write lock meanwhile: bytes written over newer ones would be worse than any power cut.
void rewrite_log(Database& database) {
  if (!database.execute("BEGIN IMMEDIATE")) return;
  sqlite3_file* log = nullptr;
  int code = sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code == SQLITE_OK && log != nullptr && log->pMethods != nullptr) code = rewrite(*log);
  database.execute("ROLLBACK");
  if (code != SQLITE_OK) database.fail(code);
}

}  // namespace longshore::sqlite
