// Wakes those who were answered, one after another. A commit answers many threads at once; woken
// all together they would crowd the committing thread off its processor, and waking each takes a
// system call that the next commit would wait for. So the committing thread wakes a few, each of
// whom wakes one more, and before it answers again, or rests, it wakes whoever is left: nobody's
// wake-up depends on another thread getting a processor.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/mutex.h"
#include "runtime/signal.h"

namespace longshore {

// Safe to share between threads.
class Relay {
 public:
  using Sleeper = std::shared_ptr<Signal>;  // also by the one who waits, who may leave early

  // While one lives, those whom its thread announces are gathered; at its end their turn comes,
  // after those of the gathering before.
  class Gathering {
   public:
    explicit Gathering(Relay& relay);
    ~Gathering();
    Gathering(const Gathering&) = delete;
    Gathering& operator=(const Gathering&) = delete;

   private:
    friend class Relay;
    Relay& relay_;
    std::vector<Sleeper> gathered_;
  };

  // Sets the signal: in its turn if this thread gathers, else at once.
  void announce(Sleeper sleeper);
  // What everybody does who was woken.
  void pass_on();
  void wake_all();

 private:
  void hand_over(std::vector<Sleeper> gathered);

  Mutex mutex_;
  // Guarded by mutex_.
  std::deque<Sleeper> waiting_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
