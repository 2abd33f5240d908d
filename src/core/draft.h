// A Draft is a Change in the making: the rules move it from state to state, and every move is
// checked against the table of legal ones.
#pragma once

#include <string>
#include <string_view>

#include "core/change.h"
#include "core/moment.h"
#include "longshore/rules.h"

namespace longshore {

class Draft {
 public:
  Draft(const Job& job, const Rules& rules, Instant now);
  Draft(Job&& job, const Rules& rules, Instant now);

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

  // The job must not run (again): to canceled, or on the system's path to the dead letters.
  void withdraw(const JobError& error, Cause cause);

  // The change lives as long as the draft: to be moved out of it at once.
  Change&& finish() &&;

 private:
  void leave_attempt();
  void end_job();

  const Rules& rules_;
  Moment moment_;
  Instant at_;
  Change change_;
};

}  // namespace longshore
