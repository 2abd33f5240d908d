#include "api/leases/named_poll.h"

#include <algorithm>
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
  if (earlier) earlier->answer_now();
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
  if (more) next->answer_now();
}

void NamedPoll::claimed() {
  std::shared_ptr<PollCall> done;  // released after the lock
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
    for (const Lease& lease : given) {
      answers_[key_of(lease)].push_back({.heard = lease.heard, .heard_before = lease.heard_before});
    }
    if (written && !given.empty()) {
      delivered_.clear();
      for (const Lease& lease : given) delivered_.insert(key_of(lease));
    } else {
      for (const Lease& lease : given) lost_.push_back(lease);
    }
    if (open_ == 0) lost = take_lost();
    releasing_ += lost.size();
  }
  release(lost);
}

// The first of them granted the lease, and no other answer was given in between.
bool NamedPoll::granted_here(std::vector<LeaseAnswer> answers, Instant& heard) {
  std::ranges::sort(answers, {}, &LeaseAnswer::heard);
  heard = Instant();
  for (const LeaseAnswer& one : answers) {
    const bool follows = one.heard_before == heard;
    if (!follows) return false;
    heard = one.heard;
  }
  return answers.front().heard == Instant();
}

// Two calls may have lost the same lease. A lease that another node answered with may have been
// delivered by that node, so this node must not release it.
std::vector<Lease> NamedPoll::take_lost() {
  mutex_.assert_held();
  std::map<Key, std::vector<LeaseAnswer>> answers = std::exchange(answers_, {});
  std::set<Key> known = delivered_;
  std::vector<Lease> ours;
  for (Lease& lease : std::exchange(lost_, {})) {
    const Key key = key_of(lease);
    if (!granted_here(answers[key], lease.heard) || !known.insert(key).second) continue;
    ours.push_back(std::move(lease));
  }
  return ours;
}

void NamedPoll::release(const std::vector<Lease>& leases) {
  for (const Lease& lease : leases) {
    // Refused if another node has answered with this lease since. If the release fails, the lease
    // expires.
    Release release{.ns = ns_, .job = lease.job, .token = lease.token, .heard = lease.heard};
    engine_.submit(std::move(release),
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
