// One lease request over HTTP.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "api/api.h"
#include "api/leases/lease_call.h"
#include "core/sync/mutex.h"
#include "longshore/command.h"

namespace longshore {

class LeaseRequest : public LeaseCall {
 public:
  LeaseRequest(Api& api, CallRef call)
      : LeaseCall(api.node().engine()), api_(api), call_(std::move(call)) {}

  // At most once, before start. The call is answered after the store has recorded the worker, so
  // that an answered worker is in the list of workers.
  void report_worker(WorkerInfo worker, bool has_details);
  // Call once. With `named`, the worker chose the claim's id and may repeat it.
  void start(Claim claim, Duration wait, bool named);
  // Before start: held until the call ends.
  void keep(Shares::HoldRef hold) { hold_ = std::move(hold); }

 private:
  std::shared_ptr<LeaseRequest> self() {
    return std::static_pointer_cast<LeaseRequest>(shared_from_this());
  }
  Instant now() override { return api_.timers().now(); }
  void deliver(Result<Answered> answered) override;
  void lose_token();
  void worker_reported();
  void write(Result<Answered> answered);
  void hand_over(std::vector<Lease> leases);

  Api& api_;
  const CallRef call_;
  // Constant once started.
  OpenCalls::RegistrationRef open_;
  Shares::HoldRef hold_;

  std::atomic<bool> token_gone_ = false;
  Mutex mutex_;
  // Guarded by mutex_.
  bool reporting_worker_ LONGSHORE_GUARDED_BY(mutex_) = false;
  std::optional<Result<Answered>> arrived_ LONGSHORE_GUARDED_BY(mutex_);  // while reporting_worker_
};

}  // namespace longshore
