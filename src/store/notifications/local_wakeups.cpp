#include "store/notifications/local_wakeups.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace longshore {
namespace {

// The library adds the wait to its clock, which must not overflow. Nobody is harmed by waking
// once a day for nothing.
constexpr Duration patience_max = Duration::days(1);
// A notification of PostgreSQL holds less than 8,000 bytes.
constexpr std::size_t text_max = 7'000;

const std::set<std::string> anything = {"*"};

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
  if (hints_.size() > hints_kept || hints_.contains("*")) hints_ = anything;
  changed_.notify_all();
}

std::string hints_text(const std::set<std::string>& queues) {
  std::string text;
  for (const std::string& queue : queues) text += (text.empty() ? "" : "\n") + queue;
  return text.size() > text_max ? "*" : text;
}

std::set<std::string> read_hints(std::string_view text) {
  std::set<std::string> queues;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    queues.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return queues;
}

}  // namespace longshore
