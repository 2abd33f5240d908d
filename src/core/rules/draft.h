// A Draft is a Change in the making: the rules move it from state to state, and every move is
// checked against the table of legal ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/rules/change.h"
#include "core/rules/moment.h"
#include "longshore/rules.h"

namespace longshore {

class Draft {
 public:
  // `change` changes nothing yet: it has the job as it is. It must outlive the draft.
  Draft(Change& change, const Rules& rules, Instant now);

  Job& job() { return change_.after; }
  const Job& job() const { return change_.after; }
  Change& change() { return change_; }
  const Rules& rules() const { return rules_; }
  Instant now() const { return at_; }  // never before the job's last update
  bool reached(Instant at) { return moment_.reached(at); }

  // Makes one legal move and writes it to the history. Leaving running or waiting ends the
  // attempt: its time is added up and its lease is gone. Entering a terminal state ends the job.
  void move(State to, Cause cause, std::string_view detail = {});

  // Something a reader can see changed without a move.
  void touch();

  // REQUIRES: queued. A claim by one of our own names: the epoch rises, the attempt does not.
  void claim_as(std::string_view worker);

  // Ends the attempt in favour of the job: RUNNING or WAITING to SUCCESS.
  void succeed(std::string result);

  // Takes a job that waits (created, scheduled, retry) to queued, by accept or promote.
  void make_eligible();

  // The job must not run (again): to canceled, or through a claim by "system" to dead. That claim
  // starts no attempt, so the times of starting stay as they were.
  void withdraw(const JobError& error, Cause cause);

  // Nothing more will be drafted: writes down when this holds.
  void finish();

 private:
  void leave_attempt();
  void end_job();

  const Rules& rules_;
  Moment moment_;
  Instant at_;
  Change& change_;
};

// Why a rule that has begun to draft must not go on; none if it has drafted what is to be done.
using Objection = std::optional<Refusal>;

template <class Decided, class Rule>
void conclude(Decided& decided, const Rules& rules, Instant now, const Rule& rule) {
  Draft draft(std::get<Change>(decided), rules, now);
  if (Objection objection = rule(draft)) {
    decided = std::move(*objection);
  } else {
    draft.finish();
  }
}

// What `rule(Draft&)` makes of a job. The change is made where the decision is returned, for it is
// large and there is one for each step of each job.
template <class Decided = Decision, class Rule>
Decided drafted(const Job& job, const Rules& rules, Instant now, const Rule& rule) {
  Decided decided(std::in_place_type<Change>, job);
  conclude(decided, rules, now, rule);
  return decided;
}
// The same of a job that does not exist yet: the rule fills it in.
template <class Decided, class Rule>
Decided drafted_new(const Rules& rules, Instant now, const Rule& rule) {
  Decided decided(std::in_place_type<Change>);
  conclude(decided, rules, now, rule);
  return decided;
}

}  // namespace longshore
