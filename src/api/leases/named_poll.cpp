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
    for (const Lease& lease : given) {
      said_[key_of(lease)].push_back({.heard = lease.heard, .heard_before = lease.heard_before});
    }
    if (written && !given.empty()) {
      brought_.clear();
      for (const Lease& lease : given) brought_.insert(key_of(lease));
    } else {
      for (const Lease& lease : given) lost_.push_back(lease);
    }
    if (open_ == 0) lost = take_lost();
    releasing_ += lost.size();
  }
  release(lost);
}

// The first one granted it, and nobody was heard between one and the next.
bool NamedPoll::is_ours(std::vector<Said> said, Instant& heard) {
  std::ranges::sort(said, {}, &Said::heard);
  heard = Instant();
  for (const Said& one : said) {
    const bool follows = one.heard_before == heard;
    if (!follows) return false;
    heard = one.heard;
  }
  return said.front().heard == Instant();
}

// Two calls may have lost the same lease. One that another node has answered with may have been
// brought by that: it is not for this node to say that nobody has it.
std::vector<Lease> NamedPoll::take_lost() {
  mutex_.assert_held();
  std::map<Key, std::vector<Said>> said = std::exchange(said_, {});
  std::set<Key> known = brought_;
  std::vector<Lease> ours;
  for (Lease& lease : std::exchange(lost_, {})) {
    const Key key = key_of(lease);
    if (!is_ours(said[key], lease.heard) || !known.insert(key).second) continue;
    ours.push_back(std::move(lease));
  }
  return ours;
}

void NamedPoll::release(const std::vector<Lease>& leases) {
  for (const Lease& lease : leases) {
    // Refused if another node has answered with this lease since. If the release itself is lost,
    // the lease ends by itself.
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
