// How many jobs of which queue and type a worker may run at once. Before a slot asks for a job it
// takes a place in every limited queue and type it asks for, since it may be given any of them;
// what it was not given it frees again.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/sync/mutex.h"

namespace longshore {

// Safe to share between threads.
class ConcurrencyLimits {
 public:
  struct Limit {
    std::string name;
    int most = 0;  // 0: no limit
  };
  ConcurrencyLimits(const std::vector<Limit>& queues, const std::vector<Limit>& types);

  // What one slot asks for. `stop` is requested when another question would be better.
  struct Ask {
    std::vector<std::string> queues;
    std::vector<std::string> types;
    std::stop_source stop;
    std::vector<std::size_t> held;  // of classes_
  };
  using AskRef = std::shared_ptr<Ask>;  // by the slot that asks and by those that interrupt it

  // What a job at work occupies, or an ask that is over.
  struct Place {
    std::vector<std::size_t> held;
  };

  // What may be asked for now; null if the limits leave nothing, or once stopped. Frees
  // `leaving` first, so that a slot that is done with a job can go on with one of the same kind.
  AskRef try_ask(const Place& leaving);
  // The same, but waits; null once stopped.
  AskRef wait_ask();
  // The ask is over without a job; what it held is for try_ask or leave.
  Place give_up(const AskRef& ask);
  // The ask is over with a job.
  Place take(const AskRef& ask, const std::string& queue, const std::string& type);
  void leave(const Place& place);

  // Interrupts all who ask, now and later. Idempotent.
  void stop();

 private:
  struct Class {
    std::string name;
    bool is_queue = false;
    int most = 0;
    int busy = 0;
  };

  AskRef make_ask();
  void free(std::size_t which);
  void wake_for(std::size_t which);
  void forget(const AskRef& ask);

  Mutex mutex_;
  std::condition_variable_any freed_;
  // Guarded by mutex_.
  std::vector<Class> classes_ LONGSHORE_GUARDED_BY(mutex_);
  std::vector<AskRef> asking_ LONGSHORE_GUARDED_BY(mutex_);
  int waiting_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
