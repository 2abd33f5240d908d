#include "core/rules/command_check.h"

#include <string>
#include <utility>

#include "core/rules/limits.h"
#include "core/text/names.h"

namespace longshore {
namespace {

// The messages below quote these.
static_assert(priority_max == 9 && retries_max == 100 && progress_max == 100);
static_assert(jobs_per_enqueue_max == 10'000 && delay_max == Duration::seconds(315'576'000'000));
static_assert(retry_after_max == Duration::seconds(2'592'000));
static_assert(lease_min == Duration::seconds(1) && lease_max == Duration::seconds(86'400));

// Keeps the first error of one command.
class Validator {
 public:
  // The message begins with the field.
  Validator& expect(bool valid, const char* message) {
    if (!valid && !refusal_) {
      refusal_ = Refusal{.code = Code::invalid_field, .detail = message, .index = index_};
    }
    return *this;
  }
  void at(std::size_t index) { index_ = index; }

  void ns(const std::string& ns) { expect(!ns.empty(), "namespace must not be empty"); }
  void limit(int limit) { expect(limit >= 1, "limit must be at least 1"); }
  void priority(int priority) {
    expect(priority >= 0 && priority <= priority_max, "priority must be from 0 to 9");
  }
  void max_retries(int count) {
    expect(count >= 0 && count <= retries_max, "maxRetries must be from 0 to 100");
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

  std::optional<Refusal> refusal() && { return std::move(refusal_); }

 private:
  std::size_t index_ = 0;
  std::optional<Refusal> refusal_;
};

bool is_lease(Duration lease) { return lease >= lease_min && lease <= lease_max; }

// The platform uses these names for transitions that no worker caused.
bool is_reserved_worker(const std::string& worker) {
  return worker == "system" || worker == "external";
}

void validate(Validator& check, const Backoff& backoff) {
  check
      .expect(Validator::is_delay(backoff.base),
              "backoff.baseSeconds must be from 0 to 315576000000")
      .expect(!backoff.max || Validator::is_delay(*backoff.max),
              "backoff.maxSeconds must be from 0 to 315576000000")
      .expect(backoff.jitter >= 0 && backoff.jitter <= 1, "backoff.jitter must be from 0 to 1");
}

void validate(Validator& check, const Callback& callback) {
  check
      .expect(!callback_url_fault(callback.url),
              "callback.url must be an http or https URL of at most 2048 bytes")
      .expect(callback.secret_name.empty() || !secret_name_fault(callback.secret_name),
              "callback.secretName must be 1 to 128 of A-Z a-z 0-9 . _ : -");
}

void validate(Validator& check, const NewJob& job) {
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
  validate(check, job.policy.backoff);
  if (job.callback) validate(check, *job.callback);
}

void validate(Validator& check, const Enqueue& enqueue) {
  check.ns(enqueue.ns);
  check.expect(!enqueue.jobs.empty() && enqueue.jobs.size() <= jobs_per_enqueue_max,
               "jobs must be 1 to 10,000");
  for (std::size_t i = 0; i < enqueue.jobs.size(); ++i) {
    check.at(i);
    validate(check, enqueue.jobs[i]);
  }
}

void validate(Validator& check, const Claim& claim, const Rules& rules) {
  check.ns(claim.ns);
  check.expect(claim.id != RequestId{}, "requestId must not be zero")
      .expect(!claim.worker.empty(), "workerId must not be empty")
      .expect(!is_reserved_worker(claim.worker), "workerId must not be system or external")
      .expect(!claim.queues.empty(), "queues must name at least one")
      .expect(claim.limit >= 1, "maxJobs must be at least 1")
      .expect(claim.limit <= rules.claim_limit, "maxJobs is more than this store's profile allows")
      .expect(!claim.lease || is_lease(*claim.lease), "leaseSeconds must be from 1 to 86400");
}

void validate(Validator& check, const Accept& accept) { check.ns(accept.ns); }

void validate(Validator& check, const Heartbeat& beat) {
  check.ns(beat.ns);
  check.expect(!beat.extend || is_lease(*beat.extend), "extendSeconds must be from 1 to 86400")
      .expect(!beat.progress || (*beat.progress >= 0 && *beat.progress <= progress_max),
              "progress must be from 0 to 100");
}

void validate(Validator& check, const Complete& complete) { check.ns(complete.ns); }

void validate(Validator& check, const Fail& fail) {
  check.ns(fail.ns);
  check.expect(!fail.retry_after ||
                   (*fail.retry_after >= Duration() && *fail.retry_after <= retry_after_max),
               "retryAfterSeconds must be from 0 to 2592000");
}

void validate(Validator& check, const Release& release) {
  check.ns(release.ns);
  check.delay(release.delay.value_or(Duration()));
}

void validate(Validator& check, const HandOff& hand_off) {
  check.ns(hand_off.ns);
  if (hand_off.timeout) check.timeout(*hand_off.timeout);
}

void validate(Validator& check, const FinishByKey& finish) {
  check.ns(finish.ns);
  check.expect(!finish.type.empty(), "jobType must not be empty")
      .expect(!finish.key.empty(), "jobKey must not be empty");
}

void validate(Validator& check, const Cancel& cancel) { check.ns(cancel.ns); }
void validate(Validator& check, const Promote& promote) { check.ns(promote.ns); }
void validate(Validator& check, const Resolve& resolve) { check.ns(resolve.ns); }

void validate(Validator& check, const Redrive& redrive, const Rules& rules) {
  check.ns(redrive.ns);
  const bool creates_job = rules.terminal == Rules::Terminal::fixed;
  check.expect(!creates_job || redrive.successor != JobId{}, "successorId must not be zero")
      .expect(!redrive.payload || !redrive.payload->empty(), "payload must be JSON, at least null")
      .expect(!redrive.queue || !redrive.queue->empty(), "queue must not be empty")
      .expect(!redrive.run_at || redrive.delay == Duration(),
              "runAt and delaySeconds exclude each other; send one");
  if (redrive.priority) check.priority(*redrive.priority);
  if (redrive.max_retries) check.max_retries(*redrive.max_retries);
  if (redrive.timeout) check.timeout(*redrive.timeout);
  check.delay(redrive.delay);
}

void validate(Validator& check, const PauseQueue& pause) {
  check.ns(pause.ns);
  check.expect(!pause.queue.empty(), "queue must not be empty");
}

void validate(Validator& check, const Due& due) { check.limit(due.limit); }
void validate(Validator& check, const Reap& reap) { check.limit(reap.limit); }
void validate(Validator& check, const Sweep& sweep) { check.limit(sweep.limit); }
void validate(Validator& check, const Prune& prune) { check.limit(prune.limit); }
void validate(Validator&, const StartNode&) {}
void validate(Validator&, const SeeNode&) {}

template <class Rule>
void validate_rule(Validator& check, const Rule& rule) {
  check.ns(rule.ns);
  check.max_running(rule.max_running);
  check.retention(rule.keep_success);
  check.retention(rule.keep_canceled);
  check.retention(rule.keep_dead);
}

void validate(Validator& check, const Configure& configure) {
  for (const QueueRule& rule : configure.queues) {
    check.expect(!rule.queue.empty(), "queue must not be empty");
    validate_rule(check, rule);
  }
  for (const TypeRule& rule : configure.types) {
    check.expect(!rule.type.empty(), "jobType must not be empty");
    validate_rule(check, rule);
  }
}

// decide_rules() validates the rules themselves, against the stored ones.
void validate(Validator& check, const SetRules& set) {
  check.ns(set.ns);
  check.expect(!queue_fault(set.source), "source must be 1 to 128 of A-Z a-z 0-9 . _ : -")
      .expect(!set.revision || *set.revision >= 0, "revision must not be negative");
}

void validate(Validator& check, const SeeWorkers& seen) {
  for (const WorkerInfo& info : seen.workers) {
    check.ns(info.ns);
    check.expect(!info.worker.empty(), "workerId must not be empty")
        .expect(info.slots >= 0, "slots must not be negative");
  }
}

void validate(Validator& check, const RecordMinutes& record) {
  for (const MinuteRow& row : record.rows) check.ns(row.ns);
}

void validate(Validator& check, const PutToken& put) {
  check.ns(put.token.ns);
  check.expect(!put.token.id.empty(), "id must not be empty");
}

void validate(Validator& check, const RevokeToken& revoke) { check.ns(revoke.ns); }
void validate(Validator&, const TouchToken&) {}

void validate(Validator& check, const RecordAudit& record) {
  check.ns(record.ns);
  check.expect(!record.action.empty(), "action must not be empty");
}

template <class CommandType>
concept NeedsRules = requires(Validator& check, const CommandType& command, const Rules& rules) {
  validate(check, command, rules);
};

}  // namespace

std::optional<Refusal> check(const Command& command, const Rules& rules) {
  Validator validator;
  std::visit(
      [&]<class CommandType>(const CommandType& one) {
        if constexpr (NeedsRules<CommandType>) {
          validate(validator, one, rules);
        } else {
          validate(validator, one);
        }
      },
      command);
  return std::move(validator).refusal();
}

}  // namespace longshore
