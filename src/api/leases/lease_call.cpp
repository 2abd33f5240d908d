#include "api/leases/lease_call.h"

#include <utility>

namespace longshore {

LeaseCall::~LeaseCall() { end({}, false); }

void LeaseCall::start(Claim claim, Duration wait, std::shared_ptr<NamedPoll> poll) {
  claim_ = std::move(claim);
  wait_ = wait;
  poll_ = std::move(poll);
  if (poll_) {
    poll_->enter(shared_from_this());
  } else {
    begin();
  }
}

void LeaseCall::begin() {
  if (ended_) return;
  const Dispatcher::Ticket ticket =
      engine_.claim(claim_, now(), wait_, [self = shared_from_this()](Result<Answered> answered) {
        self->arrived(std::move(answered));
      });
  bool gone = false;
  bool at_once = false;
  {
    MutexLock lock(mutex_);
    ticket_ = ticket;
    gone = gone_;
    at_once = answer_now_;
  }
  if (at_once) engine_.end_wait(ticket);
  if (gone) disconnect();
}

void LeaseCall::answer_now() {
  Dispatcher::Ticket ticket = 0;
  {
    MutexLock lock(mutex_);
    answer_now_ = true;
    ticket = ticket_;
  }
  engine_.end_wait(ticket);
}

// The leases of a named poll may also be another call's, so the poll decides what to release.
void LeaseCall::disconnect() {
  if (poll_) answer_now();
  Dispatcher::Ticket ticket = 0;
  {
    MutexLock lock(mutex_);
    gone_ = true;
    ticket = ticket_;
  }
  if (!poll_ && ticket != 0) engine_.abandon(ticket);
}

void LeaseCall::arrived(Result<Answered> answered) {
  if (poll_) poll_->claimed();
  deliver(std::move(answered));
}

void LeaseCall::end(const std::vector<Lease>& leases, bool written) {
  if (ended_.exchange(true)) return;
  if (poll_) return poll_->leave(leases, written);
  if (!written) give_back(leases);
}

void LeaseCall::give_back(const std::vector<Lease>& leases) {
  for (const Lease& lease : leases) {
    engine_.submit(Release{.ns = claim_.ns, .job = lease.job, .token = lease.token},
                   [](const Result<Answered>&) {
                     // If this fails, the lease expires.
                   });
  }
}

}  // namespace longshore
