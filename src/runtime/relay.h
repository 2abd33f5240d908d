// Wakes the threads whose commands were answered, one after another. A commit answers many threads
// at once; woken together they would displace the committing thread from its processor, and each
// wake-up is a system call that delays the next commit. So the committing thread wakes a few, and
// each woken thread wakes one more. Before the committing thread answers again or waits, it wakes
// all that are left, so that no wake-up depends on another thread being scheduled.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "core/sync/mutex.h"
#include "runtime/signal.h"

namespace longshore {

// Safe to share between threads.
class Relay {
 public:
  using Sleeper =
      std::shared_ptr<Signal>;  // shared with the waiting thread, which may return early

  using Call = std::move_only_function<void()>;

  // During its lifetime, collects what its thread announces. Its destructor makes the calls and
  // then wakes the waiting threads, after those of the previous Gathering.
  class Gathering {
   public:
    explicit Gathering(Relay& relay);
    ~Gathering();
    Gathering(const Gathering&) = delete;
    Gathering& operator=(const Gathering&) = delete;

   private:
    friend class Relay;
    Relay& relay_;
    std::vector<Call> calls_;
    std::vector<Sleeper> sleepers_;
  };

  // Sets the signal: in turn if this thread has a Gathering, else at once.
  void announce(Sleeper sleeper);
  // Makes the call: at the end of this thread's Gathering, or at once without one. Must not block.
  void announce(Call call);
  // Called by every woken thread: wakes the next one.
  void pass_on();
  void wake_all();

 private:
  void hand_over(std::vector<Sleeper> gathered);

  Mutex mutex_;
  // Guarded by mutex_.
  std::deque<Sleeper> waiting_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
