#include "checker/calls.h"

#include "core/text/hash.h"

namespace longshore::checker {
namespace {

Asked asked_of(const NewJob& job) {
  return {.id = job.id,
          .type = job.type,
          .queue = job.queue,
          .priority = job.priority,
          .job_key = job.job_key,
          .idempotency_key = job.idempotency_key,
          .body_hash = job.body_hash,
          .payload = hash64(job.body.payload),
          .on_conflict = job.on_conflict,
          .run_at = job.run_at,
          .delay = job.delay,
          .expires_at = job.expires_at,
          .callback = job.callback.has_value(),
          .policy = job.policy};
}

// An error without a code is stored as ERROR.
std::string code_of(const JobError& error) { return error.code.empty() ? "ERROR" : error.code; }

void fill_outcome(Call& call, const Outcome& outcome) {
  if (outcome.result) {
    call.hash = hash64(*outcome.result);
  } else {
    call.code = code_of(outcome.error);
    call.retryable = outcome.retryable;
  }
}

template <class Command>
Call worker_call(Verb verb, const Command& command) {
  Call call;
  call.verb = verb;
  call.ns = command.ns;
  call.job = command.job;
  call.token = command.token;
  return call;
}

template <class Command>
Call operator_call(Verb verb, const Command& command) {
  Call call;
  call.verb = verb;
  call.ns = command.ns;
  call.job = command.job;
  call.actor = command.actor.request_id;
  return call;
}

Call from(const Enqueue& command) {
  Call call;
  call.verb = Verb::enqueue;
  call.ns = command.ns;
  call.reject_mismatch = command.reject_mismatch;
  for (const NewJob& job : command.jobs) call.jobs.push_back(asked_of(job));
  return call;
}

Call from(const Claim& command) {
  Call call;
  call.verb = Verb::claim;
  call.ns = command.ns;
  call.id = command.id;
  call.worker = command.worker;
  call.queues = command.queues;
  if (command.types) call.types = *command.types;
  call.limit = command.limit;
  call.wait = command.lease;
  return call;
}

Call from(const Heartbeat& command) {
  Call call = worker_call(Verb::heartbeat, command);
  call.id = command.id;
  call.wait = command.extend;
  return call;
}

Call from(const Complete& command) {
  Call call = worker_call(Verb::complete, command);
  call.hash = hash64(command.result);
  return call;
}

Call from(const Fail& command) {
  Call call = worker_call(Verb::fail, command);
  call.code = code_of(command.error);
  call.retryable = command.retryable;
  call.wait = command.retry_after;
  return call;
}

Call from(const Release& command) {
  Call call = worker_call(Verb::release, command);
  call.wait = command.delay;
  return call;
}

Call from(const HandOff& command) {
  Call call = worker_call(Verb::hand_off, command);
  call.wait = command.timeout;
  return call;
}

Call from(const FinishByKey& command) {
  Call call;
  call.verb = Verb::finish_by_key;
  call.ns = command.ns;
  call.id = command.id;
  call.type = command.type;
  call.key = command.key;
  call.fence = command.fence;
  fill_outcome(call, command.outcome);
  return call;
}

Call from(const Cancel& command) {
  Call call;
  call.verb = Verb::cancel;
  call.ns = command.ns;
  call.job = command.job;
  call.force = command.force;
  if (command.actor) call.actor = command.actor->request_id;
  return call;
}

Call from(const Promote& command) { return operator_call(Verb::promote, command); }

Call from(const Resolve& command) {
  Call call = operator_call(Verb::resolve, command);
  call.id = command.id;
  fill_outcome(call, command.outcome);
  return call;
}

Call from(const Redrive& command) {
  Call call;
  call.verb = Verb::redrive;
  call.ns = command.ns;
  call.job = command.job;
  if (command.actor) call.actor = command.actor->request_id;
  call.successor = command.successor;
  if (command.payload) call.hash = hash64(*command.payload);
  call.wait = command.delay;
  if (command.queue) call.queues = {*command.queue};
  return call;
}

Call from(const PauseQueue& command) {
  Call call;
  call.verb = Verb::pause;
  call.ns = command.ns;
  call.queues = {command.queue};
  call.paused = command.paused;
  call.actor = command.actor.request_id;
  return call;
}

Call from(const Configure& command) {
  Call call;
  call.verb = Verb::configure;
  call.rules = rule_sets(command);
  return call;
}

Call from(const PutToken& command) {
  Call call;
  call.verb = Verb::put_token;
  call.ns = command.token.ns;
  call.key = command.token.id;
  call.actor = command.actor.request_id;
  return call;
}

Call from(const RevokeToken& command) {
  Call call;
  call.verb = Verb::revoke_token;
  call.ns = command.ns;
  call.key = command.id;
  call.actor = command.actor.request_id;
  return call;
}

Call from(const TouchToken& command) {
  Call call;
  call.verb = Verb::touch_token;
  call.key = command.id;
  return call;
}

Call from(const SetRules& command) {
  Call call;
  call.verb = Verb::set_rules;
  call.ns = command.ns;
  call.type = command.source;
  call.revision = command.revision;
  for (const auto& [name, value] : command.rules) call.settings.push_back({name, value});
  call.actor = command.actor.request_id;
  return call;
}

Call from(const StartNode& command) {
  Call call;
  call.verb = Verb::start_node;
  call.worker = command.name;
  return call;
}

template <class Other>
Call from(const Other&) {
  return Call();
}

Grant grant_of(const Lease& lease) {
  return {.job = lease.job,
          .token = lease.token,
          .type = lease.type,
          .queue = lease.queue,
          .payload = hash64(lease.body.payload),
          .attempt = lease.attempt,
          .lease_expires_at = lease.lease_expires_at,
          .deadline_at = lease.deadline_at};
}

void fill(Answer& answer, const Enqueued& enqueued) { answer.jobs = enqueued.jobs; }
void fill(Answer& answer, const Leased& leased) {
  for (const Lease& lease : leased.leases) answer.grants.push_back(grant_of(lease));
}
void fill(Answer& answer, const Beaten& beaten) {
  answer.lease_expires_at = beaten.lease_expires_at;
  answer.cancel_requested = beaten.cancel_requested;
}
void fill(Answer& answer, const Settled& settled) {
  answer.job = settled.job;
  answer.status = settled.status;
  answer.asked = settled.asked;
}
template <class Other>
void fill(Answer&, const Other&) {}

}  // namespace

Call call_of(const Command& command) {
  return std::visit([](const auto& one) { return from(one); }, command);
}

Answer answer_of(const Verdict& verdict) {
  Answer answer;
  std::visit([&](const auto& one) { fill(answer, one); }, verdict);
  return answer;
}

std::vector<RuleSet> rule_sets(const Configure& command) {
  std::vector<RuleSet> rules;
  for (const QueueRule& rule : command.queues) {
    rules.push_back({rule.ns, rule.queue, "", rule.max_running, rule.keep_success,
                     rule.keep_canceled, rule.keep_dead});
  }
  for (const TypeRule& rule : command.types) {
    rules.push_back({rule.ns, "", rule.type, rule.max_running, rule.keep_success,
                     rule.keep_canceled, rule.keep_dead});
  }
  return rules;
}

View view_of(const JobRecord& record) {
  View view{.state = record.job.state,
            .version = record.job.version,
            .attempt = record.job.attempt,
            .failures = record.job.failures,
            .crashes = record.job.crashes,
            .completed_at = record.job.completed_at,
            .successor_id = record.job.successor_id};
  if (record.result) view.result = hash64(*record.result);
  if (record.error) view.error = record.error->code;
  return view;
}

}  // namespace longshore::checker
