// Matches operations with history rows. An acknowledged operation bounds the time of its rows on
// both sides, one without an answer only from below.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "checker/facts.h"
#include "core/rules/enqueue.h"

namespace longshore::checker {
namespace {

constexpr std::string_view canceled_code = "CANCELED";

bool by_platform(const Transition& row) {
  return row.worker == "system" || row.worker == "external";
}

bool asks_for(const Operation& op, const JobFacts& job) {
  if (op.call->verb == Verb::redrive) return op.call->successor == job.id;
  if (op.call->verb != Verb::enqueue) return false;
  const std::vector<Asked>& asked = op.call->jobs;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool answered = op.ok() && i < op.answer->jobs.size();
    // An enqueue answered with an earlier job made no row; a later repeat may have.
    if (answered && op.answer->jobs[i].id != job.id) continue;
    if (asked[i].id == job.id || job.asked == &asked[i]) return true;
    const bool chosen_there = asked[i].id == JobId{} && answered;
    if (chosen_there && op.answer->jobs[i].fresh && op.answer->jobs[i].id == job.id) return true;
  }
  return false;
}

bool replaces(const Operation& op, const Job& job) {
  return op.call->verb == Verb::enqueue &&
         std::ranges::any_of(op.call->jobs, [&](const Asked& asked) {
           return asked.on_conflict == OnConflict::replace && asked.type == job.type &&
                  asked.job_key == job.job_key;
         });
}

bool grants(const Operation& op, const JobFacts& job, const Transition& row) {
  return op.call->verb == Verb::claim && op.ok() &&
         std::ranges::any_of(op.answer->grants, [&](const Grant& grant) {
           return grant.job == job.id && grant.token.epoch == row.epoch;
         });
}

bool settles(const Operation& op, Verb verb, const Transition& row) {
  const Call& call = *op.call;
  if (row.worker == "external") return call.verb == Verb::finish_by_key;
  if (row.worker == "system") return call.verb == Verb::resolve;
  return call.verb == verb && call.token.epoch == row.epoch;
}

bool withdraws(const Operation& op, const Transition& row) {
  const Call& call = *op.call;
  if (call.verb == Verb::cancel) return true;
  if (call.code != canceled_code) return false;
  return (call.verb == Verb::fail && call.token.epoch == row.epoch) ||
         call.verb == Verb::finish_by_key || call.verb == Verb::resolve;
}

bool explains(const Operation& op, const JobFacts& job, const Transition& row) {
  const Call& call = *op.call;
  switch (row.cause) {
    case Cause::enqueue:
      return asks_for(op, job);
    case Cause::replace:
      return replaces(op, job.dump->job);
    case Cause::claim:
      return grants(op, job, row);
    case Cause::hand_off:
      return call.verb == Verb::hand_off && call.token.epoch == row.epoch;
    case Cause::complete:
      return settles(op, Verb::complete, row) && call.hash.has_value();
    case Cause::fail:
      if (row.detail == canceled_code && withdraws(op, row)) return true;
      return settles(op, Verb::fail, row) && !call.hash && call.code == row.detail;
    case Cause::release:
      return call.verb == Verb::release && call.token.epoch == row.epoch;
    case Cause::cancel:
      return withdraws(op, row);
    case Cause::promote:
      return call.verb == Verb::promote;
    case Cause::reopen:
      return call.verb == Verb::redrive;
    default:
      return false;
  }
}

bool is_internal(const JobFacts& job, std::size_t index) {
  const std::vector<Transition>& history = job.dump->history;
  const Transition& row = history[index];
  switch (row.cause) {
    case Cause::enqueue:
      return is_platform_type(job.dump->job.type);
    case Cause::claim:
      return by_platform(row);
    case Cause::fail:
      return row.detail == "EXPIRED";
    case Cause::release:
      return row.detail == "restart";
    case Cause::promote: {  // before a claim by the platform
      const bool last = index + 1 == history.size();
      return !last && history[index + 1].cause == Cause::claim && by_platform(history[index + 1]);
    }
    case Cause::accept:
    case Cause::due:
    case Cause::timeout:
    case Cause::lease_lost:
    case Cause::limit_exceeded:
    case Cause::fatal:
    case Cause::expired:
      return true;
    default:
      return false;
  }
}

// True if an acknowledgement of this operation proves the row: if the row is the only one the
// operation can have made, by its epoch or because it created the job.
bool bounds(const Operation& op, const Row& row) {
  if (!op.ok()) return false;
  switch (row.row->cause) {
    case Cause::enqueue:
      return true;
    case Cause::claim:
    case Cause::hand_off:
      return true;
    case Cause::complete:
    case Cause::fail:
    case Cause::release:
      return op.call->token.epoch == row.row->epoch;
    default:
      return false;
  }
}

void add(Row& row, const Operation& op) {
  const bool first = row.by.empty();
  row.by.push_back(&op);
  row.after = first ? op.invoked : std::min(row.after, op.invoked);
  row.floor = first ? op.floor : std::min(row.floor, op.floor);
  if (!bounds(op, row)) return;
  row.before = std::min(row.before, op.returned);
  row.ceiling = std::min(row.ceiling, op.ceiling);
}

// Claims whose answer was lost, by namespace and worker. A row names the worker alone, so that is
// all that ties them.
class LostClaims {
 public:
  explicit LostClaims(const Facts& facts) {
    for (const Operation& op : facts.ops) {
      if (op.call->verb != Verb::claim || op.kind != Kind::info) continue;
      Lost& lost = lost_[{op.call->ns, op.call->worker}];
      lost.ops.push_back(&op);
      lost.room += op.call->limit;
      // Without an id it is not repeated.
      if (op.call->id != RequestId{}) by_id_.emplace(op.call->id, &op);
    }
  }

