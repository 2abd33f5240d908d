// What the passing of time does, and what is forgotten: bounded, oldest first, across all
// namespaces.
#include <algorithm>

#include "store/judge/carry_out.h"

namespace longshore::judge {
namespace {

constexpr Duration minutes_kept = Duration::days(8);
constexpr Duration workers_kept = Duration::days(1);

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  return a && b ? std::min(a, b) : (a ? a : b);
}

// How many of them changed.
template <class Event>
std::int64_t judge_all(Unit& unit, const std::vector<JobId>& ids, const Event& event) {
  unit.load(ids);
  std::int64_t changed = 0;
  for (const JobId& id : ids) {
    if (judge(unit, unit.find(id), event).changed) ++changed;
  }
  return changed;
}

// Queued jobs that no claim could find: puts them back, and says which.
std::vector<std::string> repair(Unit& unit, std::int64_t limit) {
  const std::vector<JobId> ids = unit.lost(limit);
  unit.load(ids);
  std::vector<std::string> repaired;
  for (const JobId& id : ids) {
    Entry* entry = unit.find(id);
    if (entry == nullptr || entry->job().state != State::queued) continue;
    unit.put_back(*entry);
    const Job& job = entry->job();
    repaired.push_back(to_text(id) + " was queued in " + job.ns + "/" + job.queue +
                       " but not ready there; it is again");
  }
  return repaired;
}

}  // namespace

Verdict run(Unit& unit, const Due& due) {
  const auto ids = unit.due(Timetable::future, unit.now(), due.limit);
  const std::int64_t count = judge_all(unit, ids, DueEvent{});
  return Swept{
      .count = count, .more = count >= due.limit, .next = unit.earliest(Timetable::future)};
}

Verdict run(Unit& unit, const Reap& reap) {
  const auto ids = unit.due(Timetable::holding, unit.now(), reap.limit);
  const std::int64_t count = judge_all(unit, ids, LeaseEndEvent{});
  return Swept{
      .count = count, .more = count >= reap.limit, .next = unit.earliest(Timetable::holding)};
}

Verdict run(Unit& unit, const Sweep& sweep) {
  const Duration accept_after = unit.rules().accept_after;
  const auto expired = unit.due(Timetable::expiry, unit.now(), sweep.limit);
  std::int64_t count = judge_all(unit, expired, ExpiryEvent{});
  const auto overdue =
      unit.due(Timetable::recorded, unit.now() - accept_after, sweep.limit - count);
  count += judge_all(unit, overdue, AcceptEvent{});
  Swept swept{.repaired = repair(unit, sweep.limit - count)};
  swept.count = count + std::ssize(swept.repaired);
  swept.more = swept.count >= sweep.limit;
  std::optional<Instant> accept_next = unit.earliest(Timetable::recorded);
  if (accept_next) accept_next = *accept_next + accept_after;
  swept.next = earlier(unit.earliest(Timetable::expiry), accept_next);
  return swept;
}

// An idempotency key outlives its job and goes on answering how it ended; it goes when its own
// time has come.
Verdict run(Unit& unit, const Prune& prune) {
  const std::int64_t jobs = unit.prune(prune.limit, unit.now() + unit.rules().key_outlives_job);
  const std::int64_t keys = unit.forget_keys(prune.limit);
  unit.forget_sightings(unit.now() - minutes_kept, unit.now() - workers_kept);
  return Swept{.count = jobs,
               .more = jobs >= prune.limit || keys >= prune.limit,
               .next = earlier(unit.next_pruning(), unit.next_forgetting())};
}

}  // namespace longshore::judge
