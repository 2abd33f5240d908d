#include "store/sqlite/file/log_limiter.h"

namespace longshore::sqlite {

void LogLimiter::enter(Read read) {
  MutexLock lock(mutex_);
  opened_.wait(mutex_, [this] {
    mutex_.assert_held();
    return !closed_ || !is_read_briefly();
  });
  opened_.wait_for(mutex_, patience_, [this] {
    mutex_.assert_held();
    return !closed_;
  });
  reading_ += 1;
  if (read == Read::lengthy) lengthy_ += 1;
}

bool LogLimiter::leave(Read read) {
  bool is_last_brief = false;
  bool is_last = false;
  {
    MutexLock lock(mutex_);
    reading_ -= 1;
    if (read == Read::lengthy) lengthy_ -= 1;
    is_last_brief = closed_ && !is_read_briefly();
    is_last = closed_ && reading_ == 0;
  }
  if (is_last_brief) opened_.notify_all();
  return is_last;
}

bool LogLimiter::is_read_briefly() const {
  mutex_.assert_held();
  return reading_ > lengthy_;
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
