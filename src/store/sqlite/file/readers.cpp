#include "store/sqlite/file/readers.h"

#include <utility>

namespace longshore::sqlite {
namespace {

constexpr std::size_t idle_max = 4;

}  // namespace

Reader::Reader(std::unique_ptr<Database> opened, const Policy& usual)
    : database(std::move(opened)),
      limit(*database),
      rows(usual),
      jobs(*database, usual),
      keys(*database),
      begin(*database, "BEGIN"),
      end(*database, "COMMIT"),
      failures(*database,
               "SELECT attempt, at, code, message, details FROM failure WHERE id = ? ORDER BY seq"),
      kind(*database, "SELECT id FROM kind WHERE ns = ? AND type = ?"),
      gone(*database, "SELECT status FROM gone WHERE job = ?") {}

Result<std::unique_ptr<Reader>> Readers::take() {
  {
    MutexLock lock(mutex_);
    if (!idle_.empty()) {
      auto reader = std::move(idle_.back());
      idle_.pop_back();
      return reader;
    }
  }
  auto database = Database::open(path_, vfs_, Database::Access::read);
  if (!database) return database.error();
  (*database)->execute(
      "PRAGMA busy_timeout = 5000; PRAGMA mmap_size = 0; PRAGMA trusted_schema = OFF;"
      "PRAGMA cell_size_check = ON; PRAGMA query_only = ON;"
      // Reads the schema now, outside the time of anybody's read.
      "SELECT 1 FROM sqlite_schema LIMIT 1");
  auto reader = std::make_unique<Reader>(std::move(*database), usual_);
  if (reader->database->failed()) return failure(*reader);
  return reader;
}

void Readers::give_back(std::unique_ptr<Reader> reader) {
  MutexLock lock(mutex_);
  if (idle_.size() < idle_max) idle_.push_back(std::move(reader));
}

Error Readers::failure(const Reader& reader) {
  if (reader.limit.reached()) {
    return {.code = Errc::overloaded,
            .message =
                "the answer took too long to read and was given up, so that the store's log "
                "does not grow without end; ask for less, or again when the store is less "
                "busy"};
  }
  const int code = reader.database->code();
  const bool corrupt = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  return {.code = corrupt ? Errc::corrupt : Errc::unavailable,
          .message = "the store could not be read: " + reader.database->what()};
}

}  // namespace longshore::sqlite
