#include "store/sqlite/file/schema.h"

#include "store/sqlite/file/log_rewrite.h"

namespace longshore::sqlite {
namespace {

constexpr std::int64_t application_id = 0x4C6F6E67;  // "Long"

Error refused(const std::string& path, const std::string& why) {
  return {.code = Errc::refused, .message = path + " " + why};
}

// What SQLite itself says on opening: the file may be anything.
Error unreadable(const Database& database, const std::string& path) {
  if (database.code() == SQLITE_NOTADB) {
    return refused(path, "is not a Longshore database; name another file");
  }
  if (database.code() == SQLITE_READONLY || database.code() == SQLITE_CANTOPEN) {
    return refused(path, "cannot be written: " + database.what() +
                             "; give the user who runs Longshore write access to the file and "
                             "its directory");
  }
  if (database.code() == SQLITE_BUSY) {
    return refused(path, "is in use by another program; stop that program first");
  }
  if (database.code() == SQLITE_FULL) {
    return {.code = Errc::disk_full, .message = path + " has no room to grow; free some space"};
  }
  return {.code = Errc::corrupt,
          .message = path + " cannot be used: " + database.what() + "; restore a backup"};
}

std::int64_t ask(Database& database, const std::string& question) {
  Statement statement(database, question);
  RowGuard guard(statement);
  return statement.step() ? statement.integer() : 0;
}

std::string ask_text(Database& database, const std::string& question) {
  Statement statement(database, question);
  RowGuard guard(statement);
  return statement.step() ? statement.text() : "";
}

bool is_empty(Database& database) {
  return ask(database, "SELECT count(*) FROM sqlite_schema") == 0;
}

// What makes this version of the one before it.
std::string migration_text(std::int64_t version) {
  return std::string("BEGIN IMMEDIATE;\n") + migrations()[static_cast<std::size_t>(version - 1)] +
         "PRAGMA user_version = " + std::to_string(version) +
         ";\nPRAGMA application_id = " + std::to_string(application_id) + ";\nCOMMIT;\n";
}

std::int64_t latest_version() { return static_cast<std::int64_t>(migrations().size()); }

// The version of a file that this Longshore may migrate; 0 for a new one.
Result<std::int64_t> version_of(Database& database, const std::string& path) {
  const std::int64_t version = ask(database, "PRAGMA user_version");
  const std::int64_t owner = ask(database, "PRAGMA application_id");
  const bool is_new = is_empty(database);
  if (database.failed()) return unreadable(database, path);
  if (!is_new && owner != application_id) {
    return refused(path, "is a database of another program; name another file");
  }
  if (version <= latest_version()) return version;
  return refused(path, "has schema version " + std::to_string(version) + ", this Longshore knows " +
                           std::to_string(latest_version()) + "; use a newer Longshore");
}

}  // namespace

Result<Nothing> configure_writer(Database& database, const std::string& path) {
  // The page size counts only for a file that is still empty.
  database.execute(
      "PRAGMA page_size = 4096; PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL;"
      "PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 0;"
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -65536;"
      "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF; PRAGMA secure_delete = OFF");
  const std::string mode = ask_text(database, "PRAGMA journal_mode");
  const std::int64_t synchronous = ask(database, "PRAGMA synchronous");
  if (database.failed()) return unreadable(database, path);
  if (mode != "wal" || synchronous != 2) {
    return refused(path, "cannot be written durably: SQLite answers journal_mode " + mode +
                             " and synchronous " + std::to_string(synchronous) +
                             " where wal and 2 were asked; move it to a local disk");
  }
  return Nothing{};
}

Result<Nothing> migrate(Database& database, const std::string& path) {
  const Result<std::int64_t> version = version_of(database, path);
  if (!version) return version.error();
  rewrite_log(database);
  for (std::int64_t next = *version + 1; next <= latest_version(); ++next) {
    database.execute(migration_text(next).c_str());
  }
  if (database.failed()) return unreadable(database, path);
  return Nothing{};
}

Result<std::string> migration_plan(Database& database, const std::string& path) {
  const Result<std::int64_t> version = version_of(database, path);
  if (!version) return version.error();
  std::string plan;
  for (std::int64_t next = *version + 1; next <= latest_version(); ++next) {
    plan += migration_text(next);
  }
  return plan;
}

Result<RulesRecord> read_rules(Database& database, const Rules& asked, const std::string& path) {
  std::string stored = ask_text(database, "SELECT rules FROM store");
  if (stored.empty()) {
    stored = record_text(first_record(asked));
    Statement insert(database,
                     "INSERT INTO store(one, rules, highest_at, number, order_back, order_front, "
                     "audit) VALUES (1, ?, 0, 0, 0, 0, 0)");
    insert.run(stored);
  }
  if (database.failed()) return unreadable(database, path);
  return agree_on_rules(stored, asked, path, "name another file");
}

}  // namespace longshore::sqlite
