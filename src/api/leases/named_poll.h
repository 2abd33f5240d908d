// All calls for work that carry one requestId, at this node. They are given the same leases, so a
// lease goes back to its queue only when none of them has brought it to the worker. Calls with the
// same requestId at other nodes are given them too: a node releases only what nobody else has
// answered with, as far as it knows, and the store refuses that if somebody has.
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

// One of the calls. Its functions are called without any lock held.
class PollCall {
 public:
  virtual ~PollCall() = default;
  virtual void begin() = 0;  // sends its claim
  virtual void hurry() = 0;  // another call waits for the answer of its claim
};

// Safe to share between threads. Shared by its calls, the releases under way, and the registry.
class NamedPoll : public std::enable_shared_from_this<NamedPoll> {
 public:
  // The engine must outlive it.
  NamedPoll(Engine& engine, std::string ns) : engine_(engine), ns_(std::move(ns)) {}

  // The call begins once the claim of the call before it was answered and what that one lost has
  // gone back: only then is it certain which leases it is given.
  void enter(const std::shared_ptr<PollCall>& call);
  // The claim of the call that began last was answered.
  void claimed();
  // A call has ended. What it was given has reached the worker, or has not. What no call brought is
  // released with the last of them.
  void leave(const std::vector<Lease>& given, bool written);

 private:
  using Key = std::pair<JobId, std::int64_t>;  // a job and its epoch
  // What one answer said of a lease.
  struct Said {
    Instant heard, heard_before;
  };

  static Key key_of(const Lease& lease) { return {lease.job, lease.token.epoch}; }
  // Whether all answers with this lease were given by these calls. Then the latest is in `heard`.
  static bool is_ours(std::vector<Said> said, Instant& heard);
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
  std::shared_ptr<PollCall> current_ LONGSHORE_GUARDED_BY(mutex_);  // while its claim is under way
  std::deque<std::shared_ptr<PollCall>> waiting_ LONGSHORE_GUARDED_BY(mutex_);
  std::set<Key> brought_ LONGSHORE_GUARDED_BY(mutex_);  // by the latest call that brought any
  std::map<Key, std::vector<Said>> said_ LONGSHORE_GUARDED_BY(mutex_);  // since no call was open
  std::vector<Lease> lost_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
