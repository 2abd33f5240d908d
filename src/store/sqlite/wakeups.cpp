#include "store/sqlite/wakeups.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace longshore::sqlite {
namespace {

// The library adds the wait to its clock, which must not overflow.
constexpr Duration patience_max = Duration::days(1);

}  // namespace

std::vector<std::string> LocalWakeups::wait(Duration longest) {
  const Duration patience = std::clamp(longest, Duration(), patience_max);
  MutexLock lock(mutex_);
  // The predicate runs with the mutex held; the checker cannot see that.
  changed_.wait_for(mutex_, std::chrono::milliseconds(patience.count()), [this] {
    mutex_.assert_held();
    return stopped_ || !hints_.empty();
  });
  const std::set<std::string> hints = std::exchange(hints_, {});
  return {hints.begin(), hints.end()};
}

void LocalWakeups::stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void LocalWakeups::hint(std::set<std::string> queues) {
  if (queues.empty()) return;
  MutexLock lock(mutex_);
  hints_.merge(queues);
  if (hints_.size() > hints_kept) hints_ = {"*"};
  changed_.notify_all();
}

}  // namespace longshore::sqlite
