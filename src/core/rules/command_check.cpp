#include "core/rules/command_check.h"

#include <string>
#include <utility>

#include "core/rules/limits.h"
#include "core/text/names.h"

namespace longshore {
namespace {

using Complaint = std::optional<Refusal>;

constexpr std::size_t jobs_per_enqueue = 10'000;
constexpr Duration retry_after_max = Duration::days(30);
constexpr Duration lease_min = Duration::seconds(1);
constexpr Duration lease_max = Duration::days(1);

// Collects the first complaint about one command.
class Checker {
 public:
  // The sentence begins with the field.
  Checker& expect(bool good, const char* otherwise) {
    if (!good && !complaint_) {
      complaint_ = Refusal{.code = Code::invalid_field, .detail = otherwise, .index = index_};
    }
    return *this;
  }
  void at(std::size_t index) { index_ = index; }

  void ns(const std::string& ns) { expect(!ns.empty(), "namespace must not be empty"); }
  void limit(int limit) { expect(limit >= 1, "limit must be at least 1"); }
  void priority(int priority) {
    expect(priority >= 0 && priority <= 9, "priority must be from 0 to 9");
  }
  void max_retries(int count) {
    expect(count >= 0 && count <= 100, "maxRetries must be from 0 to 100");
  }
  void timeout(Duration timeout) {
    expect(timeout > Duration() && timeout <= delay_max,
           "timeoutSeconds must be more than 0 and at most 315576000000");
  }
  void delay(Duration delay) {
    expect(is_delay(delay), "delaySeconds must be from 0 to 315576000000");
  }
  static bool is_delay(Duration delay) { return delay >= Duration() && delay <= delay_max; }
  void retention(std::optional<Duration> keep) {
    expect(!keep || *keep >= Duration(), "retention must not be negative");
  }
  void max_running(std::optional<int> count) {
    expect(!count || *count >= 0, "maxRunning must not be negative");
  }

  Complaint complaint() && { return std::move(complaint_); }

