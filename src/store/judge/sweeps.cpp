// What the passing of time does, and what is forgotten: bounded, oldest first, across all
// namespaces.
#include <algorithm>
#include <limits>

#include "store/judge/carry_out.h"
#include "store/judge/verbs.h"

namespace longshore::judge {
namespace {

constexpr Duration minutes_kept = Duration::days(8);
constexpr Duration workers_kept = Duration::days(1);
constexpr Duration trail_kept = Duration::days(90);
constexpr Duration groups_kept = Duration::days(90);
// Of entries and of groups; the limit of a Prune is for jobs and keys.
constexpr std::int64_t forgotten_at_once = 1000;

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b) {
  return a && b ? std::min(a, b) : (a ? a : b);
}

// How many of them changed; no more than `most`.
template <class Event>
std::int64_t judge_all(Unit& unit, const std::vector<JobId>& ids, const Event& event,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  unit.load(ids);
  std::int64_t changed = 0;
  for (const JobId& id : ids) {
    if (changed >= most) break;
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
  const auto ids = unit.due(Timetable::future, {.from = {}, .until = unit.now()}, due.limit);
  const std::int64_t count = judge_all(unit, ids, DueEvent{});
  return Swept{.count = count,
               .more = count >= due.limit,
               .next = unit.earliest(Timetable::future, Instant())};
}

Verdict run(Unit& unit, const Reap& reap) {
  const TimeSpan ended{.from = reap.ended_from, .until = unit.now()};
  std::int64_t count = 0;
  // Lost leases that are left alone are found again: each page is larger, so that they cannot hide
  // a deadline behind them.
  for (std::int64_t page = reap.limit;; page *= 2) {
    const auto ids = unit.due(Timetable::holding, ended, page);
    count += judge_all(unit, ids, LeaseEndEvent{reap.lost_leases}, reap.limit - count);
    if (std::ssize(ids) < page || count >= reap.limit) break;
  }
  Swept swept{.count = count, .more = count >= reap.limit};
  // What is left alone now does not make the next look come sooner.
  const Instant from = reap.lost_leases ? Instant() : unit.now() + Duration::millis(1);
  swept.next = unit.earliest(Timetable::holding, from);
  if (!swept.more) swept.seen_until = unit.now();
  return swept;
}

Verdict run(Unit& unit, const Sweep& sweep) {
  const Duration accept_after = unit.rules().accept_after;
  const auto expired = unit.due(Timetable::expiry, {.from = {}, .until = unit.now()}, sweep.limit);
  std::int64_t count = judge_all(unit, expired, ExpiryEvent{});
  const auto overdue = unit.due(
      Timetable::recorded, {.from = {}, .until = unit.now() - accept_after}, sweep.limit - count);
  count += judge_all(unit, overdue, AcceptEvent{});
  Swept swept{.repaired = repair(unit, sweep.limit - count)};
  swept.count = count + std::ssize(swept.repaired);
  swept.more = swept.count >= sweep.limit;
  std::optional<Instant> accept_next = unit.earliest(Timetable::recorded, Instant());
  if (accept_next) accept_next = *accept_next + accept_after;
  swept.next = earlier(unit.earliest(Timetable::expiry, Instant()), accept_next);
  return swept;
}

// An idempotency key outlives its job and goes on answering how it ended; it goes when its own
// time has come.
Verdict run(Unit& unit, const Prune& prune) {
  const Instant by = unit.prune_by();
  const std::int64_t jobs = unit.prune(prune.limit, by, unit.now() + unit.rules().key_outlives_job);
  const std::int64_t keys = unit.forget_keys(prune.limit, by);
  unit.forget_sightings(by - minutes_kept, by - workers_kept);
  const std::int64_t entries = unit.forget_trail(by - trail_kept, forgotten_at_once);
  const std::int64_t groups = unit.forget_groups(by - groups_kept, forgotten_at_once);
  Swept swept{.count = jobs,
              .more = std::max(jobs, keys) >= prune.limit ||
                      std::max(entries, groups) >= forgotten_at_once};
  // What is left because of the clock does not make the next look come sooner.
  if (by == unit.now()) swept.next = earlier(unit.next_pruning(), unit.next_forgetting());
  return swept;
}

void move_leases(Unit& unit, const std::vector<JobId>& held, Duration by) {
  unit.load(held);
  for (const JobId& id : held) judge(unit, unit.find(id), ClockJumpEvent{by});
}

}  // namespace longshore::judge
