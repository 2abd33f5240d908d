// No job starts early, and a failed job waits as long as its policy says.
#include <algorithm>
#include <cmath>

#include "checker/facts.h"

namespace longshore::checker {
namespace {

struct Wait {
  Duration least;
  Duration most;
};

Wait exactly(Duration wait) { return {wait, wait}; }

Wait backoff_bounds(const Backoff& backoff, int failures) {
  if (backoff.kind == Backoff::Kind::none) return exactly(Duration());
  double wait = static_cast<double>(backoff.base.count());
  if (backoff.kind == Backoff::Kind::exponential) wait *= std::exp2(std::max(failures, 1) - 1);
  if (backoff.max) wait = std::min(wait, static_cast<double>(backoff.max->count()));
  // Longer than any wait of a run, and without overflow.
  wait = std::min(wait, 1e14);
  const auto least = static_cast<std::int64_t>(std::floor(wait * (1 - backoff.jitter)));
  const auto most = static_cast<std::int64_t>(std::ceil(wait * (1 + backoff.jitter)));
  return {Duration::millis(std::max<std::int64_t>(least, 0)), Duration::millis(most)};
}

// The delays of the operations that may have made the row; `otherwise` if they set none.
Wait asked_wait(const Row& row, Wait otherwise) {
  std::optional<Wait> all;
  for (const Operation* op : row.by) {
    const bool named = op->call->wait && op->call->verb != Verb::finish_by_key;
    const Wait one = named ? exactly(*op->call->wait) : otherwise;
    if (!all) all = one;
    all->least = std::min(all->least, one.least);
    all->most = std::max(all->most, one.most);
  }
  return all.value_or(otherwise);
}

Wait wait_after(const Facts& facts, const JobFacts& job, const Row& row, int failures) {
  const Rules& rules = facts.options.rules;
  const Wait backoff = backoff_bounds(job.dump->job.policy.backoff, failures);
  switch (row.row->cause) {
    case Cause::fail:
      if (row.row->detail == "NO_HANDLER" && !rules.count_no_handler) {
        return exactly(Duration::seconds(5));
      }
      return asked_wait(row, backoff);
    case Cause::timeout:
      return rules.delay_on_timeout == Rules::DelayOnTimeout::none ? exactly(Duration()) : backoff;
    case Cause::lease_lost:
      return rules.on_lease_lost == Rules::OnLeaseLost::count_failure ? backoff
                                                                      : exactly(Duration());
    case Cause::release:
      return row.internal ? exactly(Duration()) : asked_wait(row, exactly(Duration()));
    default:
      return {Duration(), Duration::forever()};
  }
}

bool counts(const Rules& rules, const Transition& row) {
  if (row.cause == Cause::fail) return row.detail != "NO_HANDLER" || rules.count_no_handler;
  if (row.cause == Cause::lease_lost) {
    return rules.on_lease_lost == Rules::OnLeaseLost::count_failure;
  }
  return row.cause == Cause::timeout;
}

void check_late(Facts& facts, const JobFacts& job, const Transition& due, Instant wanted) {
  if (!facts.healed_at || due.at < *facts.healed_at) return;
  const Instant from = std::max(wanted, *facts.healed_at);
  facts.count("due after heal");
  if (due.at > from + facts.options.due_max) {
    facts.violate("L3", &job, "came due too late: " + describe(due));
  }
}

void check_backoff(Facts& facts, const JobFacts& job, std::size_t index, const Wait& wait) {
  const Transition& row = *job.rows[index].row;
  const bool last = index + 1 == job.rows.size();
  const Transition* next = last ? nullptr : job.rows[index + 1].row;
  if (next != nullptr && next->cause != Cause::due) return;
  if (next != nullptr && next->at - row.at < wait.least) {
    facts.violate("S15", &job, "retried before its back-off had passed: " + describe(*next));
  }
  const bool at_once = wait.most == Duration();
  if (at_once && (next == nullptr || next->at != row.at)) {
    facts.violate("S15", &job, "had to be requeued at once: " + describe(row));
  }
  if (next != nullptr && !at_once) check_late(facts, job, *next, row.at + wait.most);
  const bool newest = std::none_of(job.rows.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                                   job.rows.end(), [](const Row& later) {
                                     return later.row->to == State::retry ||
                                            later.row->cause == Cause::promote ||
                                            later.row->cause == Cause::reopen;
                                   });
  const Duration chosen = job.dump->job.run_at - row.at;
  if (newest && (chosen < wait.least || chosen > wait.most)) {
    facts.violate("S15", &job,
                  "waits " + std::to_string(chosen.count()) + " ms, its policy says " +
                      std::to_string(wait.least.count()) + " to " +
                      std::to_string(wait.most.count()) + ": " + describe(row));
  }
}

void check_backoffs(Facts& facts, const JobFacts& job) {
  int failures = 0;
  for (std::size_t i = 0; i < job.rows.size(); ++i) {
    const Transition& row = *job.rows[i].row;
    if (row.cause == Cause::reopen) failures = 0;
    if (row.to != State::retry) continue;
    if (counts(facts.options.rules, row)) failures += 1;
    check_backoff(facts, job, i, wait_after(facts, job, job.rows[i], failures));
  }
}

// ---- Schedules, expiries, deadlines -----------------------------------------------------------

std::optional<Instant> wanted_start(const JobFacts& job, const Transition& placed) {
  const bool replaced = placed.cause == Cause::replace;
  const Asked* asked = replaced ? job.content : job.asked;
  // A reopen has overwritten the content of the replace.
  if (replaced && asked == job.asked) return std::nullopt;
  // A delay counts from the enqueue, also when the job was accepted later.
  const Instant from = replaced ? placed.at : job.rows.front().row->at;
  if (asked != nullptr) return asked->run_at ? *asked->run_at : from + asked->delay;
  if (job.redriven_by == nullptr || replaced) return std::nullopt;
  return from + job.redriven_by->call->wait.value_or(Duration());
}

// A recorded job that is promoted, replaced or claimed by the platform is accepted on the way.
bool accepted_on_the_way(const JobFacts& job, std::size_t index) {
  const bool promoted = std::ranges::any_of(
      job.ops, [](const Operation* op) { return op->call->verb == Verb::promote && op->maybe(); });
  if (promoted || index + 1 == job.rows.size()) return promoted;
  const Row& next = job.rows[index + 1];
  return next.row->cause == Cause::replace || (next.row->cause == Cause::claim && next.internal);
}

// Under rules that refuse a replace, a recorded job takes the other content when it is accepted,
// and no row says so.
bool replaced_while_recorded(const Facts& facts, const JobFacts& job) {
  return facts.options.rules.other_moves == Rules::OtherMoves::refused && job.dump != nullptr &&
         job.dump->job.content != job.dump->job.id;
}

void check_schedule(Facts& facts, const JobFacts& job) {
  if (replaced_while_recorded(facts, job)) return;
  const auto replaced = std::ranges::count_if(
      job.rows, [](const Row& row) { return row.row->cause == Cause::replace; });
  std::int64_t seen = 0;
  const Transition* placed = nullptr;  // the row that set its start time
  for (std::size_t i = 0; i < job.rows.size(); ++i) {
    const Transition& move = *job.rows[i].row;
    if (move.cause == Cause::replace) seen += 1;
    const bool places = move.cause == Cause::accept || move.cause == Cause::replace;
    // Of several replaces the last alone is known by its content.
    if (places) placed = move.cause == Cause::accept || seen == replaced ? &move : nullptr;
    if (move.cause == Cause::reopen) placed = nullptr;  // it has a new start, or none
    const bool due = move.cause == Cause::due && move.from == State::scheduled;
    if ((!places && !due) || placed == nullptr) continue;
    if (move.cause == Cause::accept && accepted_on_the_way(job, i)) continue;
    const std::optional<Instant> wanted = wanted_start(job, *placed);
    if (wanted && move.to == State::queued && move.at < *wanted) {
      facts.violate(
          "S14", &job,
          "eligible before its time, " + std::to_string(wanted->count()) + ": " + describe(move));
    }
    if (wanted && due) check_late(facts, job, move, *wanted);
  }
}

void check_expiry(Facts& facts, const JobFacts& job) {
  const std::optional<Instant> expires = job.dump->job.expires_at;
  for (const Row& row : job.rows) {
    const Transition& move = *row.row;
    const bool expired = move.cause == Cause::expired || move.detail == "EXPIRED";
    if (expired && (!expires || move.at < *expires)) {
      facts.violate("S14", &job, "expired before its time: " + describe(move));
    }
    const bool started = move.cause == Cause::claim && !row.internal;
    if (started && expires && move.at >= *expires) {
      facts.violate("S14", &job, "started after it had expired: " + describe(move));
    }
  }
}

void check_deadlines(Facts& facts, const JobFacts& job) {
  for (const LeaseFacts& lease : job.leases) {
    if (lease.end == nullptr || lease.end->row->cause != Cause::timeout) continue;
    const Transition& end = *lease.end->row;
    const Duration timeout = job.dump->job.policy.timeout;
    Instant deadline = lease.claim->row->at + timeout;
    if (lease.hand_off != nullptr) {
      deadline = lease.hand_off->row->at + asked_wait(*lease.hand_off, exactly(timeout)).least;
    }
    if (end.at < deadline) {
      facts.violate("S14", &job, "timed out before its deadline: " + describe(end));
    }
  }
}

}  // namespace

void check_timers(Facts& facts) {
  const bool fixed = facts.options.rules.terminal == Rules::Terminal::fixed;
  for (const JobFacts* job : facts.ordered) {
    if (!job->whole()) continue;
    check_backoffs(facts, *job);
    check_schedule(facts, *job);
    // A reopened job has a new timeout and no expiry, and its record tells only the newest.
    if (!fixed) continue;
    check_expiry(facts, *job);
    check_deadlines(facts, *job);
  }
}

}  // namespace longshore::checker
