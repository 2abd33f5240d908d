// Hints that a queue may be worth a look, for those who wait in this process, and how they are
// written down for other processes. A hint names a queue as "namespace/queue"; "*" is any queue.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/wakeups.h"

namespace longshore {

inline constexpr std::size_t hints_kept = 1024;

// More queues than hints_kept between two waits are answered as the one entry "*".
class LocalWakeups final : public Wakeups {
 public:
  std::vector<std::string> wait(Duration longest) override;
  void stop() override;

  void hint(std::set<std::string> queues);

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::set<std::string> hints_ LONGSHORE_GUARDED_BY(mutex_);
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

// Hints as the text of one message, and back. Too many for one message are "*".
std::string hints_text(const std::set<std::string>& queues);
std::set<std::string> read_hints(std::string_view text);

}  // namespace longshore
