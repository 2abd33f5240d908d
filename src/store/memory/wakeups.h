// Hints for those who wait in the same process.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/mutex.h"
#include "longshore/wakeups.h"
#include "store/memory/disk.h"

namespace longshore::memory {

inline constexpr std::size_t hints_kept = 1024;

// More queues than hints_kept between two waits are answered as the one entry "*".
class MemoryWakeups final : public Wakeups {
 public:
  std::vector<std::string> wait(Duration longest) override;
  void stop() override;

  void hint(const std::set<MemoryDisk::Scoped>& queues);

 private:
  std::vector<std::string> take();

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::set<std::string> hints_ LONGSHORE_GUARDED_BY(mutex_);
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore::memory
