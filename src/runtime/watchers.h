// Wakes callers that wait for a transition or the end of a job, when it is committed.
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

  // Wakes `alarm` at each transition or at the end of the job during its lifetime. Both must
  // outlive it.
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

  void on_commit(const Committed& committed);
  // Wakes all watchers, and later ones at once.
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