 private:
  std::size_t index_ = 0;
  Complaint complaint_;
};

bool is_lease(Duration lease) { return lease >= lease_min && lease <= lease_max; }

// Jobs that the platform itself moves say so by these names.
bool is_own_name(const std::string& worker) { return worker == "system" || worker == "external"; }

void look(Checker& check, const Backoff& backoff) {
  check
      .expect(Checker::is_delay(backoff.base), "backoff.baseSeconds must be from 0 to 315576000000")
      .expect(!backoff.max || Checker::is_delay(*backoff.max),
              "backoff.maxSeconds must be from 0 to 315576000000")
      .expect(backoff.jitter >= 0 && backoff.jitter <= 1, "backoff.jitter must be from 0 to 1");
}

void look(Checker& check, const Callback& callback) {
  check
      .expect(!callback_url_fault(callback.url),
              "callback.url must be an http or https URL of at most 2048 bytes")
      .expect(callback.secret_name.empty() || !secret_name_fault(callback.secret_name),
              "callback.secretName must be 1 to 128 of A-Z a-z 0-9 . _ : -");
}

void look(Checker& check, const NewJob& job) {
  check.expect(job.id != JobId{}, "jobId must not be zero")
      .expect(!job.type.empty(), "jobType must not be empty")
      .expect(!job.queue.empty(), "queue must not be empty")
      .expect(!job.body.payload.empty(), "payload must be JSON, at least null")
      .expect(!job.run_at || job.delay == Duration(),
              "runAt and delaySeconds exclude each other; send one");
  check.priority(job.priority);
  check.delay(job.delay);
  check.max_retries(job.policy.max_retries);
  check.timeout(job.policy.timeout);
  look(check, job.policy.backoff);
  if (job.callback) look(check, *job.callback);
}

void look(Checker& check, const Enqueue& enqueue) {
  check.ns(enqueue.ns);
  check.expect(!enqueue.jobs.empty() && enqueue.jobs.size() <= jobs_per_enqueue,
               "jobs must be 1 to 10,000");
  for (std::size_t i = 0; i < enqueue.jobs.size(); ++i) {
    check.at(i);
    look(check, enqueue.jobs[i]);
  }
}

void look(Checker& check, const Claim& claim, const Rules& rules) {
  check.ns(claim.ns);
  check.expect(claim.id != RequestId{}, "requestId must not be zero")
      .expect(!claim.worker.empty(), "workerId must not be empty")
      .expect(!is_own_name(claim.worker), "workerId must not be system or external")
      .expect(!claim.queues.empty(), "queues must name at least one")
      .expect(claim.limit >= 1, "maxJobs must be at least 1")
      .expect(claim.limit <= rules.claim_limit, "maxJobs is more than this store's profile allows")
      .expect(!claim.lease || is_lease(*claim.lease), "leaseSeconds must be from 1 to 86400");
}

void look(Checker& check, const Accept& accept) { check.ns(accept.ns); }

void look(Checker& check, const Heartbeat& beat) {
  check.ns(beat.ns);
  check.expect(!beat.extend || is_lease(*beat.extend), "extendSeconds must be from 1 to 86400")
      .expect(!beat.progress || (*beat.progress >= 0 && *beat.progress <= 100),
              "progress must be from 0 to 100");
}

void look(Checker& check, const Complete& complete) { check.ns(complete.ns); }

void look(Checker& check, const Fail& fail) {
  check.ns(fail.ns);
  check.expect(!fail.retry_after ||
                   (*fail.retry_after >= Duration() && *fail.retry_after <= retry_after_max),
               "retryAfterSeconds must be from 0 to 2592000");
}

void look(Checker& check, const Release& release) {
  check.ns(release.ns);
  check.delay(release.delay.value_or(Duration()));
}

void look(Checker& check, const HandOff& hand_off) {
  check.ns(hand_off.ns);
  if (hand_off.timeout) check.timeout(*hand_off.timeout);
}

void look(Checker& check, const FinishByKey& finish) {
  check.ns(finish.ns);
  check.expect(!finish.type.empty(), "jobType must not be empty")
      .expect(!finish.key.empty(), "jobKey must not be empty");
}

void look(Checker& check, const Cancel& cancel) { check.ns(cancel.ns); }
void look(Checker& check, const Promote& promote) { check.ns(promote.ns); }
void look(Checker& check, const Resolve& resolve) { check.ns(resolve.ns); }

void look(Checker& check, const Redrive& redrive, const Rules& rules) {
  check.ns(redrive.ns);
  const bool makes_a_job = rules.terminal == Rules::Terminal::fixed;
  check.expect(!makes_a_job || redrive.successor != JobId{}, "successorId must not be zero")
      .expect(!redrive.payload || !redrive.payload->empty(), "payload must be JSON, at least null")
      .expect(!redrive.queue || !redrive.queue->empty(), "queue must not be empty")
      .expect(!redrive.run_at || redrive.delay == Duration(),
              "runAt and delaySeconds exclude each other; send one");
  if (redrive.priority) check.priority(*redrive.priority);
  if (redrive.max_retries) check.max_retries(*redrive.max_retries);
  if (redrive.timeout) check.timeout(*redrive.timeout);
  check.delay(redrive.delay);
}

void look(Checker& check, const PauseQueue& pause) {
  check.ns(pause.ns);
  check.expect(!pause.queue.empty(), "queue must not be empty");
}

void look(Checker& check, const Due& due) { check.limit(due.limit); }
void look(Checker& check, const Reap& reap) { check.limit(reap.limit); }
void look(Checker& check, const Sweep& sweep) { check.limit(sweep.limit); }
void look(Checker& check, const Prune& prune) { check.limit(prune.limit); }
void look(Checker&, const StartNode&) {}
void look(Checker&, const SeeNode&) {}

template <class Rule>
void look_at_rule(Checker& check, const Rule& rule) {
  check.ns(rule.ns);
  check.max_running(rule.max_running);
  check.retention(rule.keep_success);
  check.retention(rule.keep_canceled);
  check.retention(rule.keep_dead);
}

void look(Checker& check, const Configure& configure) {
  for (const QueueRule& rule : configure.queues) {
    check.expect(!rule.queue.empty(), "queue must not be empty");
    look_at_rule(check, rule);
  }
  for (const TypeRule& rule : configure.types) {
    check.expect(!rule.type.empty(), "jobType must not be empty");
    look_at_rule(check, rule);
  }
}

// What the rules may be is for decide_rules() to say, which knows the stored ones.
void look(Checker& check, const SetRules& set) {
  check.ns(set.ns);
  check.expect(!queue_fault(set.source), "source must be 1 to 128 of A-Z a-z 0-9 . _ : -")
      .expect(!set.revision || *set.revision >= 0, "revision must not be negative");
}

void look(Checker& check, const SeeWorkers& seen) {
  for (const WorkerInfo& info : seen.workers) {
    check.ns(info.ns);
    check.expect(!info.worker.empty(), "workerId must not be empty")
        .expect(info.slots >= 0, "slots must not be negative");
  }
}

void look(Checker& check, const RecordMinutes& record) {
  for (const MinuteRow& row : record.rows) check.ns(row.ns);
}

void look(Checker& check, const PutToken& put) {
  check.ns(put.token.ns);
  check.expect(!put.token.id.empty(), "id must not be empty");
}

void look(Checker& check, const RevokeToken& revoke) { check.ns(revoke.ns); }
void look(Checker&, const TouchToken&) {}

void look(Checker& check, const RecordAudit& record) {
  check.ns(record.ns);
  check.expect(!record.action.empty(), "action must not be empty");
}

template <class Said>
concept JudgedByRules = requires(Checker& check, const Said& said, const Rules& rules) {
  look(check, said, rules);
};

}  // namespace

std::optional<Refusal> check(const Command& command, const Rules& rules) {
  Checker checker;
  std::visit(
      [&]<class Said>(const Said& said) {
        if constexpr (JudgedByRules<Said>) {
          look(checker, said, rules);
        } else {
          look(checker, said);
        }
      },
      command);
  return std::move(checker).complaint();
}

}  // namespace longshore
