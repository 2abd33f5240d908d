// One call for work without its wire: from the claim to the moment the worker has its leases, or it
// is certain that it has not. The HTTP API and the simulation answer it each in their own way.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "api/leases/named_poll.h"
#include "core/sync/mutex.h"
#include "engine/engine.h"
#include "longshore/command.h"

namespace longshore {

// Shared by the claim under way, the wire, and the poll. Whatever goes wrong on the way, no job
// stays with a worker that does not know of it.
class LeaseCall : public PollCall, public std::enable_shared_from_this<LeaseCall> {
 public:
  // The engine must outlive it.
  explicit LeaseCall(Engine& engine) : engine_(engine) {}
  ~LeaseCall() override;

  // Once. With a poll, the worker chose the claim's id and may send it again: this call then takes
  // the place of an earlier one that is still under way. Null: nobody else has the id.
  void start(Claim claim, Duration wait, std::shared_ptr<NamedPoll> poll);
  void leave();  // the worker has gone
  void hurry() override;
  // The call is over: these leases were written, or were not, and go back.
  void end(const std::vector<Lease>& leases, bool written);
  // The node dies: nothing goes back by itself any more.
  void abandon() { ended_ = true; }

 protected:
  virtual Instant now() = 0;  // by the node's clock
  // What the claim brought. Whoever is told of its leases says how that went, by end().
  virtual void tell(Result<Answered> answered) = 0;
  // These are not given to the worker.
  void give_back(const std::vector<Lease>& leases);

 private:
  void begin() override;
  void arrived(Result<Answered> answered);

  Engine& engine_;
  // Constant once started.
  Claim claim_;
  Duration wait_;
  std::shared_ptr<NamedPoll> poll_;

  std::atomic<bool> ended_ = false;
  Mutex mutex_;
  // Guarded by mutex_.
  Dispatcher::Ticket ticket_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  bool gone_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool hurried_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
