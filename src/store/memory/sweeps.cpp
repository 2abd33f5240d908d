// What the passing of time does: bounded, oldest first, across all namespaces.
#include <algorithm>

#include "store/memory/verbs.h"

namespace longshore::memory {
namespace {

using TimedPlaces = std::set<MemoryDisk::TimedPlace>;

// At most `limit` jobs whose time is `until` or earlier, oldest first.
std::vector<JobId> those_due(const TimedPlaces& places, Instant until, std::int64_t limit,
                             Instant from = Instant()) {
  std::vector<JobId> ids;
  for (const MemoryDisk::TimedPlace& place : places) {
    if (place.at < from) continue;
    if (place.at > until || std::ssize(ids) >= limit) break;
    ids.push_back(place.job);
  }
  return ids;
}

std::optional<Instant> earliest(const TimedPlaces& places, Instant from = Instant()) {
  const auto first =
      std::ranges::find_if(places, [&](const auto& place) { return place.at >= from; });
  return first == places.end() ? std::nullopt : std::optional(first->at);
}

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  return a && b ? std::min(a, b) : (a ? a : b);
}

// How many of them changed.
template <class Event>
std::int64_t judge_all(Step& step, const std::vector<JobId>& ids, const Event& event) {
  std::int64_t changed = 0;
  for (const JobId& id : ids) {
    if (decide_and_apply(step, find(step.disk, id), event).changed) ++changed;
  }
  return changed;
}

bool is_ready(const MemoryDisk& disk, const Job& job) {
  const auto ready = disk.ready.find({job.ns, job.queue});
  return ready != disk.ready.end() && ready->second.contains({job.priority, job.order, job.id});
}

// Queued jobs that no claim could find: puts them back, and says which.
std::vector<std::string> repair_ready(Step& step, std::int64_t limit) {
  std::vector<std::string> repaired;
  for (const auto& [id, stored] : step.disk.jobs) {
    const Job& job = stored.record.job;
    if (std::ssize(repaired) >= limit) break;
    if (job.state != State::queued || is_ready(step.disk, job)) continue;
    step.disk.ready[{job.ns, job.queue}].insert({job.priority, job.order, id});
    step.worth_a_look.insert({job.ns, job.queue});
    repaired.push_back(to_text(id) + " was queued in " + job.ns + "/" + job.queue +
                       " but not ready there; it is again");
  }
  return repaired;
}

}  // namespace

Verdict run(Step& step, const Due& due) {
  const auto ids = those_due(step.disk.future, step.now, due.limit);
  const std::int64_t count = judge_all(step, ids, DueEvent{});
  return Swept{.count = count, .more = count >= due.limit, .next = earliest(step.disk.future)};
}

Verdict run(Step& step, const Reap& reap) {
  // Every lease that has ended is judged in turn until the limit is reached.
  const auto ids =
      those_due(step.disk.leases, step.now, std::ssize(step.disk.leases), reap.ended_from);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < ids.size() && count < reap.limit; ++i) {
    count +=
        decide_and_apply(step, find(step.disk, ids[i]), LeaseEndEvent{reap.lost_leases}).changed;
  }
  Swept swept{.count = count, .more = count >= reap.limit};
  swept.next =
      earliest(step.disk.leases, reap.lost_leases ? Instant() : step.now + Duration::millis(1));
  if (!swept.more) swept.seen_until = step.now;
  return swept;
}

Verdict run(Step& step, const Sweep& sweep) {
  const Duration accept_after = step.rules.accept_after;
  const auto expired = those_due(step.disk.expiries, step.now, sweep.limit);
  std::int64_t count = judge_all(step, expired, ExpiryEvent{});
  const auto overdue = those_due(step.disk.recorded, step.now - accept_after, sweep.limit - count);
  count += judge_all(step, overdue, AcceptEvent{});
  Swept swept{.repaired = repair_ready(step, sweep.limit - count)};
  swept.count = count + std::ssize(swept.repaired);
  swept.more = swept.count >= sweep.limit;
  std::optional<Instant> accept_next = earliest(step.disk.recorded);
  if (accept_next) accept_next = *accept_next + accept_after;
  swept.next = earlier(earliest(step.disk.expiries), accept_next);
  return swept;
}

void move_leases(Step& step, Duration by) {
  if (by == Duration()) return;
  const std::set<MemoryDisk::TimedPlace> held = step.disk.leases;
  for (const auto& [at, id] : held) decide_and_apply(step, find(step.disk, id), ClockJumpEvent{by});
}

}  // namespace longshore::memory
