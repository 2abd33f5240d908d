#include "core/record/soundness.h"

#include <algorithm>
#include <string>

#include "core/rules/limits.h"
#include "core/rules/transitions.h"

namespace longshore {
namespace {

// Checks one record; each member function checks one aspect.
class RecordCheck {
 public:
  RecordCheck(const JobRecord& record, const Rules& rules, std::vector<Finding>& findings)
      : record_(record), job_(record.job), rules_(rules), findings_(findings) {}

  void all() {
    identity();
    ownership();
    outcome_fields();
    counters();
    history_shape();
    history_transitions();
    times();
  }

 private:
  void expect(bool good, const char* rule, const std::string& what) {
    if (!good) findings_.push_back({rule, to_text(job_.id) + ": " + what});
  }

  void identity() {
    expect(!job_.ns.empty() && !job_.type.empty() && !job_.queue.empty(), "unnamed",
           "namespace, type or queue is empty");
    expect(job_.number > 0, "unnumbered", "has no number");
    expect(job_.priority >= 0 && job_.priority <= priority_max, "priority",
           "priority is outside 0 to 9");
    expect(!record_.body.payload.empty(), "payload-missing", "has no payload (not even null)");
  }

  void ownership() {
    const bool running = job_.state == State::running;
    const bool held = running || job_.state == State::waiting;
    expect(job_.lease_expires_at.has_value() == running, "lease-unlike-state",
           running ? "is running without a lease" : "has a lease but is not running");
    expect(job_.deadline_at.has_value() == held, "deadline-unlike-state",
           held ? "has an owner but no deadline" : "has a deadline but no owner");
    expect((job_.claim != RequestId{}) == held, "token-unlike-state",
           held ? "has an owner but no valid token" : "has a valid token but no owner");
    expect(!job_.worker.empty() == held, "worker-unlike-state",
           held ? "has no worker" : "has a worker but no owner");
    if (running && job_.lease_expires_at && job_.deadline_at) {
      expect(*job_.lease_expires_at <= *job_.deadline_at, "lease-past-deadline",
             "its lease ends after its deadline");
    }
    expect(!job_.cancel_requested || running, "cancel-unlike-state",
           "a cancel is requested but the job is not running");
  }

  void outcome_fields() {
    const bool ended = is_terminal(job_.state);
    const bool success = job_.state == State::success;
    expect(record_.result.has_value() == success, "result-unlike-state",
           success ? "succeeded without a result" : "has a result but did not succeed");
    expect(!(success && record_.error), "error-after-success", "succeeded but has an error");
    expect(job_.state != State::dead || record_.error.has_value(), "dead-without-error",
           "is dead without an error");
    expect(job_.completed_at.has_value() == ended, "completed-unlike-state",
           ended ? "ended without completedAt" : "has completedAt but did not end");
    expect(ended || !job_.prune_after, "prune-unlike-state", "has pruneAfter but did not end");
    expect(ended || !job_.successor_id, "successor-unlike-state", "was redriven but did not end");
    expect(!job_.withdrawn || job_.state == State::canceled || job_.state == State::dead,
           "withdrawn-unlike-state", "was withdrawn but is neither canceled nor dead");
    expect(job_.state != State::canceled || job_.withdrawn, "canceled-not-withdrawn",
           "is canceled but not withdrawn");
  }

  void counters() {
    expect(job_.attempt >= 0 && job_.failures >= 0 && job_.crashes >= 0 && job_.retry_count >= 0,
           "negative-counter", "a counter is below zero");
    expect(job_.epoch >= job_.attempt, "epoch-below-attempt",
           "was started more often than claimed");
    expect(job_.failures <= job_.policy.max_retries + 1, "too-many-failures",
           "failed more often than its retries allow");
    expect(job_.retry_count <= job_.failures, "retries-unexplained",
           "was retried more often than it failed");
    // Crashes are never reset, so a reopened job can exceed the limit.
    const bool crash_limited = rules_.on_lease_lost == Rules::OnLeaseLost::requeue &&
                               rules_.max_crashes.has_value() &&
                               rules_.terminal == Rules::Terminal::fixed;
    expect(!crash_limited || job_.crashes <= *rules_.max_crashes + 1, "too-many-crashes",
           "lost more leases than its limit allows");
    expect((job_.attempt > 0) <= job_.first_started_at.has_value(), "start-unrecorded",
           "was started without firstStartedAt");
    expect(job_.version >= job_.history_count, "version-below-history",
           "its version is lower than its number of transitions");
    expect(std::ssize(record_.errors) <= failures_kept, "too-many-errors", "keeps too many errors");
  }

