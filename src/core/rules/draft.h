// A Draft is a Change under construction: the rules move it from state to state, and every move is
// checked against the table of legal moves.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/rules/change.h"
#include "longshore/rules.h"

namespace longshore {

// The time of a decision. Every comparison with it goes through `reached`, which records the
// range of times that give the same answers: that range becomes the Guard.
class DecisionTime {
 public:
  explicit DecisionTime(Instant now) : now_(now) {}

  Instant not_before() const { return not_before_; }
  Instant before() const { return before_; }

  bool reached(Instant at) {
    const bool yes = now_ >= at;
    if (yes) {
      not_before_ = std::max(not_before_, at);
    } else {
      before_ = std::min(before_, at);
    }
    return yes;
  }

 private:
  Instant now_;
  Instant not_before_ = Instant::millis(0);
  Instant before_ = Instant::never();
};

class Draft {
 public:
  // `change` holds the job unchanged, and must outlive the draft.
  Draft(Change& change, const Rules& rules, Instant now);

  Job& job() { return change_.after; }
  const Job& job() const { return change_.after; }
  Change& change() { return change_; }
  const Rules& rules() const { return rules_; }
  Instant now() const { return at_; }  // never before the job's last update
  bool reached(Instant at) { return time_.reached(at); }

  // Makes one legal move and appends it to the history. Leaving RUNNING or WAITING ends the attempt
  // and its lease and adds up its execution time. Entering a terminal state ends the job.
  void move(State to, Cause cause, std::string_view detail = {});

  // Records a visible change without a transition.
  void touch();

  // REQUIRES: queued. A claim by a reserved worker name: increments the epoch, not the attempt.
  void claim_as(std::string_view worker);

  // RUNNING or WAITING to SUCCESS.
  void succeed(std::string result);

  // CREATED, SCHEDULED or RETRY to QUEUED, by accept or promote.
  void make_eligible();

  // Ends a job that must not run (again): as CANCELED, or through a claim by "system" as DEAD. That
  // claim starts no attempt, so the start times do not change.
  void withdraw(const JobError& error, Cause cause);

  // Call last: sets the guard of the change.
  void finish();

 private:
  void leave_attempt();
  void end_job();

  const Rules& rules_;
  DecisionTime time_;
  Instant at_;
  Change& change_;
};

// Returned by a rule: a refusal, or none if the draft is complete.
using MaybeRefusal = std::optional<Refusal>;

template <class Decided, class Rule>
void apply_rule(Decided& decided, const Rules& rules, Instant now, const Rule& rule) {
  Draft draft(std::get<Change>(decided), rules, now);
  if (MaybeRefusal refusal = rule(draft)) {
    decided = std::move(*refusal);
  } else {
    draft.finish();
  }
}

// Applies `rule(Draft&)` to a copy of the job. The Change is constructed in the returned decision,
// because it is large and there is one for each transition.
template <class Decided = Decision, class Rule>
Decided draft_change(const Job& job, const Rules& rules, Instant now, const Rule& rule) {
  Decided decided(std::in_place_type<Change>, job);
  apply_rule(decided, rules, now, rule);
  return decided;
}
// The same for a new job, which the rule fills in.
template <class Decided, class Rule>
Decided draft_new_job(const Rules& rules, Instant now, const Rule& rule) {
  Decided decided(std::in_place_type<Change>);
  apply_rule(decided, rules, now, rule);
  return decided;
}

}  // namespace longshore
