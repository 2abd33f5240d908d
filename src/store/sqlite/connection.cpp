#include "store/sqlite/connection.h"

#include "core/assert.h"

namespace longshore::sqlite {

Result<std::unique_ptr<Database>> Database::open(const std::string& path, const std::string& vfs,
                                                 Access access) {
  const int mode =
      access == Access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, mode | SQLITE_OPEN_NOMUTEX,
                                   vfs.empty() ? nullptr : vfs.c_str());
  auto database = std::unique_ptr<Database>(new Database(handle));
  if (code == SQLITE_OK) {
    sqlite3_extended_result_codes(handle, 1);
    // Who closes last would copy the log back, also after an error that forbids touching the file.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    return database;
  }
  const std::string why = handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  return Error{.code = Errc::refused, .message = "cannot open " + path + ": " + why};
}

Database::~Database() { sqlite3_close_v2(handle_); }

bool Database::execute(const char* sql) {
  if (failed()) return false;
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
  return !failed();
}

void Database::fail(int code) {
  if (failed()) return;
  code_ = code;
  what_ = std::string(sqlite3_errmsg(handle_)) + " (SQLite code " + std::to_string(code) + ")";
}

void Database::forget_failure() {
  code_ = SQLITE_OK;
  what_.clear();
}

IdBytes to_bytes(std::uint64_t high, std::uint64_t low) {
  IdBytes bytes;
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(high >> (56 - 8 * i));
    bytes[8 + i] = static_cast<char>(low >> (56 - 8 * i));
  }
  return bytes;
}

std::pair<std::uint64_t, std::uint64_t> from_bytes(const void* bytes) {
  const auto* byte = static_cast<const unsigned char*>(bytes);
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    high = high << 8 | byte[i];
    low = low << 8 | byte[8 + i];
  }
  return {high, low};
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  if (database.failed()) return;
  const int code = sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::begin() {
  if (bound_ > 0 && statement_ != nullptr) sqlite3_clear_bindings(statement_);
  bound_ = 0;
  ids_used_ = 0;
}

void Statement::bind(std::int64_t value) { check(sqlite3_bind_int64(statement_, ++bound_, value)); }

void Statement::bind(double value) { check(sqlite3_bind_double(statement_, ++bound_, value)); }

void Statement::bind(std::string_view text) {
  // A null pointer would be NULL, and empty text is not.
  const char* data = text.empty() ? "" : text.data();
  check(sqlite3_bind_text64(statement_, ++bound_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind_unless_empty(std::string_view text) {
  if (text.empty()) {
    bind_null();
  } else {
    bind(text);
  }
}

void Statement::bind_blob(std::string_view bytes) {
  check(sqlite3_bind_blob64(statement_, ++bound_, bytes.data(), bytes.size(), SQLITE_STATIC));
}

void Statement::bind_id(std::uint64_t high, std::uint64_t low) {
  LONGSHORE_ASSERT(ids_used_ < ids_.size(), "a statement binds no more ids than this");
  IdBytes& bytes = ids_[ids_used_++];
  bytes = to_bytes(high, low);
  bind_blob({bytes.data(), bytes.size()});
}

bool Statement::step() {
  read_ = 0;
  if (database_.failed()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

void Statement::finish() {
  while (step()) {
  }
  release();
}

void Statement::release() { sqlite3_reset(statement_); }

bool Statement::is_null() const { return sqlite3_column_type(statement_, read_) == SQLITE_NULL; }

std::int64_t Statement::integer() { return sqlite3_column_int64(statement_, read_++); }

double Statement::real() { return sqlite3_column_double(statement_, read_++); }

std::string_view Statement::bytes() {
  const void* data = sqlite3_column_blob(statement_, read_);
  const int size = sqlite3_column_bytes(statement_, read_++);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

std::optional<std::string> Statement::optional_text() {
  if (is_null()) return skip(), std::nullopt;
  return text();
}

std::optional<Instant> Statement::optional_instant() {
  if (is_null()) return skip(), std::nullopt;
  return instant();
}

void Statement::check(int code) {
  if (code != SQLITE_OK) database_.fail(code);
}

}  // namespace longshore::sqlite
