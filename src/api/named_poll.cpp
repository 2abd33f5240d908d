#include "api/named_poll.h"

#include <utility>

namespace longshore {

void NamedPoll::enter(const std::shared_ptr<PollCall>& call) {
  std::shared_ptr<PollCall> earlier;
  {
    MutexLock lock(mutex_);
    open_ += 1;
    waiting_.push_back(call);
    earlier = current_;
  }
  if (earlier) earlier->hurry();
  begin_next();
}

void NamedPoll::begin_next() {
  std::shared_ptr<PollCall> next;
  bool more = false;
  {
    MutexLock lock(mutex_);
    if (claiming_ || releasing_ > 0 || waiting_.empty()) return;
    next = std::move(waiting_.front());
    waiting_.pop_front();
    claiming_ = true;
    current_ = next;
    more = !waiting_.empty();
  }
  next->begin();
  if (more) next->hurry();
}

void NamedPoll::claimed() {
  std::shared_ptr<PollCall> done;  // let go of after the lock
  {
    MutexLock lock(mutex_);
    claiming_ = false;
    done = std::move(current_);
  }
  begin_next();
}

void NamedPoll::leave(const std::vector<Lease>& given, bool written) {
  std::vector<Lease> lost;
  {
    MutexLock lock(mutex_);
    open_ -= 1;
    if (written && !given.empty()) {
      brought_.clear();
      for (const Lease& lease : given) brought_.emplace(lease.job, lease.token.epoch);
    } else {
      for (const Lease& lease : given) lost_.push_back(lease);
    }
    if (open_ == 0) lost = take_lost();
    releasing_ += lost.size();
  }
  release(lost);
}

// Two calls may have lost the same lease.
std::vector<Lease> NamedPoll::take_lost() {
  mutex_.assert_held();
  std::vector<Lease> lost = std::exchange(lost_, {});
  std::set<Key> known = brought_;
  std::erase_if(lost, [&](const Lease& lease) {
    return !known.emplace(lease.job, lease.token.epoch).second;
  });
  return lost;
}

void NamedPoll::release(const std::vector<Lease>& leases) {
  for (const Lease& lease : leases) {
    // If this is lost too, the lease ends by itself.
    engine_.submit(Release{.ns = ns_, .job = lease.job, .token = lease.token},
                   [self = shared_from_this()](const Result<Answered>&) { self->released(); });
  }
}

void NamedPoll::released() {
  {
    MutexLock lock(mutex_);
    releasing_ -= 1;
  }
  begin_next();
}

}  // namespace longshore
