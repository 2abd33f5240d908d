// Claims that join a commit: those for the jobs it enqueues, and those that a younger claim in it
// would overtake.
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/waiter.h"

namespace longshore {
namespace {

// Whether a command may make a job claimable, other than by enqueueing it.
struct MayBringWork {
  bool limited = false;  // a job that ends makes room for another

  bool operator()(const Enqueue&) const { return false; }
  bool operator()(const Claim&) const { return false; }
  bool operator()(const Heartbeat&) const { return false; }
  bool operator()(const Complete&) const { return limited; }
  bool operator()(const FinishByKey&) const { return limited; }
  bool operator()(const Prune&) const { return false; }
  bool operator()(const SeeNode&) const { return false; }
  bool operator()(const SeeWorkers&) const { return false; }
  bool operator()(const RecordMinutes&) const { return false; }
  bool operator()(const PutToken&) const { return false; }
  bool operator()(const RevokeToken&) const { return false; }
  bool operator()(const TouchToken&) const { return false; }
  bool operator()(const auto&) const { return true; }
};

}  // namespace

std::vector<Joining> Dispatcher::join(std::span<const Command> batch) {
  JobCounts counts;
  bool more_may_come = false;
  MayBringWork may_bring_work{.limited = limits() != nullptr};
  for (const Command& command : batch) {
    if (const auto* rules = std::get_if<Configure>(&command)) set_limits(*rules);
    more_may_come = more_may_come || std::visit(may_bring_work, command);
    const auto* enqueue = std::get_if<Enqueue>(&command);
    if (enqueue == nullptr) continue;
    for (const NewJob& job : enqueue->jobs) {
      const bool later = job.run_at.has_value() || job.delay > Duration();
      if (!later) counts.add(enqueue->ns, job.queue, job.type, 1);
    }
  }
  if (counts.all().empty() && !more_may_come) return {};
  const std::vector<Joiner> joiners = take_joining(counts, batch, more_may_come);
  std::vector<Joining> joining;
  joining.reserve(joiners.size());
  for (const Joiner& one : joiners) joining.push_back({entry_for(one.waiter), one.before});
  return joining;
}

std::vector<Dispatcher::Joiner> Dispatcher::take_joining(const JobCounts& brought,
                                                         std::span<const Command> batch,
                                                         bool more_may_come) {
  MutexLock lock(mutex_);
  std::vector<Joiner> joiners;
  if (parked_.empty()) return joiners;
  const std::vector<InBatch> claims = claims_in(batch);
  for (const auto& [target, count] : brought.all()) {
    for (WaiterRef& waiter : take_oldest(target, count, Jobs::to_come)) {
      const auto younger = std::ranges::find_if(
          claims, [&](const InBatch& claim) { return claim.ticket > waiter->ticket; });
      const std::size_t before = younger == claims.end() ? batch.size() : younger->index;
      joiners.push_back({std::move(waiter), before});
    }
  }
  if (!more_may_come) return joiners;
  for (const InBatch& claim : claims) {
    for (WaiterRef& waiter : parked_before(claim)) {
      unpark(*waiter);
      begin_looking(waiter);
      joiners.push_back({std::move(waiter), claim.index});
    }
  }
  return joiners;
}

std::vector<Dispatcher::InBatch> Dispatcher::claims_in(std::span<const Command> batch) {
  mutex_.assert_held();
  std::vector<InBatch> claims;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto* claim = std::get_if<Claim>(&batch[i]);
    if (claim == nullptr) continue;
    const auto known = looking_tickets_.find(claim->id);
    const Ticket ticket = known != looking_tickets_.end() ? known->second : next_ticket_;
    claims.push_back({.index = i, .claim = claim, .ticket = ticket});
  }
  return claims;
}

// The parked claims that compete with this one and are older, oldest first.
std::vector<Dispatcher::WaiterRef> Dispatcher::parked_before(const InBatch& claim) {
  mutex_.assert_held();
  std::map<Ticket, WaiterRef> found;
  const auto note = [&](const WaiterRef& waiter) {
    if (waiter && waiter->ticket < claim.ticket) found.emplace(waiter->ticket, waiter);
  };
  const auto known = known_.find(claim.ticket);
  const TypeSetRef types = known != known_.end()
                               ? known->second->types
                               : std::make_shared<const TypeSet>(claim.claim->types);
  for (const std::string& queue : claim.claim->queues) {
    const auto lines = parked_.find({claim.claim->ns, queue});
    if (lines == parked_.end()) continue;
    for (const WaiterRef& waiter : competitors(lines->second, types)) note(waiter);
  }
  std::vector<WaiterRef> oldest;
  for (auto& [ticket, waiter] : found) oldest.push_back(std::move(waiter));
  return oldest;
}

}  // namespace longshore
