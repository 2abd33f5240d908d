#include "runtime/watchers.h"

namespace longshore {

Watchers::Watch::Watch(Watchers& watchers, const JobId& job, Alarm& alarm, Until until)
    : watchers_(watchers), job_(job), alarm_(alarm) {
  MutexLock lock(watchers_.mutex_);
  watchers_.watched_.emplace(job_, Watched{.alarm = &alarm_, .until = until});
  if (watchers_.stopped_) alarm_.wake();
}

Watchers::Watch::~Watch() {
  MutexLock lock(watchers_.mutex_);
  auto [at, end] = watchers_.watched_.equal_range(job_);
  while (at != end && at->second.alarm != &alarm_) ++at;
  if (at != end) watchers_.watched_.erase(at);
}

void Watchers::on_commit(const Committed& committed) {
  MutexLock lock(mutex_);
  if (watched_.empty()) return;
  for (const JobEvent& one : committed.events) {
    const bool ended = is_terminal(one.transition.to);
    const auto [begin, end] = watched_.equal_range(one.job);
    for (auto at = begin; at != end; ++at) {
      if (ended || at->second.until == Until::move) at->second.alarm->wake();
    }
  }
}

void Watchers::stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  for (const auto& [job, watched] : watched_) watched.alarm->wake();
}

}  // namespace longshore