  void history_shape() {
    const auto& history = record_.history;
    const auto kept = static_cast<std::int64_t>(history.size());
    expect(kept > 0, "history-missing", "has no history");
    expect(kept + record_.history_dropped == job_.history_count, "history-count",
           "has " + std::to_string(kept) + " transitions and " +
               std::to_string(record_.history_dropped) + " dropped, but counts " +
               std::to_string(job_.history_count));
    expect(kept <= history_head_kept + history_tail_kept, "history-too-long",
           "its history is too long");
    if (history.empty()) return;
    expect(history.front().seq == 1, "history-start", "its history does not start at 1");
    expect(history.back().seq == job_.history_count, "history-end",
           "its history does not end at its count");
    expect(history.back().to == job_.state, "history-unlike-state",
           "its history ends at " + std::string(to_text(history.back().to)) + " but it is " +
               std::string(to_text(job_.state)));
  }

  void history_transitions() {
    const auto& history = record_.history;
    std::int64_t worker_claims = 0;
    for (std::size_t i = 0; i < history.size(); ++i) {
      const Transition& move = history[i];
      expect(is_legal(move.from, move.to, move.cause, rules_.terminal), "illegal-move",
             "transition " + std::to_string(move.seq) + " is not in the table");
      // These names are reserved, so their claims are not attempts.
      const bool reserved = move.worker == "system" || move.worker == "external";
      if (move.cause == Cause::claim && !reserved) worker_claims += 1;
      if (i > 0) follows(history[i - 1], move);
    }
    if (record_.history_dropped > 0) return;
    expect(worker_claims == job_.attempt, "attempt-unlike-history",
           "counts " + std::to_string(job_.attempt) + " attempts, its history " +
               std::to_string(worker_claims));
  }

  void follows(const Transition& before, const Transition& move) {
    const bool gap = record_.history_dropped > 0 && before.seq == history_head_kept;
    expect(
        gap || move.seq == before.seq + 1, "history-gap",
        "transition " + std::to_string(before.seq) + " is followed by " + std::to_string(move.seq));
    expect(gap || move.from == before.to, "history-jump",
           "transition " + std::to_string(move.seq) + " does not start in the previous state");
    expect(move.at >= before.at, "history-backwards",
           "transition " + std::to_string(move.seq) + " is earlier than the previous one");
    expect(move.epoch >= before.epoch, "epoch-fell",
           "the epoch decreases at transition " + std::to_string(move.seq));
  }

  void times() {
    expect(job_.created_at <= job_.updated_at, "time-backwards",
           "was updated before it was created");
    expect(!job_.started_at || *job_.started_at <= job_.updated_at, "time-backwards",
           "was started after its last update");
    expect(job_.execution >= Duration(), "negative-execution", "has a negative execution time");
  }

  const JobRecord& record_;
  const Job& job_;
  const Rules& rules_;
  std::vector<Finding>& findings_;
};

}  // namespace

void check_record(const JobRecord& record, const Rules& rules, std::vector<Finding>& findings) {
  RecordCheck(record, rules, findings).all();
}

Places places_of(const Job& job) {
  return {.ready = job.state == State::queued,
          .future = job.state == State::scheduled || job.state == State::retry,
          .leased = job.state == State::running || job.state == State::waiting,
          .dead = job.state == State::dead && !job.withdrawn,
          .live_key = !job.job_key.empty() && !is_terminal(job.state)};
}

State counted_as(const Job& job) {
  return job.state == State::dead && job.withdrawn ? State::canceled : job.state;
}

}  // namespace longshore
