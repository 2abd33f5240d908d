// Waits for jobs to end, without a thread for each. The commit that ends a job wakes its waiters;
// where other nodes share the store, a check once a second does too.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/wire/read_pool.h"
#include "api/wire/timers.h"
#include "core/sync/mutex.h"
#include "longshore/store.h"

namespace longshore {

// Safe to share between threads.
class Waits {
 public:
  using Ticket = std::uint64_t;
  using Wake = std::move_only_function<void()>;

  // With `shared`, other nodes may change the jobs. The two must outlive the waits.
  Waits(Timers& timers, ReadPool& read_pool, bool shared);
  ~Waits();

  // Calls `wake` once, on any thread: when the job ends, when it was seen to have another version
  // than this, at `until`, or at wake_all(). It must not block.
  Ticket add(const std::string& ns, const JobId& job, std::int64_t version, Instant until,
             Wake wake);
  // True if `wake` will not be called.
  bool remove(Ticket ticket);

  // Called for each commit of this node.
  void on_commit(const Committed& committed);
  // Wakes all waiters, and later ones at once. Idempotent.
  void wake_all();

  std::size_t waiting() const;

 private:
  struct Waiter {
    std::string ns;
    JobId job;
    std::int64_t version = 0;
    Timers::Ticket timer = 0;
    Wake wake;
  };
  using Wakes = std::vector<Wake>;

  void wake_one(Ticket ticket);
  // On the read pool if they are many: the committing thread must not block.
  void wake_these(Wakes wakes);
  Wake take(std::map<Ticket, Waiter>::iterator waiter);
  void look_again_later();
  void look_again(Catalog& catalog);
  std::map<std::string, std::vector<std::pair<Ticket, JobId>>> watched() const;
  Wakes take_changed(const std::vector<std::pair<Ticket, JobId>>& asked,
                     const std::vector<std::int64_t>& versions);

  Timers& timers_;
  ReadPool& read_pool_;
  const bool shared_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  std::map<Ticket, Waiter> waiters_ LONGSHORE_GUARDED_BY(mutex_);
  std::unordered_map<JobId, std::set<Ticket>> by_job_ LONGSHORE_GUARDED_BY(mutex_);
  Ticket next_ LONGSHORE_GUARDED_BY(mutex_) = 1;
  bool looking_ LONGSHORE_GUARDED_BY(mutex_) = false;  // a check is scheduled
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
