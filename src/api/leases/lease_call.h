// One lease request without its transport: from the claim until the worker has its leases, or it is
// certain that it has not. The HTTP API and the simulation implement the transport.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "api/leases/named_poll.h"
#include "core/sync/mutex.h"
#include "engine/engine.h"
#include "longshore/command.h"

namespace longshore {

// Shared by the pending claim, the transport and the poll. On any failure, a job that the worker
// does not know it holds is released.
class LeaseCall : public PollCall, public std::enable_shared_from_this<LeaseCall> {
 public:
  // The engine must outlive it.
  explicit LeaseCall(Engine& engine) : engine_(engine) {}
  ~LeaseCall() override;

  // Call once. With a poll, the worker chose the claim's id and may repeat it: this call then
  // replaces an earlier one that is still pending. Null: the id is not shared.
  void start(Claim claim, Duration wait, std::shared_ptr<NamedPoll> poll);
  void disconnect();  // the worker closed the connection
  void answer_now() override;
  // Ends the call. Leases that were not written are released.
  void end(const std::vector<Lease>& leases, bool written);
  // The node dies: nothing is released.
  void abandon() { ended_ = true; }

 protected:
  virtual Instant now() = 0;  // by the node's clock
  // Sends the claim's answer to the worker, then calls end() with the result.
  virtual void deliver(Result<Answered> answered) = 0;
  // Releases leases that the worker does not get.
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
  bool answer_now_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
