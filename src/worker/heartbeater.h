// Sends heartbeats for every attempt of a worker, from one thread of its own, so that a handler
// that never yields keeps its lease all the same. It learns from the answers which jobs were
// canceled and which are lost, and knows by itself whose deadline has passed.
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/leases.h"
#include "worker/attempt.h"

namespace longshore {

struct HeartbeaterOptions {
  WorkerInfo info;    // told to the store every ten seconds
  Duration patience;  // how long a handler that must stop is given before it counts as stuck
  std::function<void(const AttemptRef&)> on_stuck;
  std::function<void(const Error&)> on_trouble;
};

// Safe to share between threads.
class Heartbeater final : public Hurried {
 public:
  // `leases` must outlive the heart.
  Heartbeater(Leases& leases, HeartbeaterOptions options);
  ~Heartbeater() override;

  // Both idempotent; stop may come before start.
  void start();
  void stop();

  void add(const AttemptRef& attempt);
  void remove(const Attempt& attempt);
  // A report is worth a heartbeat within a second of the last.
  void hurry(Attempt& attempt) override;

 private:
  struct Line {
    AttemptRef attempt;
    Instant due;                          // never: nothing more is said about it
    Instant beaten;                       // when it last was
    Instant expires;                      // the lease, as far as is known
    Instant stuck_at = Instant::never();  // set once it must stop
  };

  // What an answered heartbeat says about time.
  struct Heard {
    Instant sent;
    Duration lasts;  // the lease, from then on at least
  };

  void run(const std::stop_token& stop);
  std::vector<AttemptRef> take_due(Instant now, Instant& next, std::vector<AttemptRef>& stuck);
  void beat(const std::vector<AttemptRef>& due);
  void beaten(const AttemptRef& attempt, const Heard& heard, const Beaten& beaten);
  void refused(const AttemptRef& attempt, const Refusal& refusal);
  void failed(const AttemptRef& attempt, const Heartbeat& lost);
  void wake_by(Instant at);
  void must_stop(Line& line, Instant now);

  Leases& leases_;
  const HeartbeaterOptions options_;

  Mutex mutex_;
  // Guarded by mutex_.
  std::map<const Attempt*, Line> lines_ LONGSHORE_GUARDED_BY(mutex_);
  Instant info_due_ LONGSHORE_GUARDED_BY(mutex_);
  Instant sleeping_until_ LONGSHORE_GUARDED_BY(mutex_);
  std::stop_source nap_ LONGSHORE_GUARDED_BY(mutex_);
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
  std::jthread thread_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
