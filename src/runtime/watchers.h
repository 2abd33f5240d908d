// Those who wait for a job to move or to end. They are woken by the commit, not by a timer.
#pragma once

#include <unordered_map>

#include "core/sync/mutex.h"
#include "longshore/store.h"
#include "runtime/alarm.h"

namespace longshore {

// Safe to share between threads.
class Watchers {
 public:
  enum class Until { move, end };

  // Rings `alarm` when the job moves or ends, as long as it lives. Both must outlive it.
  class Watch {
   public:
    Watch(Watchers& watchers, const JobId& job, Alarm& alarm, Until until = Until::end);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Watchers& watchers_;
    const JobId job_;
    Alarm& alarm_;
  };

  void look_at(const Committed& committed);
  // Wakes everybody, now and later.
  void stop();

 private:
  struct Watched {
    Alarm* alarm = nullptr;
    Until until = Until::end;
  };

  Mutex mutex_;
  // Guarded by mutex_.
  std::unordered_multimap<JobId, Watched> watched_ LONGSHORE_GUARDED_BY(mutex_);
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
