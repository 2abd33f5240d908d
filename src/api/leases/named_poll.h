// All lease requests with one requestId at this node. They get the same leases, so a lease is
// released only when none of them delivered it to the worker. Requests with the same requestId at
// other nodes get them too: a node releases only leases that, as far as it knows, no other node
// answered with, and the store refuses the release if one did.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "engine/engine.h"
#include "longshore/command.h"

namespace longshore {

// One of the calls. Its functions are called without a lock.
class PollCall {
 public:
  virtual ~PollCall() = default;
  virtual void begin() = 0;       // sends its claim
  virtual void answer_now() = 0;  // ends the wait of its claim: another call waits for its answer
};

// Safe to share between threads. Shared by its calls, the pending releases and the registry.
class NamedPoll : public std::enable_shared_from_this<NamedPoll> {
 public:
  // The engine must outlive it.
  NamedPoll(Engine& engine, std::string ns) : engine_(engine), ns_(std::move(ns)) {}

  // The call begins once the claim of the previous call was answered and its lost leases were
  // released: only then is it certain which leases it gets.
  void enter(const std::shared_ptr<PollCall>& call);
  // The claim of the call that began last was answered.
  void claimed();
  // A call has ended; `written` tells whether its leases reached the worker. The last call to end
  // releases the leases that no call delivered.
  void leave(const std::vector<Lease>& given, bool written);

 private:
  using Key = std::pair<JobId, std::int64_t>;  // a job and its epoch
  struct LeaseAnswer {
    Instant heard, heard_before;
  };

  static Key key_of(const Lease& lease) { return {lease.job, lease.token.epoch}; }
  // Whether all answers with this lease were given by these calls; `heard` is then the latest.
  static bool granted_here(std::vector<LeaseAnswer> answers, Instant& heard);
  void begin_next();
  void release(const std::vector<Lease>& leases);
  void released();
  std::vector<Lease> take_lost();

  // Constant after construction.
  Engine& engine_;
  const std::string ns_;

  Mutex mutex_;
  // Guarded by mutex_.
  int open_ LONGSHORE_GUARDED_BY(mutex_) = 0;  // calls that have not ended
  bool claiming_ LONGSHORE_GUARDED_BY(mutex_) = false;
  std::size_t releasing_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<PollCall> current_ LONGSHORE_GUARDED_BY(mutex_);  // while its claim is pending
  std::deque<std::shared_ptr<PollCall>> waiting_ LONGSHORE_GUARDED_BY(mutex_);
  std::set<Key> delivered_ LONGSHORE_GUARDED_BY(mutex_);  // by the latest call that delivered any
  std::map<Key, std::vector<LeaseAnswer>> answers_
      LONGSHORE_GUARDED_BY(mutex_);  // since no call was open
  std::vector<Lease> lost_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
