// Accepted jobs are never lost, every job was requested, and its content is unchanged.
#include <algorithm>
#include <utility>

#include "checker/facts.h"
#include "core/rules/enqueue.h"

namespace longshore::checker {
namespace {

bool was_seen_ended(const JobFacts& job) {
  return std::ranges::any_of(job.ops, [&](const Operation* op) {
    if (!op->ok()) return false;
    if (op->answer->view) return is_terminal(op->answer->view->state);
    return op->answer->job == job.id && op->call->verb != Verb::redrive &&
           op->answer->status != Status::pending && op->answer->status != Status::running;
  });
}

void check_not_lost(Facts& facts, const JobFacts& job) {
  if (!job.acknowledged || may_be_pruned(facts, job)) return;
  if (job.dump == nullptr) {
    facts.judgement.lost.push_back(job.id);
    if (was_seen_ended(job)) {
      return facts.violate("S26", &job, "gone before its retention allows: " + to_text(job.id));
    }
    return facts.violate("S1", &job, "accepted, and gone: " + to_text(job.id));
  }
  std::int64_t acknowledged = seq_never;
  for (const Operation* op : job.ops) {
    const bool accepts =
        op->ok() && std::ranges::any_of(op->answer->jobs, [&](const auto& answered) {
          return answered.id == job.id;
        });
    if (accepts) acknowledged = std::min(acknowledged, op->returned);
    const bool missed = op->call->verb == Verb::get && op->kind == Kind::fail &&
                        op->answer->code == "NOT_FOUND" && op->call->ns == job.dump->job.ns;
    if (missed && acknowledged < op->invoked) {
      facts.violate("S1", &job, "accepted, and a read did not find it: " + describe(*op));
    }
  }
}

// Also of a pruned job whose enqueue had no answer.
bool was_wanted(Facts& facts, const JobId& id) {
  return facts.find(id) != nullptr || facts.wanted.contains(id);
}

// Jobs that the platform spawned name their parent in their once-key.
bool is_spawned(Facts& facts, const Job& job) {
  if (!is_platform_type(job.type)) return false;
  const std::size_t begin = job.idempotency_key.find('/');
  if (begin == std::string::npos) return false;
  const std::optional<JobId> parent = parse_job_id(job.idempotency_key.substr(begin + 1, 36));
  return parent && was_wanted(facts, *parent);
}

void check_asked_for(Facts& facts, const JobFacts& job) {
  if (job.asked != nullptr || job.redriven_by != nullptr || is_spawned(facts, job.dump->job))
    return;
  facts.judgement.unexpected.push_back(job.id);
  facts.violate("S2", &job, "nobody asked for this job: " + to_text(job.id));
}

std::optional<std::uint64_t> expected_payload(Facts& facts, const JobFacts& job) {
  if (job.redriven_by != nullptr && job.content == nullptr) {
    if (job.redriven_by->call->hash) return job.redriven_by->call->hash;
    const JobFacts* parent = facts.find(job.redriven_by->call->job);
    return parent != nullptr && parent->dump != nullptr ? std::optional(parent->dump->payload)
                                                        : std::nullopt;
  }
  if (job.content == nullptr) return std::nullopt;
  return job.content->payload;
}

bool reopened(const Facts& facts) {
  return facts.options.rules.terminal == Rules::Terminal::reopen;
}

// A redriven job has the queue that the operator set, or that of the job it repeats.
void check_successor(Facts& facts, const JobFacts& job) {
  if (job.redriven_by == nullptr || job.content != nullptr || reopened(facts)) return;
  const Call& call = *job.redriven_by->call;
  const JobFacts* parent = facts.find(call.job);
  const bool known = parent != nullptr && parent->dump != nullptr;
  if (call.queues.empty() && !known) return;
  const std::string& queue = call.queues.empty() ? parent->dump->job.queue : call.queues.front();
  if (job.dump->job.queue != queue) {
    facts.violate("S3", &job,
                  "redriven into queue " + job.dump->job.queue + " instead of " + queue);
  }
}

void check_content(Facts& facts, const JobFacts& job) {
  const std::optional<std::uint64_t> payload = expected_payload(facts, job);
  if (payload && *payload != job.dump->payload && !reopened(facts)) {
    facts.violate("S3", &job, "the payload is not the one that was enqueued");
  }
  check_successor(facts, job);
  const Asked* asked = job.content;
  if (asked == nullptr || reopened(facts)) return;
  const Job& held = job.dump->job;
  const bool same = held.type == asked->type && held.queue == asked->queue &&
                    held.priority == asked->priority && held.job_key == asked->job_key &&
                    held.expires_at == asked->expires_at &&
                    (!asked->policy || held.policy == *asked->policy);
  if (!same) facts.violate("S3", &job, "type, queue, priority, key or policy changed on the way");
}

// Every lease has the content of an enqueue of its job.
void check_handed_out(Facts& facts, const JobFacts& job) {
  if (job.asked == nullptr || reopened(facts)) return;
  const auto known = [&](std::uint64_t payload) {
    if (payload == job.asked->payload || payload == job.content->payload) return true;
    return std::ranges::any_of(job.ops, [&](const Operation* op) {
      return op->maybe() && std::ranges::any_of(op->call->jobs, [&](const Asked& asked) {
               return asked.payload == payload && asked.job_key == job.asked->job_key;
             });
    });
  };
  for (const Operation* op : job.ops) {
    if (op->call->verb != Verb::claim || !op->ok()) continue;
    for (const Grant& grant : op->answer->grants) {
      if (grant.job != job.id) continue;
      if (!known(grant.payload) || grant.type != job.asked->type) {
        facts.violate("S3", &job, "a worker was handed another payload or type: " + describe(*op));
      }
    }
  }
}

bool has_keys(const Asked& asked) {
  return !asked.job_key.empty() || !asked.idempotency_key.empty();
}

// The jobs of an enqueue without an answer exist all or not at all. Jobs with keys may have been
// answered with others, and are ignored.
void check_group(Facts& facts, const Operation& op) {
  const JobFacts* there = nullptr;
  std::optional<JobId> missing;
  for (const Asked& asked : op.call->jobs) {
    const JobFacts* job = facts.find(asked.id);
    if (job != nullptr && job->dump != nullptr) {
      there = job;
      continue;
    }
    JobFacts unseen;
    unseen.id = asked.id;
    unseen.asked = &asked;
    unseen.ns = op.call->ns;
    const bool pruned = may_be_pruned(facts, job != nullptr ? *job : unseen);
    if (!has_keys(asked) && asked.id != JobId{} && !pruned) missing = asked.id;
  }
  if (there == nullptr || !missing) return;
  facts.violate(
      "S22", there,
      "one job of a group is stored and " + to_text(*missing) + " is not: " + describe(op));
}

void check_answers(Facts& facts, const Operation& op) {
  if (op.answer->jobs.size() != op.call->jobs.size()) {
    return facts.violate("S22", nullptr,
                         "an enqueue answered for another number of jobs: " + describe(op));
  }
  for (std::size_t i = 0; i < op.call->jobs.size(); ++i) {
    const Asked& asked = op.call->jobs[i];
    const JobId& answered = op.answer->jobs[i].id;
    if (!has_keys(asked) && asked.id != JobId{} && asked.id != answered) {
      facts.violate("S22", facts.find(answered),
                    "another job answered for one without keys: " + describe(op));
    }
  }
}

void count(Facts& facts, const Operation& op) {
  if (op.ok()) facts.count("acked", static_cast<std::int64_t>(op.call->jobs.size()));
  if (op.call->jobs.size() > 1) facts.count("groups");
  if (op.kind == Kind::fail) facts.count("enqueues refused");
  for (std::size_t i = 0; op.ok() && i < op.answer->jobs.size(); ++i) {
    if (!op.answer->jobs[i].fresh) facts.count("answered by an earlier job");
  }
}

}  // namespace

void check_accepted(Facts& facts) {
  for (Operation& op : facts.ops) {
    if (op.call->verb != Verb::enqueue) continue;
    count(facts, op);
    if (op.maybe() && op.call->jobs.size() > 1) check_group(facts, op);
    if (op.ok()) check_answers(facts, op);
  }
  const std::vector<JobFacts*> all = facts.ordered;
  for (JobFacts* job : all) {
    check_not_lost(facts, *job);
    check_handed_out(facts, *job);
    if (job->dump == nullptr) continue;
    check_asked_for(facts, *job);
    check_content(facts, *job);
    if (!job->acknowledged && job->asked != nullptr) facts.count("recovered");
  }
}

}  // namespace longshore::checker