  // A claim that was answered may have been sent before: then the first sending can have been
  // the one that counted.
  void add_earlier_sendings(Row& row) const {
    const std::vector<const Operation*> answered = row.by;
    for (const Operation* op : answered) {
      const auto [begin, end] = by_id_.equal_range(op->call->id);
      for (auto it = begin; it != end; ++it) add(row, *it->second);
    }
  }

  void explain(Row& row, const Job& job) {
    const auto found = lost_.find({job.ns, row.row->worker});
    if (found == lost_.end() || found->second.room == 0) return;
    found->second.room -= 1;
    for (const Operation* op : found->second.ops) add(row, *op);
  }

 private:
  struct Lost {
    std::vector<const Operation*> ops;
    std::int64_t room = 0;
  };
  std::map<std::pair<std::string_view, std::string_view>, Lost> lost_;
  std::unordered_multimap<RequestId, const Operation*> by_id_;
};

}  // namespace

void explain_rows(Facts& facts) {
  LostClaims lost(facts);
  for (JobFacts* job : facts.ordered) {
    if (job->dump == nullptr) continue;
    const std::vector<Transition>& history = job->dump->history;
    job->rows.reserve(history.size());
    for (std::size_t i = 0; i < history.size(); ++i) {
      Row& row = job->rows.emplace_back();
      row.row = &history[i];
      row.internal = is_internal(*job, i);
      if (row.internal) continue;
      for (const Operation* op : job->ops) {
        if (op->maybe() && explains(*op, *job, history[i])) add(row, *op);
      }
      if (history[i].cause != Cause::claim) continue;
      if (row.by.empty()) {
        lost.explain(row, job->dump->job);
      } else {
        lost.add_earlier_sendings(row);
      }
    }
  }
}

namespace {

LeaseFacts* lease_of(JobFacts& job, std::int64_t epoch) {
  for (LeaseFacts& lease : job.leases) {
    if (lease.epoch == epoch) return &lease;
  }
  return nullptr;
}

void gather_from_rows(JobFacts& job) {
  for (const Row& row : job.rows) {
    const Transition& move = *row.row;
    if (move.cause == Cause::claim) {
      job.leases.push_back({.epoch = move.epoch, .claim = &row});
      continue;
    }
    if (job.leases.empty()) continue;
    LeaseFacts& lease = job.leases.back();
    if (move.to == State::waiting) lease.hand_off = &row;
    const bool leaves = move.from == State::running || move.from == State::waiting;
    if (leaves && move.to != State::waiting && lease.end == nullptr) lease.end = &row;
  }
}

void gather_from_ops(JobFacts& job) {
  for (const Operation* op : job.ops) {
    if (op->call->verb == Verb::claim && op->ok()) {
      for (const Grant& grant : op->answer->grants) {
        LeaseFacts* lease = grant.job == job.id ? lease_of(job, grant.token.epoch) : nullptr;
        if (lease == nullptr) continue;
        if (lease->grant == nullptr) lease->grant = &grant;
        lease->acknowledged = std::max(lease->acknowledged, grant.lease_expires_at);
      }
    }
    if (op->call->verb != Verb::heartbeat || !op->maybe()) continue;
    LeaseFacts* lease = lease_of(job, op->call->token.epoch);
    if (lease == nullptr) continue;
    if (!op->ok()) lease->unsure = true;
    if (op->ok()) lease->acknowledged = std::max(lease->acknowledged, op->answer->lease_expires_at);
  }
}

}  // namespace

void gather_leases(Facts& facts) {
  for (JobFacts* job : facts.ordered) {
    gather_from_rows(*job);
    gather_from_ops(*job);
  }
}

}  // namespace longshore::checker
