// Wakes those who were answered, one after another. A commit answers many threads at once; woken
// all together they would crowd the committing thread off its processor, and waking each takes a
// system call that the next commit would wait for. So the committing thread wakes a few, each of
// whom wakes one more, and before it answers again, or rests, it wakes whoever is left: nobody's
// wake-up depends on another thread getting a processor.
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
  using Sleeper = std::shared_ptr<Signal>;  // also by the one who waits, who may leave early

  using Call = std::move_only_function<void()>;

  // While one lives, what its thread announces is gathered. At its end the calls are made, one
  // close upon another, and then comes the turn of those who sleep, after those of the gathering
  // before.
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

  // Sets the signal: in its turn if this thread gathers, else at once.
  void announce(Sleeper sleeper);
  // Makes the call: at the end if this thread gathers, else at once. It must not block.
  void announce(Call call);
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
