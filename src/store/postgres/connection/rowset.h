// The answer to one statement, read column by column.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/id.h"
#include "longshore/time.h"
#include "store/postgres/connection/values.h"

namespace longshore::postgres {

// Reads a result in the order in which its columns were asked for. An empty one answers no rows,
// which is also what a statement that failed leaves behind.
class RowSet {
 public:
  RowSet() = default;
  explicit RowSet(PGresult* result) : result_(result) {}

  int count() const { return result_ ? PQntuples(result_.get()) : 0; }
  // Goes to the next row; false after the last.
  bool next();
  // REQUIRES: 0 <= row < count().
  void go_to(int row) {
    row_ = row;
    column_ = 0;
    inside_ = false;
  }
  // REQUIRES: 0 <= row < count().
  bool is_null_at(int row, int column) const {
    return PQgetisnull(result_.get(), row, column) != 0;
  }
  // Before the first row again.
  void rewind() { row_ = -1; }
  // Goes into a value that is a record, whose values are then read instead, until leave(). False
  // if it is NULL, which is then behind us.
  bool enter();
  void leave() {
    inside_ = false;
    ++column_;
  }
  // Rows that a statement changed, as its command tag says.
  std::int64_t affected() const;

  bool at_end() const { return column_ >= PQnfields(result_.get()); }  // of the row
  bool is_null() const;
  void skip() { ++(inside_ ? field_ : column_); }
  std::string_view bytes();  // until this object ends; empty for NULL
  std::string text() { return std::string(bytes()); }
  std::int64_t integer();  // of 2, 4 or 8 bytes
  int small() { return static_cast<int>(integer()); }
  bool boolean();
  Instant instant() { return Instant::millis(integer()); }
  Duration duration() { return Duration::millis(integer()); }
  template <class AnyId>
  AnyId id() {
    const auto [high, low] = halves();
    return AnyId{.high = high, .low = low};
  }

  std::optional<std::string> optional_text();
  std::optional<Instant> optional_instant();
  std::optional<Duration> optional_duration();
  std::optional<int> optional_small();
  std::optional<RowPlace> optional_place();
  template <class AnyId>
  std::optional<AnyId> optional_id() {
    if (is_null()) return skip(), std::nullopt;
    return id<AnyId>();
  }

 private:
  std::pair<std::uint64_t, std::uint64_t> halves();

  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
  int row_ = -1;
  int column_ = 0;
  bool inside_ = false;
  int field_ = 0;
  std::vector<std::optional<std::string_view>> fields_;  // of the record that was entered
};

}  // namespace longshore::postgres
