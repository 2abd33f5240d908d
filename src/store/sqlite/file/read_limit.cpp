#include "store/sqlite/file/read_limit.h"

namespace longshore::sqlite {

ReadLimit::ReadLimit(Database& database) : database_(database) {
  const auto look = [](void* limit) { return static_cast<ReadLimit*>(limit)->look(); };
  sqlite3_progress_handler(database_.handle(), steps_between_looks, look, this);
}

ReadLimit::~ReadLimit() { sqlite3_progress_handler(database_.handle(), 0, nullptr, nullptr); }

void ReadLimit::start(Duration longest) {
  looks_left_ = std::numeric_limits<int>::max();
  const bool is_limited = longest < Duration::hours(24);
  const std::chrono::milliseconds length(is_limited ? longest.count() : 0);
  const Clock::time_point now = Clock::now();
  half_ = is_limited ? now + length / 2 : Clock::time_point::max();
  end_ = is_limited ? now + length : Clock::time_point::max();
}

void ReadLimit::limit_steps(int steps) { looks_left_ = steps / steps_between_looks; }

}  // namespace longshore::sqlite
