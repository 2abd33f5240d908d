#include "store/memory/wakeups.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace longshore::memory {
namespace {

// The library adds the wait to its clock, which must not overflow. Nobody is harmed by waking
// once a day for nothing.
constexpr Duration patience_max = Duration::days(1);

const std::set<std::string> anything = {"*"};

}  // namespace

std::vector<std::string> MemoryWakeups::wait(Duration longest) {
  const Duration patience = std::clamp(longest, Duration(), patience_max);
  MutexLock lock(mutex_);
  // The predicate runs with the mutex held; the checker cannot see that.
  changed_.wait_for(mutex_, std::chrono::milliseconds(patience.count()), [this] {
    mutex_.assert_held();
    return stopped_ || !hints_.empty();
  });
  return take();
}

void MemoryWakeups::stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void MemoryWakeups::hint(const std::set<MemoryDisk::Scoped>& queues) {
  if (queues.empty()) return;
  MutexLock lock(mutex_);
  if (hints_ != anything) {
    for (const MemoryDisk::Scoped& queue : queues) hints_.insert(queue.ns + "/" + queue.name);
    if (hints_.size() > hints_kept) hints_ = anything;
  }
  changed_.notify_all();
}

std::vector<std::string> MemoryWakeups::take() {
  mutex_.assert_held();
  const std::set<std::string> hints = std::exchange(hints_, {});
  return {hints.begin(), hints.end()};
}

}  // namespace longshore::memory
