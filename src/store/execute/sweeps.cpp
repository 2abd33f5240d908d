// What the passing of time does, and what is forgotten: bounded, oldest first, across all
// namespaces.
#include <algorithm>
#include <limits>

#include "store/execute/apply_decision.h"
#include "store/execute/verbs.h"

namespace longshore::execute {
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
std::int64_t judge_all(Transaction& tx, const std::vector<JobId>& ids, const Event& event,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  tx.load(ids);
  std::int64_t changed = 0;
  for (const JobId& id : ids) {
    if (changed >= most) break;
    if (decide_and_apply(tx, tx.find(id), event).changed) ++changed;
  }
  return changed;
}

// Queued jobs that no claim could find: puts them back, and says which.
std::vector<std::string> repair(Transaction& tx, std::int64_t limit) {
  const std::vector<JobId> ids = tx.lost(limit);
  tx.load(ids);
  std::vector<std::string> repaired;
  for (const JobId& id : ids) {
    Entry* entry = tx.find(id);
    if (entry == nullptr || entry->job().state != State::queued) continue;
    tx.put_back(*entry);
    const Job& job = entry->job();
    repaired.push_back(to_text(id) + " was queued in " + job.ns + "/" + job.queue +
                       " but not ready there; it is again");
  }
  return repaired;
}

}  // namespace

Verdict run(Transaction& tx, const Due& due) {
  const auto ids = tx.due(Timetable::future, {.from = {}, .until = tx.now()}, due.limit);
  const std::int64_t count = judge_all(tx, ids, DueEvent{});
  return Swept{.count = count,
               .more = count >= due.limit,
               .next = tx.earliest(Timetable::future, Instant())};
}

Verdict run(Transaction& tx, const Reap& reap) {
  const TimeSpan ended{.from = reap.ended_from, .until = tx.now()};
  std::int64_t count = 0;
  // Lost leases that are left alone are found again: each page is larger, so that they cannot hide
  // a deadline behind them.
  for (std::int64_t page = reap.limit;; page *= 2) {
    const auto ids = tx.due(Timetable::holding, ended, page);
    count += judge_all(tx, ids, LeaseEndEvent{reap.lost_leases}, reap.limit - count);
    if (std::ssize(ids) < page || count >= reap.limit) break;
  }
  Swept swept{.count = count, .more = count >= reap.limit};
  // What is left alone now does not make the next look come sooner.
  const Instant from = reap.lost_leases ? Instant() : tx.now() + Duration::millis(1);
  swept.next = tx.earliest(Timetable::holding, from);
  if (!swept.more) swept.seen_until = tx.now();
  return swept;
}

Verdict run(Transaction& tx, const Sweep& sweep) {
  const Duration accept_after = tx.rules().accept_after;
  const auto expired = tx.due(Timetable::expiry, {.from = {}, .until = tx.now()}, sweep.limit);
  std::int64_t count = judge_all(tx, expired, ExpiryEvent{});
  const auto overdue = tx.due(Timetable::recorded, {.from = {}, .until = tx.now() - accept_after},
                              sweep.limit - count);
  count += judge_all(tx, overdue, AcceptEvent{});
  Swept swept{.repaired = repair(tx, sweep.limit - count)};
  swept.count = count + std::ssize(swept.repaired);
  swept.more = swept.count >= sweep.limit;
  std::optional<Instant> accept_next = tx.earliest(Timetable::recorded, Instant());
  if (accept_next) accept_next = *accept_next + accept_after;
  swept.next = earlier(tx.earliest(Timetable::expiry, Instant()), accept_next);
  return swept;
}

// An idempotency key outlives its job and goes on answering how it ended; it goes when its own
// time has come.
Verdict run(Transaction& tx, const Prune& prune) {
  const Instant by = tx.prune_by();
  const std::int64_t jobs = tx.prune(prune.limit, by, tx.now() + tx.rules().key_outlives_job);
  const std::int64_t keys = tx.forget_keys(prune.limit, by);
  tx.forget_sightings(by - minutes_kept, by - workers_kept);
  const std::int64_t entries = tx.forget_trail(by - trail_kept, forgotten_at_once);
  const std::int64_t groups = tx.forget_groups(by - groups_kept, forgotten_at_once);
  Swept swept{.count = jobs,
              .more = std::max(jobs, keys) >= prune.limit ||
                      std::max(entries, groups) >= forgotten_at_once};
  // What is left because of the clock does not make the next look come sooner.
  if (by == tx.now()) swept.next = earlier(tx.next_pruning(), tx.next_forgetting());
  return swept;
}

void move_leases(Transaction& tx, const std::vector<JobId>& held, Duration by) {
  tx.load(held);
  for (const JobId& id : held) decide_and_apply(tx, tx.find(id), ClockJumpEvent{by});
}

}  // namespace longshore::execute
