// At most one outcome, which never changes; and the effect of accepted cancels.
#include <algorithm>

#include "checker/facts.h"

namespace longshore::checker {
namespace {

bool is_final(Status status) {
  return status == Status::completed || status == Status::failed || status == Status::canceled;
}

std::optional<Status> seen_status(const Operation& op, const JobId& id) {
  if (!op.ok()) return std::nullopt;
  if (op.answer->view) return status_of(op.answer->view->state);
  if (op.answer->job == id && op.call->verb != Verb::redrive) return op.answer->status;
  for (const EnqueuedJob& job : op.answer->jobs) {
    if (job.id == id) return job.status;
  }
  return std::nullopt;
}

bool same_end(const View& view, const JobDump& dump) {
  return view.state == dump.job.state && view.result == dump.result &&
         view.error == dump.error.value_or("") && view.completed_at == dump.job.completed_at &&
         view.attempt == dump.job.attempt && view.failures == dump.job.failures &&
         view.crashes == dump.job.crashes;
}

void check_reads(Facts& facts, const JobFacts& job) {
  for (const Operation* op : job.ops) {
    const std::optional<Status> seen = seen_status(*op, job.id);
    if (!seen || !is_final(*seen)) continue;
    const bool changed = op->answer->view ? !same_end(*op->answer->view, *job.dump)
                                          : *seen != status_of(job.dump->job);
    if (changed) {
      facts.violate("S7", &job, "an end that was seen changed afterwards: " + describe(*op));
    }
  }
}

// Reads of one job never go back.
void check_versions(Facts& facts, const JobFacts& job) {
  std::vector<const Operation*> reads;
  for (const Operation* op : job.ops) {
    if (op->ok() && op->answer->view) reads.push_back(op);
  }
  for (const Operation* later : reads) {
    for (const Operation* earlier : reads) {
      const bool before = earlier->returned < later->invoked;
      if (before && earlier->answer->view->version > later->answer->view->version) {
        facts.violate("S8", &job, "a read shows less than an earlier one: " + describe(*later));
      }
    }
    if (job.dump != nullptr && later->answer->view->version > job.dump->job.version) {
      facts.violate("S8", &job, "the store holds less than was read: " + describe(*later));
    }
  }
}

void check_result(Facts& facts, const JobFacts& job) {
  const JobDump& dump = *job.dump;
  const bool succeeded = dump.job.state == State::success;
  if (succeeded != dump.result.has_value()) {
    facts.violate("S12", &job, "a result belongs to a success and to nothing else");
  }
  const bool failed = dump.job.state == State::dead || dump.job.state == State::canceled;
  if ((succeeded && dump.error) || (failed && !dump.error)) {
    facts.violate("S12", &job, "an error belongs to every end but success");
  }
  if (!succeeded || !dump.result || job.rows.empty()) return;
  const Row& last = job.rows.back();
  const bool said = std::ranges::any_of(
      last.by, [&](const Operation* op) { return op->call->hash == dump.result; });
  // A job that was reopened may have succeeded before, with another result.
  const bool once = facts.options.rules.terminal == Rules::Terminal::fixed;
  const bool denied = once && std::ranges::any_of(last.by, [&](const Operation* op) {
                        return op->ok() && op->call->hash != dump.result;
                      });
  if (!said || denied) facts.violate("S12", &job, "the result is not the one that was accepted");
}

void check_one_success(Facts& facts, const JobFacts& job) {
  const Operation* first = nullptr;
  for (const Operation* op : job.ops) {
    if (op->call->verb != Verb::complete || !op->ok()) continue;
    if (first == nullptr) first = op;
    if (op->call->token != first->call->token || op->call->hash != first->call->hash) {
      facts.violate("S12", &job, "two outcomes were accepted: " + describe(*op));
    }
  }
}

// ---- Cancel -----------------------------------------------------------------------------------

bool ends_by_cancel(const Transition& row) {
  return row.cause == Cause::cancel || row.detail == "CANCELED" || row.worker == "system";
}

void check_rows_after(Facts& facts, const JobFacts& job, const Operation& cancel) {
  for (const Row& row : job.rows) {
    const Transition& move = *row.row;
    const bool later = row.after > cancel.returned || move.at > cancel.ceiling;
    if (!later || ends_by_cancel(move)) continue;
    if (move.cause == Cause::claim || move.to == State::retry || move.to == State::waiting) {
      facts.violate("S17", &job, "went on after an accepted cancel: " + describe(move));
    }
  }
}

void check_told(Facts& facts, const JobFacts& job, const Operation& cancel) {
  for (const Operation* op : job.ops) {
    const bool later =
        op->call->verb == Verb::heartbeat && op->ok() && op->invoked > cancel.returned;
    if (later && !op->answer->cancel_requested) {
      facts.violate("S17", &job, "the owner was not told of a cancel: " + describe(*op));
    }
  }
}

void check_cancel(Facts& facts, const JobFacts& job, const Operation& cancel) {
  check_rows_after(facts, job, cancel);
  const Job& held = job.dump->job;
  const bool withdrawn =
      held.state == State::canceled || (held.state == State::dead && held.withdrawn);
  if (!cancel.answer->asked) {
    if (!withdrawn)
      facts.violate("S17", &job, "a job that was canceled is not: " + describe(cancel));
    return;
  }
  facts.count("cancels while running");
  check_told(facts, job, cancel);
  const bool asked_still = held.state == State::running && held.cancel_requested;
  const bool ended = is_terminal(held.state);
  if (!asked_still && !ended) {
    facts.violate("S17", &job, "an accepted cancel was forgotten: " + describe(cancel));
  }
}

}  // namespace

void check_outcomes(Facts& facts) {
  const bool fixed = facts.options.rules.terminal == Rules::Terminal::fixed;
  for (const JobFacts* job : facts.ordered) {
    check_versions(facts, *job);
    if (fixed) check_one_success(facts, *job);
    if (job->dump == nullptr) continue;
    check_result(facts, *job);
    if (!fixed) continue;
    check_reads(facts, *job);
    for (const Operation* op : job->ops) {
      if (op->call->verb == Verb::cancel && op->ok()) check_cancel(facts, *job, *op);
    }
  }
}

}  // namespace longshore::checker
