#include "store/sqlite/file/log_limiter.h"

#include <chrono>

namespace longshore::sqlite {
namespace {

constexpr std::chrono::seconds patience{1};

}  // namespace

void LogLimiter::enter(Read read) {
  MutexLock lock(mutex_);
  opened_.wait_for(mutex_, patience, [this] {
    mutex_.assert_held();
    return !closed_;
  });
  reading_ += 1;
  if (read == Read::lengthy) lengthy_ += 1;
}

bool LogLimiter::leave(Read read) {
  MutexLock lock(mutex_);
  reading_ -= 1;
  if (read == Read::lengthy) lengthy_ -= 1;
  return closed_ && reading_ == 0;
}

void LogLimiter::may_interrupt(sqlite3* connection) {
  MutexLock lock(mutex_);
  interruptible_.push_back(connection);
}

void LogLimiter::is_over(sqlite3* connection) {
  MutexLock lock(mutex_);
  std::erase(interruptible_, connection);
}

bool LogLimiter::close(Close how) {
  bool reading = false;
  {
    MutexLock lock(mutex_);
    reading = reading_ > 0;
    closed_ = lengthy_ == 0 || how == Close::insisting;
    if (how == Close::insisting) {
      for (sqlite3* connection : interruptible_) sqlite3_interrupt(connection);
    }
    if (closed_) return !reading;
  }
  opened_.notify_all();
  return !reading;
}

void LogLimiter::open() {
  {
    MutexLock lock(mutex_);
    if (!closed_) return;
    closed_ = false;
  }
  opened_.notify_all();
}

}  // namespace longshore::sqlite
