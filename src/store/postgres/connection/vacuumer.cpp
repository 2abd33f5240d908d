#include "store/postgres/connection/vacuumer.h"

#include <algorithm>

namespace longshore::postgres {
namespace {

// A sweep takes some milliseconds, so it costs each of these jobs less than a microsecond.
constexpr std::int64_t jobs_between = 8192;
// It takes longer while an old transaction keeps everything from being swept; then it rests this
// many times as long as it took.
constexpr std::int64_t rest = 20;

// Without cutting the ends of the tables off, for which everybody would have to wait.
constexpr Sql vacuum = {"VACUUM (SKIP_LOCKED, TRUNCATE OFF, INDEX_CLEANUP ON) @ready, @held"};
constexpr Sql time_now = {"SELECT @store_time()"};

}  // namespace

bool Vacuumer::is_due(std::int64_t handed_out, Instant now) {
  MutexLock lock(mutex_);
  handed_out_ += handed_out;
  if (handed_out_ < jobs_between || now < not_before_) return false;
  handed_out_ = 0;
  return true;
}

void Vacuumer::sweep(Connection& connection, Instant now) {
  connection.ask(vacuum);
  RowSet row = connection.ask(time_now);
  const Instant ended = row.next() ? std::max(row.instant(), now) : now;
  const Duration took = ended - now;
  MutexLock lock(mutex_);
  not_before_ = ended + Duration::millis(took.count() * rest);
}

}  // namespace longshore::postgres
