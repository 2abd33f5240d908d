#include "core/rules/draft.h"

#include <algorithm>
#include <utility>

#include "core/assert.h"
#include "core/rules/callback.h"
#include "core/rules/transitions.h"

namespace longshore {

Draft::Draft(Change& change, const Rules& rules, Instant now)
    : rules_(rules), time_(now), at_(std::max(now, change.after.updated_at)), change_(change) {
  change_.guard.version = change_.after.version;
  change_.transitions.reserve(2);
}

void Draft::move(State to, Cause cause, std::string_view detail) {
  Job& job = change_.after;
  const bool is_new = job.history_count == 0;
  const std::optional<State> from = is_new ? std::nullopt : std::optional(job.state);
  LONGSHORE_ASSERT(is_legal(from, to, cause, rules_.terminal), "every drafted move is legal");

  if (from == State::running || from == State::waiting) {
    if (to != State::waiting) leave_attempt();
    job.lease_expires_at.reset();
    job.heartbeat_due_at.reset();
  }
  if (from == State::success) change_.drop_result = true;
  job.state = to;
  touch();
  job.history_count += 1;
  Transition& made = change_.transitions.emplace_back();
  made.seq = job.history_count;
  made.from = from;
  made.to = to;
  made.cause = cause;
  made.at = at_;
  made.epoch = job.epoch;
  made.worker = job.worker;
  made.detail = detail;
  const bool stays_held = to == State::running || to == State::waiting;
  if (!stays_held) job.worker.clear();
  change_.place = to == State::queued ? Place::back : Place::unchanged;
  if (is_terminal(to)) end_job();
}

void Draft::touch() {
  change_.after.version += 1;
  change_.after.updated_at = at_;
}

void Draft::claim_as(std::string_view worker) {
  Job& job = change_.after;
  job.epoch += 1;
  job.worker = worker;
  job.node.reset();
  job.started_at = at_;
  if (!job.first_started_at) job.first_started_at = at_;
  job.settled.reset();
  move(State::running, Cause::claim);
}

void Draft::succeed(std::string result) {
  change_.result = std::move(result);
  change_.drop_error = true;
  move(State::success, Cause::complete);
}

void Draft::make_eligible() {
  Job& job = change_.after;
  if (job.state == State::created) move(State::queued, Cause::accept);
  if (job.state != State::queued) move(State::queued, Cause::promote);
}

void Draft::withdraw(const JobError& error, Cause cause) {
  change_.error = error;
  change_.after.withdrawn = true;
  // A terminal job needs no claim; only rules that allow reopening get here with one.
  if (rules_.cancel_path == Rules::CancelPath::direct || is_terminal(change_.after.state)) {
    move(State::canceled, cause, error.code);
    return;
  }
  Job& job = change_.after;
  const std::optional<Instant> started_at = job.started_at;
  const std::optional<Instant> first_started_at = job.first_started_at;
  if (job.state != State::running && job.state != State::waiting) {
    make_eligible();
    claim_as("system");
  }
  move(State::retry, Cause::fail, error.code);
  move(State::dead, Cause::fatal, error.code);
  job.started_at = started_at;
  job.first_started_at = first_started_at;
}

void Draft::finish() {
  change_.guard.not_before = time_.not_before();
  change_.guard.before = time_.before();
}

void Draft::leave_attempt() {
  Job& job = change_.after;
  if (job.started_at) job.execution += at_ - *job.started_at;
  job.claim = RequestId{};
  job.deadline_at.reset();
  job.node.reset();
}

void Draft::end_job() {
  Job& job = change_.after;
  job.completed_at = at_;
  job.cancel_requested = false;
  if (job.callback) change_.spawn = callback_job(job);
}

}  // namespace longshore
