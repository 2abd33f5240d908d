// Acknowledged operations match the rows: each row was requested, each acknowledged operation has a
// row, and both are in the same order.
#include <algorithm>

#include "checker/facts.h"

namespace longshore::checker {
namespace {

bool is_withdrawal(const Transition& row) {
  return row.cause == Cause::cancel || (row.cause == Cause::fail && row.detail == "CANCELED");
}

// The row of an acknowledged worker command of this epoch.
bool has_row(const JobFacts& job, std::int64_t epoch, Cause cause) {
  return std::ranges::any_of(job.rows, [&](const Row& row) {
    return row.row->epoch == epoch && (row.row->cause == cause || is_withdrawal(*row.row));
  });
}

bool has_row_by(const JobFacts& job, std::string_view worker, bool succeeded) {
  return std::ranges::any_of(job.rows, [&](const Row& row) {
    if (is_withdrawal(*row.row)) return !succeeded;
    return row.row->worker == worker &&
           row.row->cause == (succeeded ? Cause::complete : Cause::fail);
  });
}

bool completed_at_epoch(const JobFacts& job, const Operation& op) {
  return std::ranges::any_of(job.rows, [&](const Row& row) {
    return row.row->cause == Cause::complete && row.row->epoch == op.call->token.epoch &&
           row.row->worker != "external" && row.row->worker != "system";
  });
}

bool left_its_mark(const JobFacts& job, const Operation& op) {
  const Call& call = *op.call;
  const std::int64_t epoch = call.token.epoch;
  switch (call.verb) {
    case Verb::complete:
      return completed_at_epoch(job, op);
    case Verb::fail:
      return has_row(job, epoch, Cause::fail);
    case Verb::release:
      return has_row(job, epoch, Cause::release);
    case Verb::hand_off:
      return has_row(job, epoch, Cause::hand_off);
    case Verb::finish_by_key:
      return has_row_by(job, "external", call.hash.has_value());
    case Verb::resolve:
      return op.answer->job != job.id || has_row_by(job, "system", call.hash.has_value());
    case Verb::promote:
      return std::ranges::any_of(job.rows, [&](const Row& row) {
        return row.row->to == State::queued && row.row->at <= op.ceiling;
      });
    case Verb::redrive:
      // For the successor it is the enqueue, which has its own row.
      if (call.job != job.id) return true;
      return job.dump->job.successor_id == op.answer->job || op.answer->job == job.id;
    default:
      return true;
  }
}

void check_grants(Facts& facts, const JobFacts& job, const Operation& op) {
  for (const Grant& grant : op.answer->grants) {
    if (grant.job != job.id) continue;
    const bool found = std::ranges::any_of(job.rows, [&](const Row& row) {
      return row.row->cause == Cause::claim && row.row->epoch == grant.token.epoch &&
             row.row->worker == op.call->worker;
    });
    if (!found)
      facts.violate("B2", &job, "a claim was answered and is not recorded: " + describe(op));
  }
}

void check_order(Facts& facts, const JobFacts& job) {
  std::int64_t after = 0;
  for (const Row& row : job.rows) {
    after = std::max(after, row.after);
    if (row.before <= after) {
      facts.violate("B3", &job,
                    "recorded after something that was asked for only after its "
                    "acknowledgement: " +
                        describe(*row.row));
    }
    if (row.row->at < row.floor || row.row->at > row.ceiling) {
      facts.violate("B3", &job, "recorded at a time outside its operation: " + describe(*row.row));
    }
  }
}

}  // namespace

void check_operations(Facts& facts) {
  for (const JobFacts* job : facts.ordered) {
    if (!job->whole()) continue;
    for (const Row& row : job->rows) {
      if (!row.internal && row.by.empty()) {
        facts.violate("B1", job, "nobody asked for this: " + describe(*row.row));
      }
    }
    for (const Operation* op : job->ops) {
      if (!op->ok()) continue;
      if (op->call->verb == Verb::claim) {
        check_grants(facts, *job, *op);
      } else if (!left_its_mark(*job, *op)) {
        facts.violate("B2", job, "acknowledged and not recorded: " + describe(*op));
      }
    }
    check_order(facts, *job);
  }
}

}  // namespace longshore::checker
