// Attempts, failures and crashes match the history and their limits.
#include <algorithm>

#include "checker/facts.h"

namespace longshore::checker {
namespace {

struct Tally {
  int attempts = 0;
  int failures = 0;
  int crashes = 0;
  int retries = 0;
};

bool is_platform_claim(const Transition& row) {
  return row.worker == "system" || row.worker == "external";
}

bool is_counted(const Rules& rules, const Transition& row) {
  if (row.to != State::retry) return false;
  switch (row.cause) {
    case Cause::timeout:
      return true;
    case Cause::lease_lost:
      return rules.on_lease_lost == Rules::OnLeaseLost::count_failure;
    case Cause::fail:
      if (row.detail == "CANCELED" || row.detail == "EXPIRED") return false;
      return row.detail != "NO_HANDLER" || rules.count_no_handler;
    default:
      return false;
  }
}

std::string limits_of(const Job& job, const Tally& tally) {
  return std::to_string(tally.failures) + " failures of " + std::to_string(job.policy.max_retries) +
         " retries, " + std::to_string(tally.crashes) + " crashes";
}

// Whether this row into RETRY had to kill the job, and did.
void check_limit(Facts& facts, const JobFacts& job, std::size_t index, const Tally& tally) {
  const std::vector<Transition>& history = job.dump->history;
  const Transition& row = history[index];
  const Rules& rules = facts.options.rules;
  const bool lost = row.cause == Cause::lease_lost;
  const bool uncounted_loss = lost && rules.on_lease_lost != Rules::OnLeaseLost::count_failure;
  const bool poison = uncounted_loss && rules.max_crashes && tally.crashes > *rules.max_crashes;
  const bool used_up = is_counted(rules, row) && tally.failures > job.dump->job.policy.max_retries;
  const bool died = index + 1 < history.size() && history[index + 1].to == State::dead;
  const bool died_of_limit = died && history[index + 1].cause == Cause::limit_exceeded;
  if ((poison || used_up) && !died) {
    facts.violate(
        "S13", &job,
        "went on past its limit (" + limits_of(job.dump->job, tally) + "): " + describe(row));
  }
  if (died_of_limit && !poison && !used_up) {
    facts.violate(
        "S13", &job,
        "died before its limit (" + limits_of(job.dump->job, tally) + "): " + describe(row));
  }
  if (poison) facts.count("poisoned");
  if (used_up) facts.count("dead of retries");
}

void add(Tally& tally, const Rules& rules, const JobFacts& job, std::size_t index) {
  const std::vector<Transition>& history = job.dump->history;
  const Transition& row = history[index];
  if (row.cause == Cause::reopen) tally.failures = tally.retries = 0;
  if (row.cause == Cause::claim && !is_platform_claim(row)) tally.attempts += 1;
  if (row.cause == Cause::lease_lost) tally.crashes += 1;
  if (!is_counted(rules, row)) return;
  tally.failures += 1;
  const bool died = index + 1 < history.size() && history[index + 1].to == State::dead;
  if (!died) tally.retries += 1;
}

void check_tally(Facts& facts, const JobFacts& job, const Tally& tally) {
  const Job& held = job.dump->job;
  const auto differ = [&](std::string_view what, int recorded, int told) {
    if (recorded == told) return;
    facts.violate("S13", &job,
                  std::string(what) + " is " + std::to_string(recorded) + ", the history tells " +
                      std::to_string(told));
  };
  differ("attempt", held.attempt, tally.attempts);
  differ("failures", held.failures, tally.failures);
  differ("retryCount", held.retry_count, tally.retries);
  // A crash that a requested cancel turned into a withdrawal has no row of its own.
  const auto hidden = std::ranges::count_if(job.rows, [](const Row& row) {
    const bool withdrawn = row.row->cause == Cause::cancel || row.row->detail == "CANCELED";
    return withdrawn && row.row->from == State::running;
  });
  const int over = held.crashes - tally.crashes;
  if (over < 0 || over > hidden) differ("crashes", held.crashes, tally.crashes);
}

void check_grant_numbers(Facts& facts, const JobFacts& job) {
  int attempt = 0;
  for (const LeaseFacts& lease : job.leases) {
    if (is_platform_claim(*lease.claim->row)) continue;
    attempt += 1;
    if (lease.grant != nullptr && lease.grant->attempt != attempt) {
      facts.violate("S13", &job,
                    "attempt " + std::to_string(attempt) + " was handed out as " +
                        std::to_string(lease.grant->attempt));
    }
  }
}

}  // namespace

void check_attempts(Facts& facts) {
  for (const JobFacts* job : facts.ordered) {
    if (!job->whole()) continue;
    Tally tally;
    for (std::size_t i = 0; i < job->dump->history.size(); ++i) {
      add(tally, facts.options.rules, *job, i);
      if (job->dump->history[i].to == State::retry) check_limit(facts, *job, i, tally);
    }
    check_tally(facts, *job, tally);
    check_grant_numbers(facts, *job);
    const Asked* asked = job->content;
    if (asked != nullptr && asked->policy && job->redriven_by == nullptr &&
        facts.options.rules.terminal == Rules::Terminal::fixed &&
        tally.failures > 1 + asked->policy->max_retries) {
      facts.violate("S13", job, "more counted attempts than its enqueuer allowed");
    }
  }
}

}  // namespace longshore::checker
