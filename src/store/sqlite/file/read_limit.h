// Ends a read that takes too long, since the log cannot begin anew while a snapshot is held. The
// statement that is interrupted fails, and with it the connection (see connection.h).
#pragma once

#include <chrono>
#include <limits>

#include "longshore/time.h"
#include "store/sqlite/file/connection.h"

namespace longshore::sqlite {

// Not safe to share between threads. Stays where it is: SQLite knows its address.
class ReadLimit {
 public:
  // The database must outlive this.
  explicit ReadLimit(Database& database);
  ~ReadLimit();
  ReadLimit(const ReadLimit&) = delete;
  ReadLimit& operator=(const ReadLimit&) = delete;

  // A read begins: it has so long, and any number of steps.
  void start(Duration longest);
  void lift() { start(Duration::forever()); }
  // It ends after about so many steps of SQLite's machine, too. That takes some 20 to 50 million of
  // them in a second.
  void limit_steps(int steps);
  // Half of the time is gone: what can be read in parts should end here.
  bool half_over() const { return Clock::now() >= half_; }
  bool reached() const { return database_.code() == SQLITE_INTERRUPT; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int steps_between_looks = 1000;

  int look() { return --looks_left_ < 0 || Clock::now() >= end_ ? 1 : 0; }

  Database& database_;
  Clock::time_point half_ = Clock::time_point::max();
  Clock::time_point end_ = Clock::time_point::max();
  int looks_left_ = std::numeric_limits<int>::max();
};

}  // namespace longshore::sqlite
