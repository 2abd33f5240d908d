// Sends heartbeats for every attempt of a worker from one thread of its own, so that a handler that
// never yields keeps its lease. The replies say which jobs were canceled and which leases are lost;
// deadlines are checked here.
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
  WorkerInfo info;    // sent to the store every ten seconds
  Duration patience;  // how long a handler may take to stop before it counts as stuck
  std::function<void(const AttemptRef&)> on_stuck;
  std::function<void(const Error&)> on_trouble;
};

// Safe to share between threads.
class Heartbeater final : public EarlyHeartbeats {
 public:
  // `leases` must outlive the heartbeater.
  Heartbeater(Leases& leases, HeartbeaterOptions options);
  ~Heartbeater() override;

  // Both idempotent; stop may come before start.
  void start();
  void stop();

  void add(const AttemptRef& attempt);
  void remove(const Attempt& attempt);
  // Sends a heartbeat within a second of the last one.
  void heartbeat_soon(Attempt& attempt) override;

 private:
  struct Entry {
    AttemptRef attempt;
    Instant due;                          // never: no more heartbeats
    Instant last_sent;                    // when the last heartbeat was sent
    Instant expires;                      // the end of the lease, as far as is known
    Instant stuck_at = Instant::never();  // set once the handler must stop
  };

  // The times of an acknowledged heartbeat.
  struct Acknowledgement {
    Instant sent;
    Duration lasts;  // the remaining lease at that time, at least
  };

  void run(const std::stop_token& stop);
  std::vector<AttemptRef> take_due(Instant now, Instant& next, std::vector<AttemptRef>& stuck);
  void beat(const std::vector<AttemptRef>& due);
  void on_acknowledged(const AttemptRef& attempt, const Acknowledgement& times,
                       const Beaten& reply);
  void on_refused(const AttemptRef& attempt, const Refusal& refusal);
  void on_failed(const AttemptRef& attempt, const Heartbeat& lost);
  void wake_by(Instant at);
  void must_stop(Entry& entry, Instant now);

  Leases& leases_;
  const HeartbeaterOptions options_;

  Mutex mutex_;
  // Guarded by mutex_.
  std::map<const Attempt*, Entry> entries_ LONGSHORE_GUARDED_BY(mutex_);
  Instant info_due_ LONGSHORE_GUARDED_BY(mutex_);
  Instant sleeping_until_ LONGSHORE_GUARDED_BY(mutex_);
  std::stop_source wake_ LONGSHORE_GUARDED_BY(mutex_);
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
  std::jthread thread_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
