// One call for work, from the claim to the moment the worker has its leases. Whatever goes wrong
// on the way, no job stays with a worker that does not know of it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "api/api.h"
#include "api/named_poll.h"
#include "core/mutex.h"
#include "longshore/command.h"

namespace longshore {

// Shared by the claim under way, the exchange, and the poll.
class Lending : public PollCall, public std::enable_shared_from_this<Lending> {
 public:
  Lending(Api& api, CallRef call) : api_(api), call_(std::move(call)) {}
  ~Lending() override;

  // At most once, before start: the store hears of the worker, and the call is answered after that,
  // so that a worker which was answered is in the list of workers.
  void tell_of(WorkerInfo worker, bool introduced);
  // Once. With `named`, the worker chose the claim's id and may send it again: this call then takes
  // the place of an earlier one that is still under way.
  void start(Claim claim, Duration wait, bool named);

 private:
  void begin() override;
  void hurry() override;
  void leave();  // the worker has gone
  void lose_token();
  void arrived(Result<Answered> answered);
  void told();
  void write(Result<Answered> answered);
  void hand_over(std::vector<Lease> leases);
  // The call is over: these leases were written, or were not.
  void end(const std::vector<Lease>& leases, bool written);
  void give_back(const std::vector<Lease>& leases);

  Api& api_;
  const CallRef call_;
  // Constant once started.
  Claim claim_;
  Duration wait_;
  std::shared_ptr<NamedPoll> poll_;  // null: the worker did not name the claim
  OpenCalls::RegistrationRef open_;

  std::atomic<bool> ended_ = false;
  std::atomic<bool> token_gone_ = false;
  Mutex mutex_;
  // Guarded by mutex_.
  Dispatcher::Ticket ticket_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  bool gone_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool hurried_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool telling_ LONGSHORE_GUARDED_BY(mutex_) = false;
  std::optional<Result<Answered>> arrived_ LONGSHORE_GUARDED_BY(mutex_);  // while telling
};

}  // namespace longshore
