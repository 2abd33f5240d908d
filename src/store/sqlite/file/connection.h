// One connection to a SQLite file and the statements prepared on it. Errors are sticky: after the
// first one every step on the connection ends at once without a row, and whoever began the work
// asks failed() before trusting what was read. That keeps the code between two checks free of
// error paths, and no answer made from a failed read can leave by accident.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/error.h"
#include "longshore/id.h"
#include "longshore/time.h"

namespace longshore::sqlite {

// Makes a database that is not there yet, for its owner's eyes alone: SQLite would go by the umask.
// Its log and its index copy its rights.
void make_private(const std::string& path);

// Not safe to share between threads.
class Database {
 public:
  enum class Access { write, read };

  // Creates the file when opened for writing. `vfs` names a registered SQLite VFS, empty for the
  // system's own.
  static Result<std::unique_ptr<Database>> open(const std::string& path, const std::string& vfs,
                                                Access access);

  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs statements that answer nothing. False after a failure, also an earlier one.
  bool execute(const char* sql);

  bool failed() const { return code_ != SQLITE_OK; }
  int code() const { return code_ & 0xFF; }  // the primary result code
  const std::string& what() const { return what_; }
  void fail(int code);
  // After a rollback the connection may be used again.
  void forget_failure();

  // How many rows the last INSERT, UPDATE or DELETE changed.
  std::int64_t changes() const { return sqlite3_changes64(handle_); }
  bool in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }
  sqlite3* handle() { return handle_; }

 private:
  explicit Database(sqlite3* handle) : handle_(handle) {}

  sqlite3* handle_;
  int code_ = SQLITE_OK;
  std::string what_;
};

// The bytes of an id as they are stored: big-endian, so that they sort like the id.
using IdBytes = std::array<char, 16>;
IdBytes to_bytes(std::uint64_t high, std::uint64_t low);
std::pair<std::uint64_t, std::uint64_t> from_bytes(const void* bytes);

// Binds values one after the other, or reads them. Text and blobs are not copied: what is bound
// must live until the statement has run. SQLite hears of the statement when it is first used: many
// never are, and a store should open quickly.
class Statement {
 public:
  Statement(Database& database, std::string sql) : database_(database), sql_(std::move(sql)) {}
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds all and runs to the end.
  template <class... Values>
  void run(const Values&... values) {
    begin();
    (bind(values), ...);
    finish();
  }

  // ---- Binding, from the first parameter on -----------------------------------------------------

  // Every parameter is then bound anew, in order; SQLite hears only of those that changed.
  void begin() {
    bound_ = 0;
    ids_used_ = 0;
  }
  void bind(std::int64_t value) {
    if (!ready()) return;
    Bound& bound = next_bound();
    if (bound.kind == Bound::Kind::integer && bound.value == value) return;
    bound = {.kind = Bound::Kind::integer, .value = value};
    check(sqlite3_bind_int64(statement_, place(), value));
  }
  void bind(int value) { bind(static_cast<std::int64_t>(value)); }
  void bind(bool value) { bind(static_cast<std::int64_t>(value)); }
  void bind(std::uint64_t value) { bind(static_cast<std::int64_t>(value)); }
  void bind(double value);
  void bind(std::string_view text);
  void bind(const std::string& text) { bind(std::string_view(text)); }
  void bind(const char* text) { bind(std::string_view(text)); }
  void bind(Instant at) { bind(at.count()); }
  void bind(Duration length) { bind(length.count()); }
  template <class Tag>
  void bind(const Id<Tag>& id) {
    bind_id(id.high, id.low);
  }
  template <class T>
  void bind(const std::optional<T>& value) {
    if (value) {
      bind(*value);
    } else {
      bind_null();
    }
  }
  void bind_null() {
    if (!ready()) return;
    Bound& bound = next_bound();
    if (bound.kind == Bound::Kind::null) return;
    bound.kind = Bound::Kind::null;
    check(sqlite3_bind_null(statement_, place()));
  }
  // Empty text and the zero id are stored as NULL, which costs nothing.
  void bind_unless_empty(std::string_view text) {
    if (text.empty()) {
      bind_null();
    } else {
      bind(text);
    }
  }
  void bind_blob(std::string_view bytes);

  // ---- Running and reading
  // ------------------------------------------------------------------------

  bool step();     // true: there is a row
  void finish();   // runs to the end, and lets go of the row
  void release();  // lets go of the row

  // The next column of the row.
  bool is_null() const;
  std::int64_t integer();
  int small() { return static_cast<int>(integer()); }
  double real();
  std::string_view bytes();  // valid until the next step
  std::string text() { return std::string(bytes()); }
  Instant instant() { return Instant::millis(integer()); }
  Duration duration() { return Duration::millis(integer()); }
  template <class AnyId>
  AnyId id() {
    const std::string_view raw = bytes();
    if (raw.size() != sizeof(IdBytes)) return AnyId{};
    const auto [high, low] = from_bytes(raw.data());
    return AnyId{.high = high, .low = low};
  }
  std::optional<std::string> optional_text();
  std::optional<Instant> optional_instant();
  template <class AnyId>
  std::optional<AnyId> optional_id() {
    if (is_null()) return skip(), std::nullopt;
    return id<AnyId>();
  }
  void skip() { ++read_; }

 private:
  // What SQLite has at a parameter.
  struct Bound {
    enum class Kind : std::uint8_t { null, integer, id, other };
    Kind kind = Kind::null;
    std::int64_t value = 0;  // of an integer; of an id its place in ids_
  };

  Bound& next_bound() { return parameters_[bound_++]; }
  int place() const { return static_cast<int>(bound_); }
  void bind_id(std::uint64_t high, std::uint64_t low);
  bool ready() { return statement_ != nullptr || prepare(); }
  bool prepare();
  void check(int code) {
    if (code != SQLITE_OK) database_.fail(code);
  }

  Database& database_;
  std::string sql_;
  sqlite3_stmt* statement_ = nullptr;
  std::vector<Bound> parameters_;
  std::size_t bound_ = 0;
  int read_ = 0;
  std::vector<IdBytes> ids_;
  std::size_t ids_used_ = 0;
};

// Lets go of a statement's row at the end of a scope.
class RowGuard {
 public:
  explicit RowGuard(Statement& statement) : statement_(statement) {}
  ~RowGuard() { statement_.release(); }
  RowGuard(const RowGuard&) = delete;
  RowGuard& operator=(const RowGuard&) = delete;

 private:
  Statement& statement_;
};

}  // namespace longshore::sqlite
