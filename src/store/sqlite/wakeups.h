// Hints for those who wait in the same process.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/mutex.h"
#include "longshore/wakeups.h"

namespace longshore::sqlite {

inline constexpr std::size_t hints_kept = 1024;

// More queues than hints_kept between two waits are answered as the one entry "*".
class LocalWakeups final : public Wakeups {
 public:
  std::vector<std::string> wait(Duration longest) override;
  void stop() override;

  // Queues as "namespace/queue".
  void hint(std::set<std::string> queues);

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::set<std::string> hints_ LONGSHORE_GUARDED_BY(mutex_);
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore::sqlite
