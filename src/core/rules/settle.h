// Shared by the rules that end attempts: which token is valid, and how a failed attempt ends.
#pragma once

#include "core/rules/draft.h"
#include "longshore/command.h"

namespace longshore {

namespace platform {  // error codes of the platform
inline constexpr std::string_view timeout = "TIMEOUT";
inline constexpr std::string_view lease_lost = "LEASE_LOST";
inline constexpr std::string_view released = "RELEASED";
inline constexpr std::string_view poison = "POISON";
inline constexpr std::string_view expired = "EXPIRED";
inline constexpr std::string_view canceled = "CANCELED";
inline constexpr std::string_view no_handler = "NO_HANDLER";
}  // namespace platform

// True for transitions that withdraw a canceled or expired job.
inline bool is_withdrawal(const Transition& move) {
  return move.detail == platform::canceled || move.detail == platform::expired;
}

// True for error codes that only the platform may use; a worker that sends one is refused.
bool is_reserved_code(std::string_view code);

// How long an owner with a lease of this length may be silent before it counts as lost.
inline Duration heartbeat_grace(Duration asked) { return Duration::millis(asked.count() / 3 * 2); }

// True while the token owns the job: RUNNING before the lease expires, or WAITING before the
// deadline.
bool holds(Draft& draft, const LeaseToken& token);

// How an unsuccessful attempt ends.
struct AttemptEnd {
  Cause cause = Cause::fail;
  JobError error;
  bool counted = true;            // a failure that uses up a retry
  std::optional<Cause> dies_of;   // set: no retry; fatal or limit_exceeded
  bool list_error = true;         // add it to the job's list of errors
  std::string_view detail;        // for the history; empty: the error's code
  std::optional<Duration> delay;  // before the next attempt; none: at once
  Place place = Place::back;      // if there is no delay
};

// RUNNING or WAITING to RETRY, and on to DEAD or QUEUED in the same commit if the rules say so. A
// requested cancel takes precedence.
void end_attempt(Draft& draft, const AttemptEnd& end);

// The end of an attempt that reported this error. Its code decides whether it is counted.
AttemptEnd failed_attempt(const Draft& draft, const JobError& error, bool retryable,
                          std::optional<Duration> retry_after);

// The delay before the next attempt, if one more failure is counted.
Duration next_backoff(const Job& job);

JobError canceled_error();

// The refusal of an operation that the profile does not allow.
Refusal not_in_profile(const Rules& rules, std::string_view operation);

}  // namespace longshore
