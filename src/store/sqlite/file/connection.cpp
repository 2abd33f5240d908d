#include "store/sqlite/file/connection.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cstring>

#include "core/assert.h"

namespace longshore::sqlite {
namespace {

constexpr std::uint64_t big_endian(std::uint64_t word) {
  return std::endian::native == std::endian::little ? std::byteswap(word) : word;
}

}  // namespace

void make_private(const std::string& path) {
  const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made >= 0) ::close(made);
}

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
  const std::array words = {big_endian(high), big_endian(low)};
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::pair<std::uint64_t, std::uint64_t> from_bytes(const void* bytes) {
  std::array<std::uint64_t, 2> words;
  std::memcpy(words.data(), bytes, sizeof words);
  return {big_endian(words[0]), big_endian(words[1])};
}

bool Statement::prepare() {
  if (database_.failed()) return false;
  check(sqlite3_prepare_v3(database_.handle(), sql_.data(), static_cast<int>(sql_.size()),
                           SQLITE_PREPARE_PERSISTENT, &statement_, nullptr));
  if (database_.failed()) return false;
  parameters_.resize(static_cast<std::size_t>(sqlite3_bind_parameter_count(statement_)));
  ids_.resize(parameters_.size());
  return true;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::bind(double value) {
  if (!ready()) return;
  next_bound().kind = Bound::Kind::other;
  check(sqlite3_bind_double(statement_, place(), value));
}

void Statement::bind(std::string_view text) {
  if (!ready()) return;
  next_bound().kind = Bound::Kind::other;
  // A null pointer would be NULL, and empty text is not.
  const char* data = text.empty() ? "" : text.data();
  check(sqlite3_bind_text64(statement_, place(), data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind_blob(std::string_view bytes) {
  if (!ready()) return;
  next_bound().kind = Bound::Kind::other;
  check(sqlite3_bind_blob64(statement_, place(), bytes.data(), bytes.size(), SQLITE_STATIC));
}

// SQLite keeps a pointer, so an id that is written where the last one was needs no new binding.
void Statement::bind_id(std::uint64_t high, std::uint64_t low) {
  if (!ready()) return;
  const auto slot = static_cast<std::int64_t>(ids_used_);
  IdBytes& bytes = ids_[ids_used_++];
  bytes = to_bytes(high, low);
  Bound& bound = next_bound();
  if (bound.kind == Bound::Kind::id && bound.value == slot) return;
  bound = {.kind = Bound::Kind::id, .value = slot};
  check(sqlite3_bind_blob64(statement_, place(), bytes.data(), bytes.size(), SQLITE_STATIC));
}

bool Statement::step() {
  read_ = 0;
  if (database_.failed() || !ready()) return false;
  LONGSHORE_ASSERT(bound_ == parameters_.size(), "every parameter is bound");
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

}  // namespace longshore::sqlite
