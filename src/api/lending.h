// One call for work, from the claim to the moment the worker has its leases. Whatever goes wrong
// on the way, no job stays with a worker that does not know of it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "api/api.h"
#include "core/mutex.h"
#include "longshore/command.h"

namespace longshore {

// Shared by the claim under way, the exchange, and the desk.
class Lending : public std::enable_shared_from_this<Lending> {
 public:
  Lending(Api& api, CallRef call) : api_(api), call_(std::move(call)) {}
  ~Lending();

  // Once. With `named`, the worker chose the claim's id and may send it again: this call then takes
  // the place of an earlier one that is still under way.
  void start(Claim claim, Duration wait, bool named);

 private:
  // A later call with the same id has come. What this one may still be given is also the other's,
  // so it must not be taken back when nobody reads this answer.
  void supersede();
  void leave();  // the worker has gone
  void let_go(Dispatcher::Ticket ticket);
  void arrived(Result<Answered> answered);
  void hand_over(std::vector<Lease> leases);
  void give_back(const std::vector<Lease>& leases);

  Api& api_;
  const CallRef call_;
  RequestId id_;
  bool named_ = false;

  Mutex mutex_;
  // Guarded by mutex_.
  Dispatcher::Ticket ticket_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  bool gone_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool superseded_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
